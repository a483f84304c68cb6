//! All that is tuned and may be served, filtered and sorted, a page at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use answers::lookup::PrintedAnswer;
use configgen::{Clock, Generator, Target};
use store::{Status, Unreadable};

use super::AnswerIndex;
use super::filter::{ClockCounts, Hit, TunedFilter};

/// What a list is sorted by; among equals, and where there is no such number, by problem, target, device and generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    /// The problem's text.
    #[default]
    Problem,
    /// How many times faster than the untuned configuration it is.
    Speedup,
    /// Its time.
    Time,
    /// How many times as long as the bound it takes.
    Distance,
}

/// An order of a list. What has no such number is behind all that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sort {
    /// By what.
    pub by: SortBy,
    /// Whether the largest goes first.
    pub is_descending: bool,
}

/// Where a page of a list ended.
#[derive(Debug, Clone, PartialEq)]
pub struct PageCursor {
    /// What the list is sorted by, of its last row.
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

/// The best of a problem on a device by a generator.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedEntry {
    /// The problem's canonical text.
    pub problem: String,
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernel.
    pub generator: Generator,
    /// Whose times these are.
    pub clock: Clock,
    /// Its verdict.
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// Verdict of the untuned configuration; none where it was not tried.
    pub default_status: Option<Status>,
    /// Its time in microseconds; none where it has none or may not be served.
    pub default_time_us: Option<f64>,
    /// How many times faster than that it is.
    pub speedup: Option<f64>,
    /// Least time in microseconds that any kernel needs.
    pub bound_us: Option<f64>,
    /// Number of reductions.
    pub rows: u64,
    /// Elements of each.
    pub columns: u64,
    /// The study that it is of.
    pub study: i64,
    /// Its place there.
    pub ordinal: u32,
    /// The answer to who asks for it.
    pub answer: PrintedAnswer,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedPage {
    /// Whose times are listed.
    pub clock: Clock,
    /// How many are meant.
    pub both: ClockCounts,
    /// Some of them.
    pub rows: Vec<TunedEntry>,
    /// Where the next page begins; none where this is the last.
    pub next: Option<PageCursor>,
    /// What could not be read and may belong to them.
    pub unreadable: Unreadable,
}

impl AnswerIndex {
    /// A page of what is meant, with at most `limit` rows; none where the catalogue was not read yet. It takes long where very
    /// much is known: it is for a thread that answers nobody.
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
        // The first ones so far, and one more, by which it is known whether the list goes on.
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

/// The place in the order of a list: no two rows have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ListPosition<'a> {
    key: ListKey,
    problem: &'a str,
    target: &'a str,
    device: &'a str,
    generator: &'a str,
}

/// What a list is sorted by, ascending.
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

/// Something that is meant, with its place.
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
