//! The catalogue: facts of what is known, for those who ask.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use configgen::{Clock, Configuration, ElementType, Generator, Problem, Target};

use crate::{
    CountedWish, Finals, Provenance, Readable, Status, StoreError, StudyId, Trial, Unreadable, Wish,
};

/// Problems that are meant.
#[derive(Debug, Clone)]
pub enum ProblemSelection<'a> {
    /// All.
    All,
    /// These.
    These(&'a [Problem]),
    /// Those that resemble one: the history that a search may learn from.
    Like(Features),
}

/// What problems have in common: operation and element type, and sizes in these ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    /// The kind of operation, as [`Reduce::operation`](configgen::reduction::Reduce::operation) names it.
    pub operation: &'static str,
    /// Type of the elements.
    pub element: ElementType,
    /// Number of rows.
    pub rows: RangeInclusive<u64>,
    /// Elements of a row.
    pub reduced: RangeInclusive<u64>,
}

impl Features {
    /// Problems as this one, with up to `factor` times as many or as few rows and elements of a row.
    pub fn near(problem: &Problem, factor: u64) -> Features {
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

/// Connections of a process to its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// Those that are open.
    pub open: u64,
    /// Those of them that nobody uses.
    pub idle: u64,
    /// Those that may be open at once.
    pub most: u64,
}

/// How far a catalogue was read: what was written since then is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Tells the database that is open from one that was there before: a number that says no more.
    pub database: u64,
    /// The largest [`KnownStudy::opened`].
    pub opened: i64,
    /// The largest [`KnownTrial::recorded`].
    pub recorded: i64,
    /// The same of finals.
    pub held: i64,
    /// How often something was taken out, or put before what was there.
    pub revision: i64,
}

/// What has been written since a catalogue was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The problems whose studies, trials or finals are new; one may be here of which nothing is.
    pub problems: Readable<Problem>,
    /// Whether these are all that there are, as after something was deleted, or after a change of the database itself.
    pub is_all: bool,
    /// From here on it is read next.
    pub mark: Mark,
}

/// A study that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownStudy {
    /// Its number.
    pub id: StudyId,
    /// What is computed.
    pub problem: Problem,
    /// What makes its numbers.
    pub provenance: Provenance,
    /// Least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// The larger, the later it was opened: a number that the database gives out.
    pub opened: i64,
}

/// A trial that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownTrial {
    /// The study that made it.
    pub study: StudyId,
    /// The larger, the later it was recorded: a number that the database gives out.
    pub recorded: i64,
    /// Whether the same configuration of the same problem has a later trial with the same provenance, in whatever study
    /// and with whatever verdict.
    pub has_later: bool,
    /// The trial.
    pub trial: Trial,
}

/// The fastest trials of some studies, each study's in order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fastest {
    /// Those that could be read.
    pub trials: Vec<KnownTrial>,
    /// Studies of which as many rows were read as were asked for: they may have more.
    pub more: Vec<StudyId>,
    /// Rows that could not be read.
    pub unreadable: Unreadable,
}

/// How a study ended.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownFinals {
    /// The study.
    pub study: StudyId,
    /// What they decided.
    pub finals: Finals,
    /// Whether the study has had trials since.
    pub went_on: bool,
    /// The trial that won.
    pub winner: KnownTrial,
}

/// How many trials a problem has, up to a limit: what is known of it where nothing answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// The verdict that is counted.
    pub status: Status,
    /// Trials with this verdict; from [`Coverage::COUNTED`] on there may be more.
    pub trials: u64,
}

impl Coverage {
    /// Trials of a study with one verdict that are counted at most.
    pub const COUNTED: u64 = 1000;
}

/// A database that is asked. What a question reads does not grow with the number of trials.
///
/// Errors of all: `Locked`; `Busy`; `Displaced`; `Unavailable`; `Database`. Rows that cannot be read are no error but in the answer.
#[async_trait]
pub trait Catalogue: Send + Sync {
    /// Counts the connections to the database.
    fn connections(&self) -> Connections;

    /// The generators that a row may name; one that names another cannot be read.
    fn generators(&self) -> &'static [Generator];

    /// The studies of these problems on a target; on all where it is left open.
    async fn studies(
        &self,
        of: ProblemSelection<'_>,
        target: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError>;

    /// Of each of these studies the `limit` fastest trials that have this verdict, a time and a configuration; equally fast
    /// ones in the order in which the study came to them.
    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError>;

    /// The default trials of these studies.
    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError>;

    /// All trials of a configuration in these studies, the latest last.
    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError>;

    /// How these studies ended, the latest last.
    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError>;

    /// What has been tried of a problem on any target: of each study and verdict at most [`Coverage::COUNTED`] trials are
    /// counted, so that the answer takes as long for a million of them.
    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError>;

    /// The problems of which something was written since then, by anybody; all of them where it is not said since when.
    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError>;

    /// Notes that this was asked for and not known, and tells whether it is noted. It is written at once if nothing was
    /// for a second; otherwise by the next one that is, or by [`Catalogue::flush_wishes`].
    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError>;

    /// Writes the wishes that wait. Of ten thousand different ones on, those that were asked last are kept.
    async fn flush_wishes(&self) -> Result<(), StoreError>;

    /// Everything that is wished for and written: what was asked most goes first; among equals, what was asked last.
    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError>;

    /// Takes a wish off the list.
    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError>;

    /// Whether the database still answers, and is still the one that was opened.
    async fn check(&self) -> Result<(), StoreError>;

    /// Writes the wishes that wait, if that is possible, and closes the database.
    async fn close(&self);
}
