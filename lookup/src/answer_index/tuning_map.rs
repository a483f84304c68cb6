//! The summary of tuned problems: numbers by name, and speedups by target, operation and size.

use std::collections::BTreeMap;

use configgen::Clock;
use store::Unreadable;

use super::AnswerIndex;
use super::filter::{ClockCounts, Hit, TunedFilter};

/// A summary of the matches.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningMap {
    /// The clock of the times.
    pub clock: Clock,
    /// The number of matches.
    pub both: ClockCounts,
    /// The numbers by the name of the ISA.
    pub targets: Vec<NameCount>,
    /// The numbers by the name of the device.
    pub devices: Vec<NameCount>,
    /// The numbers by the name of the generator.
    pub generators: Vec<NameCount>,
    /// The numbers by the type of the elements.
    pub elements: Vec<NameCount>,
    /// The numbers by the kind of operation.
    pub operations: Vec<NameCount>,
    /// The cells by ISA, kind of operation and size, ascending.
    pub cells: Vec<TuningMapCell>,
    /// The unreadable rows that may match.
    pub unreadable: Unreadable,
}

/// The number of matches with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCount {
    /// The name.
    pub name: String,
    /// The number.
    pub count: usize,
}

/// The matches of one ISA, one kind of operation and about one size.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningMapCell {
    /// The name of the ISA.
    pub target: &'static str,
    /// The kind of operation, because times of several are not comparable.
    pub operation: &'static str,
    /// The base-2 logarithm of the number of rows, rounded down.
    pub rows_log2: u32,
    /// The base-2 logarithm of the elements in a row, rounded down.
    pub columns_log2: u32,
    /// The number of matches.
    pub count: usize,
    /// The speedup against the untuned configuration; none if that has no time.
    pub speedup: Option<Spread>,
    /// The time as a multiple of the bound; none if there is no bound.
    pub distance: Option<Spread>,
}

/// The spread of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The median; for an even number, the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    fn of(mut numbers: Vec<f64>) -> Option<Spread> {
        numbers.sort_unstable_by(f64::total_cmp);
        let middle = numbers.len() / 2;
        let upper = *numbers.get(middle)?;
        let median = match numbers.len() % 2 {
            0 => f64::midpoint(numbers[middle - 1], upper),
            _ => upper,
        };
        Some(Spread {
            least: numbers[0],
            median,
            most: numbers[numbers.len() - 1],
        })
    }
}

impl AnswerIndex {
    /// Summarizes the matches, or returns `None` before the catalogue has been read. Takes long
    /// for a large index, so run it on a blocking thread.
    pub fn map(&self, filter: &TunedFilter) -> Option<TuningMap> {
        let state = self.state();
        let meant = state.matching(filter)?;
        let hits = &meant.hits;
        let mut cells: BTreeMap<_, Vec<&Hit<'_>>> = BTreeMap::new();
        for hit in hits {
            let kind = (hit.row.target.name, hit.tried.operation);
            let size = (log2(hit.tried.rows), log2(hit.tried.columns));
            cells.entry((kind, size)).or_default().push(hit);
        }
        let cell = |(key, hits): (_, Vec<&Hit<'_>>)| {
            let ((target, operation), (rows_log2, columns_log2)) = key;
            let figures = || hits.iter().map(|hit| &hit.row.figures);
            TuningMapCell {
                target,
                operation,
                rows_log2,
                columns_log2,
                count: hits.len(),
                speedup: Spread::of(figures().filter_map(|it| it.speedup()).collect()),
                distance: Spread::of(figures().filter_map(|it| it.distance()).collect()),
            }
        };
        Some(TuningMap {
            clock: meant.clock,
            both: meant.both,
            targets: counted(hits, |hit| hit.row.target.name),
            devices: counted(hits, |hit| &hit.row.device),
            generators: counted(hits, |hit| hit.row.generator.name()),
            elements: counted(hits, |hit| hit.tried.element.name()),
            operations: counted(hits, |hit| hit.tried.operation),
            cells: cells.into_iter().map(cell).collect(),
            unreadable: meant.unreadable,
        })
    }
}

/// Returns the base-2 logarithm, rounded down. No problem has a size of 0.
fn log2(size: u64) -> u32 {
    size.checked_ilog2().unwrap_or(0)
}

fn counted<'a>(hits: &[Hit<'a>], name: impl Fn(&Hit<'a>) -> &'a str) -> Vec<NameCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits {
        *counts.entry(name(hit)).or_default() += 1;
    }
    let counts = counts.into_iter();
    counts
        .map(|(name, count)| NameCount {
            name: name.to_owned(),
            count,
        })
        .collect()
}
