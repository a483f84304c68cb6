//! Ledger: studies record their trials in it, resume from it, and share their tasks through it.

use std::time::Duration;

use async_trait::async_trait;

use crate::{Finals, StoreError, Study, StudyId, StudyKey, Ties, Trial};

/// The outcome of recording a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordOutcome {
    /// The trial is in the database.
    Stored,
    /// The study had a trial with this ordinal, and keeps it: another process works on the same
    /// study.
    AlreadyThere,
}

/// A task of a study, done by one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// The trial with this ordinal.
    Trial(u32),
    /// The finals of this many trials.
    Finals(u32),
}

/// A position in a ledger. [`Ledger::trials_since`] returns the trials recorded after it. The
/// default is the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LedgerPosition(pub i64);

/// A database that records studies.
///
/// Several processes may work on one study. Each has a unique name, its *owner*, and takes tasks
/// under that name. Taken tasks belong to the owner until it leaves, or until it is silent for
/// [`Ledger::patience`] by the database's clock. A suspended owner does no harm when it wakes: of
/// two trials with one ordinal the ledger keeps the first.
///
/// All methods can fail with `Unavailable` if the database's server does not answer.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Creates the study with this key, or resumes it. An existing study keeps its first
    /// `bound_us`.
    ///
    /// # Errors
    ///
    /// `Locked`, `ReadOnly`, or `Database` if a required text of the key is empty.
    async fn open_study(&self, key: &StudyKey, bound_us: Option<f64>) -> Result<Study, StoreError> {
        self.open_study_as(key, bound_us, None).await
    }

    /// Creates or resumes a study as [`Ledger::open_study`] does. A new study gets `number`,
    /// unless another study has it.
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

    /// Writes a completed trial in a transaction of its own.
    ///
    /// A stored trial survives the death of the process and of the machine. A NUL in a message
    /// comes back as U+FFFD.
    ///
    /// # Errors
    ///
    /// `Trial` if its times are not positive and finite; `Locked`; `ReadOnly`; `DiskFull`.
    async fn record_trial(&self, study: &Study, trial: &Trial)
    -> Result<RecordOutcome, StoreError>;

    /// Writes completed trials in one transaction, and returns the number of new ones. Existing
    /// trials stay as they are.
    ///
    /// Stored trials survive the death of the process and of the machine.
    ///
    /// # Errors
    ///
    /// As [`Ledger::record_trial`], and then none is written; `Database` also if there is no such
    /// study.
    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError>;

    /// Returns the recorded ordinals among `ordinals`, in their order.
    ///
    /// # Errors
    ///
    /// `Locked`; `Database`.
    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError>;

    /// Writes the finals of a study. They replace finals over as many trials with the same
    /// tie-break.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`, also if the winner is no trial of the study.
    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError>;

    /// Returns all trials of a study by ordinal. An unreadable row is an error, because the
    /// search would run its trial again.
    ///
    /// # Errors
    ///
    /// `Value` if this build cannot read a row; `Locked`; `Database`.
    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError>;

    /// Returns the trials of a study that any process recorded after `seen`, and the new
    /// position. Leaves none out; may return one twice.
    ///
    /// # Errors
    ///
    /// As [`Ledger::trials_of`].
    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError>;

    /// Returns the recorded finals over this many trials with this tie-break.
    ///
    /// # Errors
    ///
    /// `Value` if this build cannot read the row; `Locked`; `Database`.
    async fn finals_of(
        &self,
        study: StudyId,
        trials: u32,
        ties: Ties,
    ) -> Result<Option<Finals>, StoreError>;

    /// Takes tasks of a study, and returns those that the owner now has, in their order. The
    /// others are done, or belong to another owner.
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

    /// Renews the owner's right to its tasks of the study, and returns the number of other
    /// owners.
    ///
    /// # Errors
    ///
    /// As [`Ledger::take`].
    async fn stay(&self, study: &Study, owner: &str) -> Result<u32, StoreError>;

    /// Gives back the owner's tasks of `study`, or of all studies if it is `None`.
    ///
    /// # Errors
    ///
    /// As [`Ledger::take`].
    async fn leave(&self, study: Option<&Study>, owner: &str) -> Result<(), StoreError>;

    /// Returns the time after which a silent owner loses its tasks.
    fn patience(&self) -> Duration;

    /// Checks that the database's files are still at their paths.
    ///
    /// # Errors
    ///
    /// `Displaced`.
    fn check_place(&self) -> Result<(), StoreError>;

    /// Returns the database's name for people, without a password.
    fn name(&self) -> String;
}
