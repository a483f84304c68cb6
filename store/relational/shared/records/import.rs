//! Import of a portion of another database's study.
//!
//! Only one transaction imports at a time. It renumbers rows of other studies, so two could
//! deadlock on PostgreSQL. Other processes can write meanwhile there.

use store::{Finals, ImportSummary, Portion, StoreError, StoreFault, StudyId, Ties};
use store_relational::{
    ImportDecision, StudyOpening, TrialRow, by_ordinal, fate, is_later, millis, rows_of_portion,
    time_of,
};

use crate::Database;
use crate::dialect::{
    DatabaseConnection, numbers, postgres_only, query, scalar, transaction, trials,
};

/// The study that imports a portion.
struct Receiver {
    id: StudyId,
    is_new: bool,
    problem: i64,
    provenance: i64,
}

impl Database {
    pub(super) async fn take_portion(
        &self,
        portion: &Portion,
        only_try: bool,
    ) -> Result<ImportSummary, StoreError> {
        let checked = portion.check();
        checked.map_err(|wrong| self.fault(StoreFault::Portion(wrong)))?;
        transaction!(self, transaction);
        postgres_only! {
            // The lock -1 is free: the gates of studies are their numbers, from 0 on.
            let turn = sqlx::query!("SELECT pg_advisory_xact_lock(-1)");
            let turn = turn.fetch_one(&mut *transaction).await;
            turn.map_err(|e| self.error(e))?;
        }
        let study = self.receiver(&mut transaction, portion).await?;
        let rows = rows_of_portion(study.id, portion);
        let rows = rows.map_err(|wrong| self.fault(wrong))?;
        let mut taken = ImportSummary {
            study: study.id,
            is_new: study.is_new,
            added: 0,
            replaced: 0,
            parted: None,
            finals: 0,
        };
        self.take_trials(&mut transaction, portion, &rows, &mut taken)
            .await?;
        for finals in &portion.finals {
            let id = study.id;
            let is_taken = self.take_finals(&mut transaction, id, finals, only_try);
            taken.finals += u64::from(is_taken.await?);
        }
        // Imported rows get new numbers at first; these calls restore the order by time.
        self.order_studies(&mut transaction, study.problem).await?;
        if taken.added + taken.replaced > 0 {
            let hashes = rows.iter().filter_map(TrialRow::configuration_hash);
            let group = (study.problem, study.provenance);
            self.order_trials(&mut transaction, group, hashes.collect())
                .await?;
        }
        if taken.finals > 0 {
            self.order_finals(&mut transaction, study.problem, study.provenance)
                .await?;
        }
        // A dry run makes all changes and rolls them back, so that its counts are exact.
        match only_try {
            true => transaction.rollback().await,
            false => transaction.commit().await,
        }
        .map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(taken)
    }

    /// Returns the study of a portion: a new one, or the existing one if no process works on it.
    /// Locks it, so that a process that begins to work on it waits.
    async fn receiver(
        &self,
        connection: &mut DatabaseConnection,
        portion: &Portion,
    ) -> Result<Receiver, StoreError> {
        let key = &portion.key;
        let problem = self.problem(connection, &key.problem).await?;
        let provenance = self.provenance(connection, &key.provenance).await?;
        let (seed, ties) = (key.seed.cast_signed(), key.ties.map_or("", Ties::name));
        let told = StudyOpening::of(portion);
        let known = query!(
            sqlite = r#"SELECT id AS "id!", bound_us, created_ms AS "created_ms!", opened_ms AS "opened_ms!" FROM study
            WHERE problem_id = ?1 AND provenance_id = ?2 AND strategy = ?3 AND space = ?4 AND ties = ?5 AND seed = ?6"#,
            postgres = r#"SELECT id, bound_us, millis(created_at) AS "created_ms!", millis(opened_at) AS "opened_ms!" FROM study
            WHERE problem_id = $1 AND provenance_id = $2 AND strategy = $3 AND space = $4 AND ties = $5 AND seed = $6
            FOR UPDATE"#,
            problem,
            provenance,
            key.strategy,
            key.space,
            ties,
            seed,
        );
        let known = known.fetch_optional(&mut *connection).await;
        let Some(known) = known.map_err(|e| self.error(e))? else {
            // This transaction has locked the problem's row, so no other opens the study
            // meanwhile.
            let insert = scalar!(
                sqlite = r#"INSERT INTO study (
                    id, problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_ms, opened_ms
                )
                VALUES (
                    1 + max((SELECT coalesce(max(id), 0) FROM study), (SELECT coalesce(max(study_id), 0) FROM run)), ?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(opened), 0) + 1 FROM study), ?8, ?9
                )
                RETURNING id AS "id!""#,
                postgres = "INSERT INTO study (
                    problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_at, opened_at
                )
                VALUES ($1, $2, $3, $4, $5, $6, $7, next_number(0), at_millis($8), at_millis($9))
                RETURNING id",
                problem,
                provenance,
                key.strategy,
                key.space,
                ties,
                seed,
                told.bound_us,
                told.created_ms,
                told.opened_ms,
            );
            let id = insert.fetch_one(connection).await;
            return Ok(Receiver {
                id: StudyId(id.map_err(|e| self.error(e))?),
                is_new: true,
                problem,
                provenance,
            });
        };
        let study = StudyId(known.id);
        let owners = self.at_work(connection, study).await?;
        if !owners.is_empty() {
            return Err(self.fault(StoreFault::AtWork { study, owners }));
        }
        let before = StudyOpening {
            created_ms: known.created_ms,
            opened_ms: known.opened_ms,
            bound_us: known.bound_us,
        };
        let opened = before.join(told);
        if opened != before {
            let update = query!(
                sqlite = "UPDATE study SET created_ms = ?2, opened_ms = ?3, bound_us = ?4,
                    opened = (SELECT max(opened) + 1 FROM study) WHERE id = ?1",
                postgres = "UPDATE study SET created_at = at_millis($2), opened_at = at_millis($3), bound_us = $4,
                    opened = next_number(0) WHERE id = $1",
                known.id,
                opened.created_ms,
                opened.opened_ms,
                opened.bound_us,
            );
            let updated = update.execute(connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(Receiver {
            id: study,
            is_new: false,
            problem,
            provenance,
        })
    }

    async fn take_trials(
        &self,
        connection: &mut DatabaseConnection,
        portion: &Portion,
        rows: &[TrialRow],
        taken: &mut ImportSummary,
    ) -> Result<(), StoreError> {
        let ordinals: Vec<i64> = rows.iter().map(|row| row.ordinal).collect();
        let ordinals = numbers(&ordinals);
        let known = trials!(
            later = "FALSE",
            sqlite = "json_each(?2) CROSS JOIN trial t ON t.study_id = ?1 AND t.ordinal = value",
            postgres = "trial t WHERE study_id = $1 AND ordinal = ANY($2)",
            taken.study.0,
            &ordinals,
        );
        let known = known.fetch_all(&mut *connection).await;
        let known = by_ordinal(known.map_err(|e| self.error(e))?);
        let (mut new, mut changed) = (Vec::new(), None);
        for row in rows {
            let ordinal = u32::try_from(row.ordinal).unwrap_or(u32::MAX);
            match fate(row, known.get(&row.ordinal)) {
                ImportDecision::Same => {}
                ImportDecision::Other => {
                    // Rows come in the order of their ends, so a later one may have a lower
                    // ordinal.
                    taken.parted = Some(taken.parted.map_or(ordinal, |it| it.min(ordinal)));
                }
                ImportDecision::Added => {
                    let trials = portion.trials.iter();
                    new.extend(trials.filter(|trial| trial.ordinal == ordinal).cloned());
                }
                ImportDecision::Replaces { another } => {
                    self.replace_trial(connection, row).await?;
                    taken.replaced += 1;
                    if another {
                        changed = Some(changed.map_or(row.ordinal, |it: i64| it.min(row.ordinal)));
                    }
                }
            }
        }
        // On PostgreSQL one statement inserts all: a round trip costs more than a row.
        let added = self.insert_trials(&mut *connection, taken.study, &new);
        taken.added = added.await?;
        let Some(changed) = changed else {
            return Ok(());
        };
        // These finals compared the replaced trial.
        let delete = query!(
            "DELETE FROM final WHERE study_id = $1 AND trials > $2",
            taken.study.0,
            changed
        );
        let deleted = delete.execute(&mut *connection).await;
        deleted.map(drop).map_err(|e| self.error(e))
    }

    async fn replace_trial(
        &self,
        connection: &mut DatabaseConnection,
        row: &TrialRow,
    ) -> Result<(), StoreError> {
        // The new number makes followers read the trial again.
        let replace = query!(
            sqlite = "UPDATE trial SET id = (SELECT max(id) + 1 FROM trial), role = ?3, configuration = ?4, configuration_hash = ?5,
                status = ?6, failure = ?7, message = ?8, time_us = ?9, samples_us = ?10, protocol = ?11, error = ?12,
                input_seed = ?13, compile_ms = ?14, started_ms = ?15, ended_ms = ?16
            WHERE study_id = ?1 AND ordinal = ?2",
            postgres = "UPDATE trial SET id = next_number($1), role = $3, configuration = $4, configuration_hash = $5, status = $6,
                failure = $7, message = $8, time_us = $9, samples_us = $10, protocol = $11, error = $12,
                input_seed = $13, compile_ms = $14, started_at = at_millis($15), ended_at = at_millis($16)
            WHERE study_id = $1 AND ordinal = $2",
            row.study_id,
            row.ordinal,
            row.role,
            row.configuration.as_deref(),
            row.configuration_hash(),
            row.status,
            row.failure.as_deref(),
            row.message.as_deref(),
            row.time_us,
            row.samples_us.as_deref(),
            row.protocol.as_deref(),
            row.error,
            row.input_seed,
            row.compile_ms,
            row.started_ms,
            row.ended_ms,
        );
        let replaced = replace.execute(connection).await;
        replaced.map(drop).map_err(|e| self.error(e))
    }

    /// Imports finals, unless the same or later ones are stored, and returns whether it did.
    async fn take_finals(
        &self,
        connection: &mut DatabaseConnection,
        study: StudyId,
        finals: &Finals,
        only_try: bool,
    ) -> Result<bool, StoreError> {
        let (ties, trials) = (finals.ties.name(), i64::from(finals.trials));
        let known = query!(
            sqlite = r#"SELECT winner AS "winner!", speedup AS "speedup!", low AS "low!", high AS "high!",
                samples AS "samples!: crate::Text", ended_ms AS "ended_ms!"
            FROM final WHERE study_id = ?1 AND trials = ?2 AND ties = ?3"#,
            postgres = r#"SELECT winner, speedup, low, high, samples, millis(ended_at) AS "ended_ms!"
            FROM final WHERE study_id = $1 AND trials = $2 AND ties = $3"#,
            study.0,
            trials,
            ties,
        );
        let known = known.fetch_optional(&mut *connection).await;
        let known = known.map_err(|e| self.error(e))?.map(|known| Finals {
            trials: finals.trials,
            winner: u32::try_from(known.winner).unwrap_or(u32::MAX),
            ties: finals.ties,
            speedup: known.speedup,
            interval: (known.low, known.high),
            samples: known.samples.into(),
            ended: time_of(known.ended_ms),
        });
        if !known.is_none_or(|known| is_later(finals, &known)) {
            return Ok(false);
        }
        // A dry run has not written the trials of earlier portions, so the winner may be missing.
        if only_try {
            return Ok(true);
        }
        let winner = i64::from(finals.winner);
        let trial = scalar!(
            sqlite = r#"SELECT id AS "id!" FROM trial WHERE study_id = ?1 AND ordinal = ?2"#,
            postgres = "SELECT id FROM trial WHERE study_id = $1 AND ordinal = $2",
            study.0,
            winner
        );
        let trial = trial.fetch_optional(&mut *connection).await;
        if trial.map_err(|e| self.error(e))?.is_none() {
            let wrong = format!("trial {winner} won finals, and is missing");
            return Err(self.fault(StoreFault::Portion(wrong)));
        }
        let (low, high) = finals.interval;
        let insert = query!(
            sqlite = "INSERT INTO final (study_id, trials, ties, winner, speedup, low, high, samples, ended_ms, held)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT coalesce(max(held), 0) + 1 FROM final))
            ON CONFLICT (study_id, trials, ties) DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup,
                low = excluded.low, high = excluded.high, samples = excluded.samples, ended_ms = excluded.ended_ms,
                held = excluded.held",
            postgres = "INSERT INTO final (study_id, trials, ties, winner, speedup, low, high, samples, ended_at, held)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, at_millis($9), next_number($1))
            ON CONFLICT (study_id, trials, ties) DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup,
                low = excluded.low, high = excluded.high, samples = excluded.samples, ended_at = excluded.ended_at,
                held = excluded.held",
            study.0,
            trials,
            ties,
            winner,
            finals.speedup,
            low,
            high,
            finals.samples,
            millis(finals.ended),
        );
        let inserted = insert.execute(connection).await;
        inserted.map_err(|e| self.error(e))?;
        Ok(true)
    }
}
