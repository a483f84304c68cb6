//! All that is tuned, in short: how much there is of what, and how well it is tuned by target, operation and size.

use std::collections::BTreeMap;

use configgen::Clock;
use store::Unreadable;

use super::AnswerIndex;
use super::filter::{ClockCounts, Hit, TunedFilter};

/// What is meant, in short.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningMap {
    /// Whose times are told.
    pub clock: Clock,
    /// How many are meant.
    pub both: ClockCounts,
    /// By the name of the ISA.
    pub targets: Vec<NameCount>,
    /// By the name of the device.
    pub devices: Vec<NameCount>,
    /// By the name of the generator.
    pub generators: Vec<NameCount>,
    /// By the type of the elements.
    pub elements: Vec<NameCount>,
    /// By the kind of operation.
    pub operations: Vec<NameCount>,
    /// By ISA, kind of operation and size, ascending.
    pub cells: Vec<TuningMapCell>,
    /// What could not be read and may belong to them.
    pub unreadable: Unreadable,
}

/// How many have this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCount {
    /// The name.
    pub name: String,
    /// How many.
    pub count: usize,
}

/// What is tuned for one ISA of one kind of operation and about one size.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningMapCell {
    /// Name of the ISA.
    pub target: &'static str,
    /// The kind of operation: times of several are not alike.
    pub operation: &'static str,
    /// The largest power of two that is at most the number of reductions.
    pub rows_log2: u32,
    /// The same of the elements of each.
    pub columns_log2: u32,
    /// How many there are.
    pub count: usize,
    /// How many times faster than the untuned configuration they are; none where that has no time.
    pub speedup: Option<Spread>,
    /// How many times as long as the bound they take; none where there is no bound.
    pub distance: Option<Spread>,
}

/// How some numbers are spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The median: of an even number the mean of the two in the middle.
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
    /// What is meant, in short; none where the catalogue was not read yet. It takes long where very much is known: it is for a
    /// thread that answers nobody.
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

/// No problem has a size of 0.
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
