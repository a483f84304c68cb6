//! What of all that is tuned is meant.

use std::ops::RangeInclusive;

use configgen::Clock;
use store::{Ties, Unreadable};

use super::rows::{IndexRow, Rows};
use super::{IndexState, ProblemHash};
use crate::problem_list::{ProblemFilter, TriedProblem};

/// What of all that is tuned is meant: that of which all that is given holds.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedFilter {
    /// Whose times; where it is left open measured ones, if any are meant, and else modelled ones.
    pub clock: Option<Clock>,
    /// Words that all have to be part of the problem's text or of the name of target, device or generator, in any case.
    pub search: String,
    /// The canonical text of the problem.
    pub problem: Option<String>,
    /// Operation and type of the problem, and where it was tuned.
    pub like: ProblemFilter,
    /// Number of reductions.
    pub rows: RangeInclusive<u64>,
    /// Elements of each.
    pub columns: RangeInclusive<u64>,
    /// How many times faster than the untuned configuration it is at least.
    pub least_speedup: Option<f64>,
    /// Which index is wanted where elements tie.
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

/// How many are meant, by clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockCounts {
    /// With times of real GPUs.
    pub measured: usize,
    /// With times of the emulator's model.
    pub modelled: usize,
}

/// Something that is meant.
#[derive(Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) tried: &'a TriedProblem,
    pub(super) row: &'a IndexRow,
}

/// All that is meant, by clock.
pub(super) struct FilterMatches<'a> {
    pub(super) clock: Clock,
    pub(super) both: ClockCounts,
    /// Those of the clock.
    pub(super) hits: Vec<Hit<'a>>,
    pub(super) unreadable: Unreadable,
}

/// Words that are looked for in names, in any case.
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
    /// All that is meant; none where the catalogue was not read yet.
    pub(super) fn matching(&self, filter: &TunedFilter) -> Option<FilterMatches<'_>> {
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
        let both = ClockCounts {
            measured: measured.len(),
            modelled: modelled.len(),
        };
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

    /// What is known of this problem, or of all.
    fn of_problem<'a>(&'a self, problem: Option<&str>) -> Box<dyn Iterator<Item = &'a Rows> + 'a> {
        match problem {
            Some(text) => Box::new(self.problems.get(&ProblemHash::of(text)).into_iter()),
            None => Box::new(self.problems.values()),
        }
    }
}
