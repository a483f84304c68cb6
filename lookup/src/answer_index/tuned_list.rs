//! The list of tuned problems with a configuration to serve: filtered, sorted, a page at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use answers::lookup::PrintedAnswer;
use configgen::{Clock, Generator, Target};
use store::{Status, Unreadable};

use super::AnswerIndex;
use super::filter::{ClockCounts, Hit, TunedFilter};

/// The sort key of a list. Entries with equal or missing keys are in the order of problem,
/// target, device and generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    /// The problem's text.
    #[default]
    Problem,
    /// The speedup against the untuned configuration.
    Speedup,
    /// The time.
    Time,
    /// The time as a multiple of the bound.
    Distance,
}

/// The order of a list. Entries without a key are last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sort {
    /// The sort key.
    pub by: SortBy,
    /// True if the largest key is first.
    pub is_descending: bool,
}

/// The end of a page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct PageCursor {
    /// The sort key of the last row.
    pub key: Option<f64>,
    /// The problem's text.
    pub problem: String,
    /// The ISA's name.
    pub target: String,
    /// The device's name.
    pub device: String,
    /// The generator's name.
    pub generator: String,
}

/// The best configuration of a problem on a device by a generator.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedEntry {
    /// The problem's canonical text.
    pub problem: String,
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// The generator of the kernel.
    pub generator: Generator,
    /// The clock of the times.
    pub clock: Clock,
    /// The verdict.
    pub status: Status,
    /// The time in microseconds.
    pub time_us: f64,
    /// The verdict of the untuned configuration; none without such a trial.
    pub default_status: Option<Status>,
    /// The untuned configuration's time in microseconds; none if it has none or may not be
    /// served.
    pub default_time_us: Option<f64>,
    /// The speedup against the untuned configuration.
    pub speedup: Option<f64>,
    /// The least time in microseconds that any kernel needs.
    pub bound_us: Option<f64>,
    /// The number of rows.
    pub rows: u64,
    /// The number of elements in a row.
    pub columns: u64,
    /// The number of the study.
    pub study: i64,
    /// The ordinal of the trial in the study.
    pub ordinal: u32,
    /// The printed answer of a lookup.
    pub answer: PrintedAnswer,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedPage {
    /// The clock of the listed times.
    pub clock: Clock,
    /// The number of matches.
    pub both: ClockCounts,
    /// Some of the matches.
    pub rows: Vec<TunedEntry>,
    /// The start of the next page; none if this is the last.
    pub next: Option<PageCursor>,
    /// The unreadable rows that may match.
    pub unreadable: Unreadable,
}

impl AnswerIndex {
    /// Returns a page of up to `limit` matches, or `None` before the catalogue has been read.
    /// Takes long for a large index, so run it on a blocking thread.
    pub fn tuned(
        &self,
        filter: &TunedFilter,
        sort: Sort,
        after: Option<&PageCursor>,
        limit: usize,
    ) -> Option<TunedPage> {
        let state = self.state();
        let meant = state.matching(filter)?;
        let after = after.map(PageCursor::place);
        // The heap keeps one match more than the page has; it tells whether the list goes on.
        let mut first: BinaryHeap<ListedHit<'_>> = BinaryHeap::with_capacity(limit + 2);
        for &hit in &meant.hits {
            let placed = ListedHit {
                place: sort.place(&hit),
                hit,
            };
            let is_before = after.as_ref().is_some_and(|after| placed.place <= *after);
            let is_behind = first.len() > limit && first.peek().is_some_and(|last| placed >= *last);
            if is_before || is_behind {
                continue;
            }
            first.push(placed);
            if first.len() > limit + 1 {
                first.pop();
            }
        }
        let mut first = first.into_sorted_vec();
        let has_more = first.len() > limit;
        first.truncate(limit);
        let last = first.last().filter(|_| has_more);
        let next = last.map(|last| PageCursor::of(last.hit, sort));
        Some(TunedPage {
            clock: meant.clock,
            both: meant.both,
            rows: first.iter().map(|placed| placed.hit.tuned()).collect(),
            next,
            unreadable: meant.unreadable,
        })
    }
}

/// A position in the order of a list. No two rows have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ListPosition<'a> {
    key: ListKey,
    problem: &'a str,
    target: &'a str,
    device: &'a str,
    generator: &'a str,
}

/// The sort key of a list, ascending; a missing one is last.
#[derive(Debug, Clone, Copy)]
struct ListKey(Option<f64>);

impl Ord for ListKey {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        }
    }
}

impl PartialOrd for ListKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ListKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ListKey {}

/// A match with its position.
struct ListedHit<'a> {
    place: ListPosition<'a>,
    hit: Hit<'a>,
}

impl Ord for ListedHit<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }
}

impl PartialOrd for ListedHit<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ListedHit<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for ListedHit<'_> {}

impl Sort {
    fn key(self, hit: &Hit<'_>) -> Option<f64> {
        let figures = &hit.row.figures;
        match self.by {
            SortBy::Problem => None,
            SortBy::Speedup => figures.speedup(),
            SortBy::Time => Some(figures.time_us),
            SortBy::Distance => figures.distance(),
        }
        // Negation reverses the order of the keys, while missing ones stay last.
        .map(|key| if self.is_descending { -key } else { key })
    }

    fn place<'a>(self, hit: &Hit<'a>) -> ListPosition<'a> {
        ListPosition {
            key: ListKey(self.key(hit)),
            problem: &hit.tried.problem,
            target: hit.row.target.name,
            device: &hit.row.device,
            generator: hit.row.generator.name(),
        }
    }
}

impl PageCursor {
    fn of(hit: Hit<'_>, sort: Sort) -> PageCursor {
        PageCursor {
            key: sort.key(&hit),
            problem: hit.tried.problem.clone(),
            target: hit.row.target.name.to_owned(),
            device: hit.row.device.to_string(),
            generator: hit.row.generator.name().to_owned(),
        }
    }

    fn place(&self) -> ListPosition<'_> {
        ListPosition {
            key: ListKey(self.key),
            problem: &self.problem,
            target: &self.target,
            device: &self.device,
            generator: &self.generator,
        }
    }
}

impl Hit<'_> {
    fn tuned(&self) -> TunedEntry {
        let (tried, row, figures) = (self.tried, self.row, &self.row.figures);
        TunedEntry {
            problem: tried.problem.clone(),
            target: row.target,
            device: row.device.to_string(),
            generator: row.generator,
            clock: figures.clock,
            status: figures.status,
            time_us: figures.time_us,
            default_status: figures.default_status,
            default_time_us: figures.default_time_us,
            speedup: figures.speedup(),
            bound_us: figures.bound_us,
            rows: tried.rows,
            columns: tried.columns,
            study: figures.study,
            ordinal: figures.ordinal,
            answer: row.answer.clone(),
        }
    }
}
