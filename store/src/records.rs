//! The records: what a database holds, for people who look through it.

use std::collections::BTreeMap;
use std::time::SystemTime;

use async_trait::async_trait;
use configgen::{ElementType, Generator, Problem, Target};
use futures_util::stream::{self, Stream};

use crate::{
    FailureKind, ImportSummary, KnownStudy, ListPage, Page, Portion, Readable, Role, Status,
    StoreError, StudyId, StudyKey, Ties, Trial, TrialPoints,
};

/// Which studies are listed: those of which all that is given holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyFilter {
    /// What is computed.
    pub problem: Option<Problem>,
    /// The kind of operation, as [`Reduce::operation`](configgen::reduction::Reduce::operation) names it.
    pub operation: Option<String>,
    /// Type of the elements.
    pub element: Option<ElementType>,
    /// The ISA.
    pub target: Option<&'static Target>,
    /// The device's name.
    pub device: Option<String>,
    /// Who makes the kernels.
    pub generator: Option<Generator>,
    /// Name of the strategy.
    pub strategy: Option<String>,
    /// Opened then or later.
    pub opened_since: Option<SystemTime>,
}

/// How the finals of a study ended, without their samples.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldFinals {
    /// How many trials the study had.
    pub trials: u32,
    /// Ordinal of the trial whose configuration is to be taken.
    pub winner: u32,
    /// Which index was wanted on ties.
    pub ties: Ties,
    /// By how much the best of the search is faster than the default.
    pub speedup: f64,
    /// Interval of the speedup.
    pub interval: (f64, f64),
    /// When they ended.
    pub ended: SystemTime,
}

/// A study, and how far it is.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyRecord {
    /// The study.
    pub known: KnownStudy,
    /// Name of its strategy.
    pub strategy: String,
    /// What tells its space from that of another version; empty where nobody noted it.
    pub space: String,
    /// The index that is wanted on ties, where that decides which trial is which.
    pub ties: Option<Ties>,
    /// The strategy's seed.
    pub seed: u64,
    /// When it was opened first.
    pub first_opened: SystemTime,
    /// When it was opened last.
    pub last_opened: SystemTime,
    /// Its trials by verdict. To count them takes as long as there are many.
    pub trials: BTreeMap<Status, u64>,
    /// The latest finals; none where there were none.
    pub finals: Option<HeldFinals>,
    /// The owners that work on it now, by the database's clock.
    pub workers: Vec<String>,
}

impl StudyRecord {
    /// What identifies it, in any database.
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

/// Which trials are listed: those of which all that is given holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialFilter {
    /// The verdict.
    pub status: Option<Status>,
    /// Why there is none.
    pub failure: Option<FailureKind>,
    /// What it is for.
    pub role: Option<Role>,
    /// The least time in microseconds; those without a time are out.
    pub least_us: Option<f64>,
    /// The largest time in microseconds; those without a time are out.
    pub most_us: Option<f64>,
    /// The beginning of the hash of the configuration.
    pub hash: Option<String>,
}

/// The order of trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrialSort {
    /// In the study's order.
    #[default]
    Ordinal,
    /// The fastest first; those without a time are not listed.
    Time,
    /// What compiled fastest first; those of which that is not known are not listed.
    Compiled,
}

/// A trial of a study, with the name of its configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRecord {
    /// The study.
    pub study: StudyId,
    /// Hash of the configuration's canonical text; none where there is no configuration.
    pub hash: Option<String>,
    /// The trial.
    pub trial: Trial,
}

/// What went with a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeletionSummary {
    /// Its trials.
    pub trials: u64,
    /// Its finals.
    pub finals: u64,
}

/// What pruning took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruningSummary {
    /// Trials that have one sample now.
    pub trials: u64,
    /// Bytes of the samples that they have no more.
    pub bytes: u64,
}

impl PruningSummary {
    /// Samples are replaced by these.
    pub fn add(&mut self, before: &str, after: &str) {
        self.trials += 1;
        self.bytes += before.len().saturating_sub(after.len()) as u64;
    }
}

/// A database that is looked through.
///
/// Errors of all: `Locked`; `Busy`; `Displaced`; `Unavailable`; `Database`. Rows that cannot be read are told and left out.
#[async_trait]
pub trait Records: Send + Sync {
    /// A page of the studies, those that were opened last first. One that is opened again meanwhile moves to the front.
    ///
    /// # Errors
    ///
    /// `Cursor` where the page is to begin in another list.
    async fn list_studies(
        &self,
        which: &StudyFilter,
        page: Page,
    ) -> Result<ListPage<StudyRecord>, StoreError>;

    /// The study with this number, if it is there.
    async fn find_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError>;

    /// A page of the trials of a study.
    ///
    /// # Errors
    ///
    /// `Cursor` where the page is to begin in another list.
    async fn list_trials(
        &self,
        of: StudyId,
        which: &TrialFilter,
        sort: TrialSort,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError>;

    /// A page of the trials of all studies, by the study's number and in the study's order. No other order is there: times of
    /// several devices and clocks are no ranking. What failed is found without a look at what did not.
    ///
    /// # Errors
    ///
    /// `Cursor` where the page is to begin in another list.
    async fn list_all_trials(
        &self,
        which: &TrialFilter,
        page: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError>;

    /// What charts have of the trials of a study: `limit` at most, in the study's order, from this ordinal on.
    async fn plot_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError>;

    /// Deletes the trials of a study that were abandoned, so that they are tried again when it goes on; how many there were.
    ///
    /// # Errors
    ///
    /// `AtWork` where somebody works on it; `ReadOnly`.
    async fn forget_abandoned(&self, of: StudyId) -> Result<u64, StoreError>;

    /// Deletes a study with its trials and finals, and problem and provenance where they are no other study's. None where
    /// it is not there.
    ///
    /// # Errors
    ///
    /// `AtWork` where somebody works on it; `ReadOnly`.
    async fn delete_study(&self, id: StudyId) -> Result<Option<DeletionSummary>, StoreError>;

    /// Takes the samples of most trials of a study away, so that of each the time is left that they stood for: one sample. The
    /// default keeps its samples, and so do the winners of finals, and with each verdict the `keep` fastest trials whose
    /// configurations have no later one. All else stays; so does what is answered, and where the study goes on. With `only_try`
    /// nothing is written, and told is what would be.
    ///
    /// # Errors
    ///
    /// `AtWork` where somebody works on it; `ReadOnly`.
    async fn prune_study(
        &self,
        of: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError>;

    /// Takes in what another database has of a study, in one transaction. Whatever the order in which portions come, and
    /// however often each does, the database answers the same afterwards:
    ///
    /// - Of two trials with one ordinal stays the one that ended first, as in a study that several processes share; of those
    ///   that ended in the same millisecond the one that was begun first, and then the one with more samples.
    /// - Finals stay for as long as all trials that they were held over do, of two over as many those that ended last. A study
    ///   was opened last when it was in either database.
    /// - Trials of one configuration, finals and studies that compete are newer or older by when they ended or were opened, as
    ///   both databases have it: there is no number that both have given out.
    ///
    /// With `only_try` nothing is written, and told is what would be.
    ///
    /// # Errors
    ///
    /// `AtWork` where somebody works on the study; `Portion` and `Trial` where it cannot be; `ReadOnly`; `DiskFull`.
    async fn take_in(&self, portion: &Portion, only_try: bool)
    -> Result<ImportSummary, StoreError>;
}

/// Rows in a page of a list that is read to its end: as many as are in memory at a time.
pub const STREAMED: u32 = 200;

/// A list from this page on to its end, a page at a time: with memory for a page. After an error there is nothing more.
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
