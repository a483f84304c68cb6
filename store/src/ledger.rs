//! The ledger: what a study writes into, and goes on from.

use async_trait::async_trait;

use crate::{Finals, StoreError, Study, StudyKey, Trial};

/// What became of a trial that was to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is in the database.
    Stored,
    /// The study had a trial with this ordinal, which stays as it is: another process works on the same study.
    AlreadyThere,
}

/// A database in which studies are kept.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Starts the study with this key, or resumes it where it stood. `bound_us` is kept from the first time.
    ///
    /// # Errors
    ///
    /// `Locked`, `ReadOnly`, or `Database` where a text of the key that may not be empty is.
    async fn open_study(&self, key: &StudyKey, bound_us: Option<f64>) -> Result<Study, StoreError>;

    /// Writes a trial that has ended, in a transaction of its own. When this returns, the trial survives the death of
    /// the process and of the machine.
    ///
    /// # Errors
    ///
    /// `Trial` where its times are not positive and finite; `Locked`; `ReadOnly`; `Database` where the disk is full.
    async fn record_trial(&self, study: &Study, trial: &Trial) -> Result<Recorded, StoreError>;

    /// Writes how a study ended, over how it ended with as many trials and the same index on ties before.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`, also where the winner is no trial of the study.
    async fn record_finals(&self, study: &Study, finals: &Finals) -> Result<(), StoreError>;

    /// The trials of a study, by ordinal: all of them, for one that is left out would be tried again in its place.
    ///
    /// # Errors
    ///
    /// `Value` where a row is not what this build can read; `Locked`; `Database`.
    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError>;

    /// Whether what was written is where it is looked for.
    ///
    /// # Errors
    ///
    /// `Displaced`.
    fn check_place(&self) -> Result<(), StoreError>;

    /// The database's name, for people.
    fn name(&self) -> String;
}
