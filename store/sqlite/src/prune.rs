//! Pruning: most trials of a study keep their time, and lose the samples behind it.

use std::collections::HashSet;

use sqlx::SqliteConnection;
use store::{PruningSummary, Status, StoreError, StoreFault, StudyId};
use store_relational::pruned_samples;

use crate::Sqlite;
use crate::dialect::transaction;
use crate::error::fault;

impl Sqlite {
    pub(crate) async fn prune_one(
        &self,
        id: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError> {
        // Take the write lock at once: no process may begin to work on the study after the check
        // below.
        transaction!(self, transaction);
        let workers = self.at_work(&mut transaction, id).await?;
        if !workers.is_empty() {
            let (study, owners) = (id, workers);
            return Err(fault(&self.path, StoreFault::AtWork { study, owners }));
        }
        let mut kept = HashSet::new();
        // Only these verdicts have times.
        for status in [Status::Right, Status::Tie] {
            kept.extend(self.fastest_of(&mut transaction, id, status, keep).await?);
        }
        let rows = sqlx::query!(
            r#"SELECT id AS "id!", time_us AS "time_us!", samples_us AS "samples_us!" FROM trial t
            WHERE study_id = ?1 AND role <> 'default' AND time_us IS NOT NULL AND instr(samples_us, ',') > 0
                AND NOT EXISTS (SELECT 1 FROM final f WHERE f.study_id = ?1 AND f.winner = t.ordinal)"#,
            id.0
        );
        let rows = rows.fetch_all(&mut *transaction).await;
        let mut pruned = PruningSummary::default();
        for row in rows.map_err(|e| self.error(e))? {
            if kept.contains(&row.id) {
                continue;
            }
            let samples = pruned_samples(row.time_us);
            pruned.add(&row.samples_us, &samples);
            if only_try {
                continue;
            }
            let update = sqlx::query!(
                "UPDATE trial SET samples_us = ?2 WHERE id = ?1",
                row.id,
                samples
            );
            let updated = update.execute(&mut *transaction).await;
            updated.map_err(|e| self.error(e))?;
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(pruned)
    }

    /// Returns the numbers of the fastest trials of a study that have this verdict. Excludes
    /// trials with a later trial of their configuration, because no answer contains them.
    async fn fastest_of(
        &self,
        connection: &mut SqliteConnection,
        id: StudyId,
        status: Status,
        limit: u32,
    ) -> Result<Vec<i64>, StoreError> {
        let status = status.name();
        let ids = sqlx::query_scalar!(
            r#"SELECT t.id AS "id!" FROM study s JOIN trial t ON t.study_id = s.id
            WHERE s.id = ?1 AND t.status = ?2 AND t.time_us IS NOT NULL AND t.configuration IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE o.problem_id = s.problem_id AND o.provenance_id = s.provenance_id
                        AND later.configuration_hash = t.configuration_hash AND later.id > t.id
                        AND later.status <> 'timed'
                )
            ORDER BY t.time_us, t.ordinal LIMIT ?3"#,
            id.0,
            status,
            limit
        );
        let ids = ids.fetch_all(connection).await;
        ids.map_err(|e| self.error(e))
    }
}
