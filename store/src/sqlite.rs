//! Every query of the store, in SQLite's SQL, checked against the schema when this file is compiled.

use std::time::{Duration, SystemTime};

use configgen::{Problem, Target};
use sqlx::SqlitePool;

use crate::best::Coverage;
use crate::{Ranking, Recorded, Store, StoreError, Study, StudyKey, Trial};

impl Store {
    /// Starts the study with this key, or resumes it where it stood. `bound_us` is kept from the first time.
    ///
    /// # Errors
    ///
    /// `Locked`, `ReadOnly`, or `Database` where a text of the key is empty.
    pub async fn open_study(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
    ) -> Result<Study, StoreError> {
        todo!()
    }

    /// Writes a trial that has ended, in a transaction of its own. When this returns, the trial survives the death of
    /// the process and of the machine.
    ///
    /// # Errors
    ///
    /// `Trial` where its times are not positive and finite; `Locked`; `ReadOnly`; `Database` where the disk is full.
    pub async fn record_trial(&self, study: &Study, trial: &Trial) -> Result<Recorded, StoreError> {
        todo!()
    }

    /// The trials of a study, by ordinal.
    ///
    /// # Errors
    ///
    /// `Value` where a row is not what this build can read; `Locked`; `Database`.
    pub async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        todo!()
    }

    /// The rankings of a problem on a target, each with at most `depth` configurations: measured before modelled, then
    /// the one with the fastest configuration first. Empty where no trial may be served.
    ///
    /// # Errors
    ///
    /// As [`Store::trials_of`].
    pub async fn rankings(
        &self,
        problem: &Problem,
        target: &Target,
        depth: u32,
    ) -> Result<Vec<Ranking>, StoreError> {
        todo!()
    }

    /// The rankings of everything, each with at most `depth` configurations: measured before modelled, then by problem
    /// and target.
    ///
    /// # Errors
    ///
    /// As [`Store::trials_of`].
    pub async fn all_rankings(&self, depth: u32) -> Result<Vec<Ranking>, StoreError> {
        todo!()
    }

    /// What has been tried of a problem on any target.
    ///
    /// # Errors
    ///
    /// As [`Store::trials_of`].
    pub async fn coverage(&self, problem: &Problem) -> Result<Vec<Coverage>, StoreError> {
        todo!()
    }

    /// Notes that this was asked for and not known.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`.
    pub async fn record_wish(&self, problem: &Problem, target: &Target) -> Result<(), StoreError> {
        todo!()
    }
}
pub(crate) struct Header {
    pub(crate) tables: i64,
    pub(crate) application_id: i64,
}
pub(crate) async fn header(_pool: &SqlitePool) -> Result<Header, sqlx::Error> {
    todo!()
}
