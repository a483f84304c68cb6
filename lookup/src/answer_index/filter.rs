//! The filter of the lists of tuned problems.

use std::ops::RangeInclusive;

use configgen::Clock;
use store::{Ties, Unreadable};

use super::rows::{IndexRow, Rows};
use super::{IndexState, ProblemHash};
use crate::problem_list::{ProblemFilter, TriedProblem};

/// A filter of tuned problems. An entry matches if it meets every given condition.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedFilter {
    /// The clock of the times. By default measured times if any match, and else modelled ones.
    pub clock: Option<Clock>,
    /// Words that must all occur in the problem's text, or in the names of target, device or
    /// generator; regardless of case.
    pub search: String,
    /// The canonical text of the problem.
    pub problem: Option<String>,
    /// The operation and type of the problem, and its context: target, device and generator.
    pub like: ProblemFilter,
    /// The number of rows, inclusive.
    pub rows: RangeInclusive<u64>,
    /// The number of elements in a row, inclusive.
    pub columns: RangeInclusive<u64>,
    /// The least speedup against the untuned configuration.
    pub least_speedup: Option<f64>,
    /// The tie-break.
    pub ties: Ties,
}

impl Default for TunedFilter {
    fn default() -> Self {
        TunedFilter {
            clock: None,
            search: String::new(),
            problem: None,
            like: ProblemFilter::default(),
            rows: 0..=u64::MAX,
            columns: 0..=u64::MAX,
            least_speedup: None,
            ties: Ties::default(),
        }
    }
}

/// The number of matches, by clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockCounts {
    /// The matches with times of real GPUs.
    pub measured: usize,
    /// The matches with times of the emulator's model.
    pub modelled: usize,
}

/// One match.
#[derive(Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) tried: &'a TriedProblem,
    pub(super) row: &'a IndexRow,
}

/// The matches, with their numbers by clock.
pub(super) struct FilterMatches<'a> {
    pub(super) clock: Clock,
    pub(super) both: ClockCounts,
    /// The matches of the clock.
    pub(super) hits: Vec<Hit<'a>>,
    pub(super) unreadable: Unreadable,
}

/// The words of a search, in lower case.
struct Search(Vec<String>);

impl Search {
    fn new(text: &str) -> Search {
        Search(text.split_whitespace().map(str::to_lowercase).collect())
    }

    fn finds(&self, tried: &TriedProblem, row: &IndexRow) -> bool {
        let names = [
            &tried.problem,
            row.target.name,
            &row.device,
            row.generator.name(),
        ];
        let is_in = |word: &String| names.iter().any(|name| has(name, word));
        self.0.iter().all(is_in)
    }
}

fn has(name: &str, word: &str) -> bool {
    // Most names are lower case already; these need no copy.
    match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().contains(word),
        false => name.contains(word),
    }
}

impl TunedFilter {
    fn means(&self, search: &Search, Hit { tried, row }: &Hit<'_>) -> bool {
        let like = &self.like;
        let is_fast = |least: f64| row.figures.speedup().is_some_and(|it| it >= least);
        like.target.is_none_or(|target| row.target == target)
            && (like.device.as_ref()).is_none_or(|device| **device == *row.device)
            && (like.generator).is_none_or(|generator| row.generator == generator)
            && (like.operation.as_ref()).is_none_or(|operation| operation == tried.operation)
            && like.element.is_none_or(|element| element == tried.element)
            && self.rows.contains(&tried.rows)
            && self.columns.contains(&tried.columns)
            && self.least_speedup.is_none_or(is_fast)
            && search.finds(tried, row)
    }
}

impl IndexState {
    /// Returns the matches, or `None` before the catalogue has been read.
    pub(super) fn matching(&self, filter: &TunedFilter) -> Option<FilterMatches<'_>> {
        // Without a position the index is incomplete, and a list would silently lack problems.
        self.mark?;
        let ties = Ties::ALL.iter().position(|ties| *ties == filter.ties)?;
        let search = Search::new(&filter.search);
        let mut unreadable = self.unreadable.clone();
        let (mut measured, mut modelled) = (Vec::new(), Vec::new());
        for rows in self.of_problem(filter.problem.as_deref()) {
            if !rows.unreadable.is_none() {
                unreadable.join(rows.unreadable.clone());
            }
            let tried = &rows.tried;
            let hits = rows.answers[ties].iter().map(|row| Hit { tried, row });
            for hit in hits.filter(|hit| filter.means(&search, hit)) {
                match hit.row.figures.clock {
                    Clock::Measured => measured.push(hit),
                    Clock::Modelled => modelled.push(hit),
                }
            }
        }
        // A ranking by time must not mix measured and modelled times.
        let both = ClockCounts {
            measured: measured.len(),
            modelled: modelled.len(),
        };
        // Measured times are preferred to modelled ones, as in a lookup.
        let clock = filter.clock.unwrap_or(match both.measured {
            0 => Clock::Modelled,
            _ => Clock::Measured,
        });
        Some(FilterMatches {
            clock,
            both,
            hits: match clock {
                Clock::Measured => measured,
                Clock::Modelled => modelled,
            },
            unreadable,
        })
    }

    /// Iterates over the rows of this problem, or of all.
    fn of_problem<'a>(&'a self, problem: Option<&str>) -> Box<dyn Iterator<Item = &'a Rows> + 'a> {
        match problem {
            Some(text) => Box::new(self.problems.get(&ProblemHash::of(text)).into_iter()),
            None => Box::new(self.problems.values()),
        }
    }
}
