//! Catalogue: the queries by which `lookup` and the strategies read studies, trials and finals.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use configgen::{Clock, Configuration, ElementType, Generator, Problem, Target};

use crate::{
    CountedWish, Finals, Provenance, Readable, Status, StoreError, StudyId, Trial, Unreadable, Wish,
};

/// A selection of problems.
#[derive(Debug, Clone)]
pub enum ProblemSelection<'a> {
    /// Every problem.
    All,
    /// The listed problems.
    These(&'a [Problem]),
    /// Problems with these features. A strategy learns from their trials.
    Like(Features),
}

/// Features that problems share: an operation, an element type and ranges of sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    /// The kind of operation, as [`Reduction::operation`](configgen::Reduction::operation)
    /// names it.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: ElementType,
    /// The number of rows, inclusive.
    pub rows: RangeInclusive<u64>,
    /// The number of elements in a row, inclusive.
    pub reduced: RangeInclusive<u64>,
}

impl Features {
    /// Returns the features of `problem`, with both sizes from 1/`factor` to `factor` times its
    /// own.
    pub fn near(problem: &Problem, factor: u64) -> Features {
        // A factor of 0 would divide by zero below, and would exclude the problem itself.
        let factor = factor.max(1);
        let range = |size: u64| size.div_ceil(factor)..=size.saturating_mul(factor);
        Features {
            operation: problem.reduction.operation(),
            element: problem.element,
            rows: range(problem.shape.rows()),
            reduced: range(problem.shape.reduced_size()),
        }
    }
}

/// A count of the database connections of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// The open connections.
    pub open: u64,
    /// The open connections that are idle.
    pub idle: u64,
    /// The limit of open connections.
    pub most: u64,
}

/// A position in a catalogue: [`Catalogue::changes`] reports the rows written after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// An opaque number that differs between two databases opened at the same place.
    pub database: u64,
    /// The largest [`KnownStudy::opened`].
    pub opened: i64,
    /// The largest [`KnownTrial::recorded`].
    pub recorded: i64,
    /// The largest such number of the finals.
    pub held: i64,
    /// The number of deletions and of insertions before existing rows.
    pub revision: i64,
}

/// The changes of a catalogue since a [`Mark`].
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The problems with new studies, trials or finals. May contain a problem without any.
    pub problems: Readable<Problem>,
    /// True if `problems` are all problems of the database, as after a deletion or after another
    /// database file took its place.
    pub is_all: bool,
    /// The position for the next call of [`Catalogue::changes`].
    pub mark: Mark,
}

/// A study in the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownStudy {
    /// The study's number.
    pub id: StudyId,
    /// The problem.
    pub problem: Problem,
    /// The provenance of the study's numbers.
    pub provenance: Provenance,
    /// The least time in microseconds that any kernel needs; none if the device has no published
    /// figures.
    pub bound_us: Option<f64>,
    /// A number that the database assigns when the study is opened. It rises with time.
    pub opened: i64,
}

/// A trial in the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownTrial {
    /// The study of the trial.
    pub study: StudyId,
    /// A number that the database assigns when the trial is recorded. It rises with time.
    pub recorded: i64,
    /// True if the same configuration of the same problem has a later trial with the same
    /// provenance, in any study and with any verdict.
    pub has_later: bool,
    /// The trial.
    pub trial: Trial,
}

/// The fastest trials of several studies, those of each study in order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fastest {
    /// The readable trials.
    pub trials: Vec<KnownTrial>,
    /// Studies with at least `limit` rows: they may have more trials.
    pub more: Vec<StudyId>,
    /// The unreadable rows.
    pub unreadable: Unreadable,
}

/// The finals of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownFinals {
    /// The study.
    pub study: StudyId,
    /// The decision of the finals.
    pub finals: Finals,
    /// True if the study has more trials now than the finals compared.
    pub went_on: bool,
    /// The winning trial.
    pub winner: KnownTrial,
}

/// A count of a problem's trials by device, generator, clock and verdict. A lookup without an
/// answer reports it.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// The generator of the kernels.
    pub generator: Generator,
    /// The clock that measured the times.
    pub clock: Clock,
    /// The counted verdict.
    pub status: Status,
    /// The number of trials with this verdict. From [`Coverage::COUNTED`] on there may be more.
    pub trials: u64,
}

impl Coverage {
    /// The limit of counted trials for each study and verdict.
    pub const COUNTED: u64 = 1000;
}

/// A database that answers queries. The work of a query does not grow with the number of trials.
///
/// Errors of all methods: `Locked`; `Busy`; `Displaced`; `Unavailable`; `Database`. The answers
/// list unreadable rows; these are no errors.
#[async_trait]
pub trait Catalogue: Send + Sync {
    /// Counts the connections to the database.
    fn connections(&self) -> Connections;

    /// Returns the generators that a row may name. A row that names another is unreadable.
    fn generators(&self) -> &'static [Generator];

    /// Returns the studies of these problems on `target`, or on every target if it is `None`.
    async fn studies(
        &self,
        of: ProblemSelection<'_>,
        target: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError>;

    /// Returns the `limit` fastest trials of each study that have this verdict, a time and a
    /// configuration. Equally fast trials are in the study's order.
    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError>;

    /// Returns the default trials of these studies.
    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError>;

    /// Returns all trials of a configuration in these studies, the latest last.
    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError>;

    /// Returns the finals of these studies, the latest last.
    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError>;

    /// Counts the trials of a problem on every target.
    ///
    /// Counts at most [`Coverage::COUNTED`] trials for each study and verdict, so that a million
    /// trials cost no more time.
    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError>;

    /// Returns the problems with rows that any process has written since `since`, or all problems
    /// if it is `None`.
    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError>;

    /// Notes a question without an exact answer, and returns whether it is noted.
    ///
    /// Writes the wish at once if the last write was at least a second ago. Otherwise the next
    /// such call or [`Catalogue::flush_wishes`] writes it.
    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError>;

    /// Writes the buffered wishes. The buffer keeps the latest ten thousand different wishes.
    async fn flush_wishes(&self) -> Result<(), StoreError>;

    /// Returns the written wishes: the most frequent first, among equals the most recent first.
    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError>;

    /// Removes a wish.
    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError>;

    /// Checks that the database answers and is still the one that was opened.
    async fn check(&self) -> Result<(), StoreError>;

    /// Writes the buffered wishes if that is possible, and closes the database.
    async fn close(&self);
}
