//! The rows of trials. A statement writes one.

use sqlx::SqliteConnection;
use store::{StoreError, StudyId, Trial};
use store_relational::TrialRow;

use crate::Sqlite;
use crate::dialect::transaction;

impl Sqlite {
    /// Writes the trials with new ordinals in one transaction, and returns their number.
    pub(crate) async fn store_trials(
        &self,
        study: StudyId,
        trials: &[Trial],
    ) -> Result<u64, StoreError> {
        if trials.is_empty() {
            return Ok(0);
        }
        transaction!(self, transaction);
        let stored = self.insert_trials(&mut transaction, study, trials).await?;
        let committed = transaction.commit().await;
        committed.map_err(|e| self.error(e))?;
        Ok(stored)
    }

    /// Writes the trials with new ordinals, and returns their number.
    pub(crate) async fn insert_trials(
        &self,
        connection: &mut SqliteConnection,
        study: StudyId,
        trials: &[Trial],
    ) -> Result<u64, StoreError> {
        let rows = trials.iter().map(|trial| TrialRow::new(study, trial));
        let rows: Result<Vec<_>, _> = rows.collect();
        let mut stored = 0;
        for row in &rows.map_err(|wrong| self.fault(wrong))? {
            stored += self.insert_trial(connection, row).await?;
        }
        Ok(stored)
    }

    async fn insert_trial(
        &self,
        connection: &mut SqliteConnection,
        row: &TrialRow,
    ) -> Result<u64, StoreError> {
        let configuration_hash = row.configuration_hash();
        let insert = sqlx::query!(
            "INSERT INTO trial (
                study_id, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
                samples_us, protocol, error, input_seed, compile_ms, started_ms, ended_ms
            )
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            ON CONFLICT (study_id, ordinal) DO NOTHING",
            row.study_id,
            row.ordinal,
            row.role,
            row.configuration,
            configuration_hash,
            row.status,
            row.failure,
            row.message,
            row.time_us,
            row.samples_us,
            row.protocol,
            row.error,
            row.input_seed,
            row.compile_ms,
            row.started_ms,
            row.ended_ms,
        );
        let inserted = insert.execute(connection).await;
        Ok(inserted.map_err(|e| self.error(e))?.rows_affected())
    }
}
