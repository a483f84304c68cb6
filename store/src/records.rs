//! Records: lists of studies and trials for people who browse a database.

use std::collections::BTreeMap;
use std::time::SystemTime;

use async_trait::async_trait;
use configgen::{ElementType, Generator, Problem, Target};
use futures_util::stream::{self, Stream};

use crate::{
    FailureKind, ImportSummary, KnownStudy, ListPage, Page, Portion, Readable, Role, Status,
    StoreError, StudyId, StudyKey, Ties, Trial, TrialPoints,
};

/// A filter of studies. A study matches if it meets every given condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyFilter {
    /// The problem.
    pub problem: Option<Problem>,
    /// The kind of operation, as [`Reduction::operation`](configgen::Reduction::operation)
    /// names it.
    pub operation: Option<String>,
    /// The type of the elements.
    pub element: Option<ElementType>,
    /// The ISA.
    pub target: Option<&'static Target>,
    /// The device's name.
    pub device: Option<String>,
    /// The generator of the kernels.
    pub generator: Option<Generator>,
    /// The name of the strategy.
    pub strategy: Option<String>,
    /// The earliest last opening.
    pub opened_since: Option<SystemTime>,
}

/// The decision of a study's finals, without their samples.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldFinals {
    /// The number of trials that the study had.
    pub trials: u32,
    /// The ordinal of the winning trial.
    pub winner: u32,
    /// The tie-break of the finals.
    pub ties: Ties,
    /// The speedup of the best of the search against the default.
    pub speedup: f64,
    /// The interval of the speedup.
    pub interval: (f64, f64),
    /// The end of the finals.
    pub ended: SystemTime,
}

/// A study with its progress.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyRecord {
    /// The study.
    pub known: KnownStudy,
    /// The name of its strategy.
    pub strategy: String,
    /// The hash of the search space and its version; empty if the study did not note it.
    pub space: String,
    /// The tie-break, if it decides the order of the trials.
    pub ties: Option<Ties>,
    /// The strategy's seed.
    pub seed: u64,
    /// The first opening of the study.
    pub first_opened: SystemTime,
    /// The last opening of the study.
    pub last_opened: SystemTime,
    /// The number of trials by verdict. Counting takes time in proportion to the trials.
    pub trials: BTreeMap<Status, u64>,
    /// The latest finals, if there were any.
    pub finals: Option<HeldFinals>,
    /// The owners that work on the study now, by the database's clock.
    pub workers: Vec<String>,
}

impl StudyRecord {
    /// Returns the study's identity, which is the same in every database.
    pub fn key(&self) -> StudyKey {
        StudyKey {
            problem: self.known.problem.clone(),
            provenance: self.known.provenance.clone(),
            strategy: self.strategy.clone(),
            space: self.space.clone(),
            ties: self.ties,
            seed: self.seed,
        }
    }
}

/// A filter of trials. A trial matches if it meets every given condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialFilter {
    /// The verdict.
    pub status: Option<Status>,
    /// The kind of failure.
    pub failure: Option<FailureKind>,
    /// The role of the trial.
    pub role: Option<Role>,
    /// The least time in microseconds; excludes trials without a time.
    pub least_us: Option<f64>,
    /// The largest time in microseconds; excludes trials without a time.
    pub most_us: Option<f64>,
    /// A prefix of the configuration's hash.
    pub hash: Option<String>,
}

/// The order of a list of trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrialSort {
    /// By ordinal.
    #[default]
    Ordinal,
    /// By time, the fastest first; excludes trials without a time.
    Time,
    /// By compilation time, the fastest first; excludes trials without one.
    Compiled,
}

/// A trial of a study, with the hash of its configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRecord {
    /// The study.
    pub study: StudyId,
    /// The hash of the configuration's canonical text; none if there is no configuration.
    pub hash: Option<String>,
    /// The trial.
    pub trial: Trial,
}

/// The rows deleted with a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeletionSummary {
    /// The number of its trials.
    pub trials: u64,
    /// The number of its finals.
    pub finals: u64,
}

/// The outcome of pruning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruningSummary {
    /// The number of trials reduced to one sample.
    pub trials: u64,
    /// The bytes of the removed samples.
    pub bytes: u64,
}

impl PruningSummary {
    /// Adds one trial with its samples before and after.
    pub fn add(&mut self, before: &str, after: &str) {
        self.trials += 1;
        self.bytes += before.len().saturating_sub(after.len()) as u64;
    }
}

/// A database that people browse.
///
/// Errors of all methods: `Locked`; `Busy`; `Displaced`; `Unavailable`; `Database`. The answers
/// list unreadable rows and leave them out.
#[async_trait]
pub trait Records: Send + Sync {
    /// Lists a page of the studies, the last opened first. A study that is opened again meanwhile
    /// moves to the front.
    ///
    /// # Errors
    ///
    /// `Cursor` if the page starts at a cursor of another list.
    async fn list_studies(
        &self,
        which: &StudyFilter,
        page: Page,
    ) -> Result<ListPage<StudyRecord>, StoreError>;

    /// Returns the study with this number, if it exists.
    async fn find_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError>;

    /// Lists a page of the trials of a study.
    ///
    /// # Errors
    ///
    /// `Cursor` if the page starts at a cursor of another list.
    async fn list_trials(
        &self,
        of: StudyId,
        which: &TrialFilter,
        sort: TrialSort,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError>;

    /// Lists a page of the trials of all studies, by study and ordinal.
    ///
    /// No other order exists, because times of several devices and clocks are no ranking. A list
    /// of failures reads no other trial.
    ///
    /// # Errors
    ///
    /// `Cursor` if the page starts at a cursor of another list.
    async fn list_all_trials(
        &self,
        which: &TrialFilter,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError>;

    /// Returns up to `limit` chart points of a study, by ordinal from `from` on.
    async fn plot_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError>;

    /// Deletes the abandoned trials of a study, and returns their number. A resumed study tries
    /// them again.
    ///
    /// # Errors
    ///
    /// `AtWork` if a process works on the study; `ReadOnly`.
    async fn forget_abandoned(&self, of: StudyId) -> Result<u64, StoreError>;

    /// Deletes a study with its trials and finals, and its problem and provenance if no other
    /// study has them. Returns `None` if there is no such study.
    ///
    /// # Errors
    ///
    /// `AtWork` if a process works on the study; `ReadOnly`.
    async fn delete_study(&self, id: StudyId) -> Result<Option<DeletionSummary>, StoreError>;

    /// Reduces most trials of a study to one sample: the time that their samples stand for.
    ///
    /// The default keeps its samples, as do winners of finals, and the `keep` fastest trials of
    /// each verdict without a later trial of their configuration. Answers do not change, nor does
    /// the study's next trial. With `only_try`, reports the effect and writes nothing.
    ///
    /// # Errors
    ///
    /// `AtWork` if a process works on the study; `ReadOnly`.
    async fn prune_study(
        &self,
        of: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError>;

    /// Imports a portion of another database's study, in one transaction. The result does not
    /// depend on the order of portions nor on repetitions:
    ///
    /// - Trials with one ordinal: the one that ended first stays, as in a study that several
    ///   processes share. If both ended in the same millisecond, the one that started first
    ///   stays, and then the one with more samples.
    /// - Finals stay as long as all trials that they compared stay. If two compared as many
    ///   trials, the later stays. The last opening of a study is the later of both databases.
    /// - Trials of one configuration, and competing finals and studies, are ordered by their end
    ///   or opening. Both databases have that time, while each assigns its own numbers.
    ///
    /// With `only_try`, reports the effect and writes nothing.
    ///
    /// # Errors
    ///
    /// `AtWork` if a process works on the study; `Portion` and `Trial` if the content is
    /// impossible; `ReadOnly`; `DiskFull`.
    async fn take_in(&self, portion: &Portion, only_try: bool)
    -> Result<ImportSummary, StoreError>;
}

/// The number of rows in each page of a list that is read to its end. That many rows are in
/// memory at a time.
pub const STREAMED: u32 = 200;

/// Streams a list from the page `first` to its end, with memory for one page. Ends after an
/// error.
pub fn pages<'a, T, F>(
    first: Page,
    read: impl Fn(Page) -> F + 'a,
) -> impl Stream<Item = Result<ListPage<T>, StoreError>>
where
    T: 'a,
    F: Future<Output = Result<ListPage<T>, StoreError>> + 'a,
{
    stream::try_unfold((Some(first), read), |(page, read)| async move {
        let Some(page) = page else { return Ok(None) };
        let listed = read(page).await?;
        let after = listed.next;
        let next = after.is_some().then_some(Page { after, ..page });
        Ok(Some((listed, (next, read))))
    })
}
