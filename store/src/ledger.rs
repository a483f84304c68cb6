//! The ledger: what a study writes into, goes on from, and shares its work by.

use std::time::Duration;

use async_trait::async_trait;

use crate::{Finals, StoreError, Study, StudyId, StudyKey, Ties, Trial};

/// What became of a trial that was to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordOutcome {
    /// It is in the database.
    Stored,
    /// The study had a trial with this ordinal, which stays as it is: another process works on the same study.
    AlreadyThere,
}

/// A piece of a study's work, which one process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// The trial with this ordinal.
    Trial(u32),
    /// The finals of so many trials.
    Finals(u32),
}

/// How far a ledger was read: what was written since then is new. The default is from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LedgerPosition(pub i64);

/// A database in which studies are kept.
///
/// Several processes may work on one study. Each has a name of its own, its *owner*, under which it takes tasks before it
/// does them. What an owner has taken is its own until it leaves, or until it was not heard of for [`Ledger::patience`], by
/// the database's clock. An owner that only slept, and whose tasks others have done meanwhile, does no harm: of two trials
/// with one ordinal the first stays.
///
/// Errors of all, beside those that each names: `Unavailable`, of a database on a server that does not answer.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Starts the study with this key, or resumes it where it stood. `bound_us` is kept from the first time.
    ///
    /// # Errors
    ///
    /// `Locked`, `ReadOnly`, or `Database` where a text of the key that may not be empty is.
    async fn open_study(&self, key: &StudyKey, bound_us: Option<f64>) -> Result<Study, StoreError> {
        self.open_study_as(key, bound_us, None).await
    }

    /// The same; a new study gets this number, unless another study has it.
    ///
    /// # Errors
    ///
    /// As [`Ledger::open_study`].
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError>;

    /// Writes a trial that has ended, in a transaction of its own. When this returns, the trial survives the death of
    /// the process and of the machine. Of a message a NUL comes back as U+FFFD.
    ///
    /// # Errors
    ///
    /// `Trial` where its times are not positive and finite; `Locked`; `ReadOnly`; `DiskFull`.
    async fn record_trial(&self, study: &Study, trial: &Trial)
    -> Result<RecordOutcome, StoreError>;

    /// Writes trials that have ended, in one transaction; how many of them were not there. Those that were stay as they are.
    /// When this returns, all survive the death of the process and of the machine.
    ///
    /// # Errors
    ///
    /// As [`Ledger::record_trial`], and then none is written; `Database` also where there is no such study.
    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError>;

    /// Those of these ordinals whose trials have ended, in their order.
    ///
    /// # Errors
    ///
    /// `Locked`; `Database`.
    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError>;

    /// Writes how a study ended, over how it ended with as many trials and the same index on ties before.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`, also where the winner is no trial of the study.
    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError>;

    /// The trials of a study, by ordinal: all of them, for one that is left out would be tried again in its place.
    ///
    /// # Errors
    ///
    /// `Value` where a row is not what this build can read; `Locked`; `Database`.
    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError>;

    /// The trials of a study that were recorded since, by anybody, and how far that is. None is left out; one may come
    /// twice.
    ///
    /// # Errors
    ///
    /// As [`Ledger::trials_of`].
    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError>;

    /// How a study ended with so many trials and this index on ties, if somebody has recorded that.
    ///
    /// # Errors
    ///
    /// `Value` where the row is not what this build can read; `Locked`; `Database`.
    async fn finals_of(
        &self,
        study: StudyId,
        trials: u32,
        ties: Ties,
    ) -> Result<Option<Finals>, StoreError>;

    /// Takes tasks of a study: those that are now the owner's, in their order. The others are done, or another's.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`.
    async fn take(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError>;

    /// Says that the owner works on the study, and keeps what it has taken; how many others do.
    ///
    /// # Errors
    ///
    /// As [`Ledger::take`].
    async fn stay(&self, study: &Study, owner: &str) -> Result<u32, StoreError>;

    /// Gives back what the owner has taken, of this study or of all: it works on it no more.
    ///
    /// # Errors
    ///
    /// As [`Ledger::take`].
    async fn leave(&self, study: Option<&Study>, owner: &str) -> Result<(), StoreError>;

    /// How long an owner may be silent.
    fn patience(&self) -> Duration;

    /// Whether what was written is where it is looked for.
    ///
    /// # Errors
    ///
    /// `Displaced`.
    fn check_place(&self) -> Result<(), StoreError>;

    /// The database's name, for people.
    fn name(&self) -> String;
}
