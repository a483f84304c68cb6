//! Pruning: most trials of a study keep their time, and lose the samples behind it.

use std::collections::HashSet;

use sqlx::PgConnection;
use store::{PruningSummary, Status, StoreError, StoreFault, StudyId};
use store_relational::pruned_samples;

use crate::Postgres;

impl Postgres {
    pub(crate) async fn prune_one(
        &self,
        id: StudyId,
        keep: u32,
        only_try: bool,
    ) -> Result<PruningSummary, StoreError> {
        let begun = self.begin().await;
        let mut transaction = begun.map_err(|e| self.error(e))?;
        // Wait for the processes that record a trial of the study or take its tasks; later ones
        // wait for this transaction.
        let lock = sqlx::query!("SELECT id FROM study WHERE id = $1 FOR UPDATE", id.0);
        let locked = lock.fetch_optional(&mut *transaction).await;
        locked.map_err(|e| self.error(e))?;
        let owners = self.at_work(&mut transaction, id).await?;
        if !owners.is_empty() {
            return Err(self.fault(StoreFault::AtWork { study: id, owners }));
        }
        let mut kept = HashSet::new();
        // Only these verdicts have times.
        for status in [Status::Right, Status::Tie] {
            kept.extend(self.fastest_of(&mut transaction, id, status, keep).await?);
        }
        let rows = sqlx::query!(
            r#"SELECT id, time_us AS "time_us!", samples_us AS "samples_us!" FROM trial t
            WHERE study_id = $1 AND role <> 'default' AND time_us IS NOT NULL AND strpos(samples_us, ',') > 0
                AND NOT EXISTS (SELECT 1 FROM final f WHERE f.study_id = $1 AND f.winner = t.ordinal)"#,
            id.0
        );
        let rows = rows.fetch_all(&mut *transaction).await;
        let (mut pruned, mut ids, mut texts) = (PruningSummary::default(), Vec::new(), Vec::new());
        for row in rows.map_err(|e| self.error(e))? {
            if kept.contains(&row.id) {
                continue;
            }
            let samples = pruned_samples(row.time_us);
            pruned.add(&row.samples_us, &samples);
            ids.push(row.id);
            texts.push(samples);
        }
        // One statement for all rows: a round trip to the server for each would take long.
        if !only_try {
            let update = sqlx::query!(
                "UPDATE trial SET samples_us = made.samples FROM unnest($1::bigint[], $2::text[]) AS made (id, samples)
                WHERE trial.id = made.id",
                &ids,
                &texts
            );
            let updated = update.execute(&mut *transaction).await;
            updated.map_err(|e| self.error(e))?;
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        Ok(pruned)
    }

    /// Returns the numbers of the fastest trials of a study that have this verdict. Excludes
    /// trials with a later trial of their configuration, because no answer contains them.
    async fn fastest_of(
        &self,
        connection: &mut PgConnection,
        id: StudyId,
        status: Status,
        limit: u32,
    ) -> Result<Vec<i64>, StoreError> {
        let ids = sqlx::query_scalar!(
            "SELECT t.id FROM study s JOIN trial t ON t.study_id = s.id
            WHERE s.id = $1 AND t.status = $2 AND t.time_us IS NOT NULL AND t.configuration IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE o.problem_id = s.problem_id AND o.provenance_id = s.provenance_id
                        AND later.configuration_hash = t.configuration_hash AND later.id > t.id
                        AND later.status <> 'timed'
                )
            ORDER BY t.time_us, t.ordinal LIMIT $3",
            id.0,
            status.name(),
            i64::from(limit)
        );
        let ids = ids.fetch_all(connection).await;
        ids.map_err(|e| self.error(e))
    }
}
