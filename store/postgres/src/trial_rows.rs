//! The rows of trials. One statement writes many.

use sqlx::PgConnection;
use store::{StoreError, StudyId, Trial};
use store_relational::TrialRow;

use crate::Postgres;

impl Postgres {
    /// Writes the trials with new ordinals, and returns their number.
    pub(crate) async fn store_trials(
        &self,
        study: StudyId,
        trials: &[Trial],
    ) -> Result<u64, StoreError> {
        let mut connection = self.connection().await?;
        self.insert_trials(&mut connection, study, trials).await
    }

    /// Writes the trials with new ordinals, and returns their number.
    pub(crate) async fn insert_trials(
        &self,
        connection: &mut PgConnection,
        study: StudyId,
        trials: &[Trial],
    ) -> Result<u64, StoreError> {
        if trials.is_empty() {
            return Ok(0);
        }
        let rows = trials.iter().map(|trial| TrialRow::new(study, trial));
        let rows: Result<Vec<_>, _> = rows.collect();
        let rows = rows.map_err(|wrong| self.fault(wrong))?;
        let hashes: Vec<_> = rows.iter().map(TrialRow::configuration_hash).collect();
        // The database assigns numbers in the order of the list. It writes rows by ordinal,
        // because two writers of the same trials could otherwise deadlock.
        let insert = sqlx::query!(
            "INSERT INTO trial (
                id, study_id, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
                samples_us, protocol, error, input_seed, compile_ms, started_at, ended_at
            )
            SELECT number, $1, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
                samples_us, protocol, error, input_seed, compile_ms, at_millis(started_ms), at_millis(ended_ms)
            FROM (
                SELECT next_number($1) AS number, made.*
                FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                    $9::double precision[], $10::text[], $11::text[], $12::double precision[], $13::bigint[],
                    $14::double precision[], $15::bigint[], $16::bigint[])
                WITH ORDINALITY AS made (ordinal, role, configuration, configuration_hash, status, failure, message,
                    time_us, samples_us, protocol, error, input_seed, compile_ms, started_ms, ended_ms, place)
                ORDER BY place
            ) AS made
            ORDER BY ordinal, place
            ON CONFLICT (study_id, ordinal) DO NOTHING",
            study.0,
            &column(&rows, |row| row.ordinal),
            &column(&rows, |row| row.role.as_str()) as &[&str],
            &column(&rows, |row| row.configuration.as_deref()) as &[Option<&str>],
            &hashes as &[Option<String>],
            &column(&rows, |row| row.status.as_str()) as &[&str],
            &column(&rows, |row| row.failure.as_deref()) as &[Option<&str>],
            &column(&rows, |row| row.message.as_deref()) as &[Option<&str>],
            &column(&rows, |row| row.time_us) as &[Option<f64>],
            &column(&rows, |row| row.samples_us.as_deref()) as &[Option<&str>],
            &column(&rows, |row| row.protocol.as_deref()) as &[Option<&str>],
            &column(&rows, |row| row.error) as &[Option<f64>],
            &column(&rows, |row| row.input_seed),
            &column(&rows, |row| row.compile_ms) as &[Option<f64>],
            &column(&rows, |row| row.started_ms),
            &column(&rows, |row| row.ended_ms),
        );
        let inserted = insert.execute(connection).await;
        let inserted = inserted.map_err(|e| self.error(e))?;
        Ok(inserted.rows_affected())
    }
}

/// Returns one column of these rows.
fn column<'a, T>(rows: &'a [TrialRow], of: fn(&'a TrialRow) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
