//! The queries of `Ledger`.

use std::collections::HashSet;
use std::slice::from_ref;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use configgen::Problem;
use store::{
    Finals, Ledger, LedgerPosition, Provenance, RecordOutcome, StoreError, StoreFault, Study,
    StudyId, StudyKey, Task, Ties, Trial,
};
use store_relational::{FinalColumns, PartColumns, TrialRow, features, millis};

use crate::Database;
use crate::dialect::{DatabaseConnection, numbers, query, scalar, transaction, trials};

#[async_trait]
impl Ledger for Database {
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError> {
        // The block ends with the connection: the count below takes one of its own.
        let study = {
            // Another process deletes problems and provenances without a study; until the commit,
            // these have none.
            transaction!(self, transaction);
            let problem = self.problem(&mut transaction, &key.problem).await?;
            let provenance = self.provenance(&mut transaction, &key.provenance).await?;
            let now = millis(SystemTime::now());
            let (seed, ties) = (key.seed.cast_signed(), key.ties.map_or("", Ties::name));
            let number = number.map(|number| number.0);
            let study = query!(
                sqlite = r#"INSERT INTO study (
                    id, problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_ms, opened_ms
                )
                VALUES (
                    CASE WHEN ?9 IS NULL OR EXISTS (SELECT 1 FROM study WHERE id = ?9)
                        THEN 1 + max((SELECT coalesce(max(id), 0) FROM study), (SELECT coalesce(max(study_id), 0) FROM run))
                        ELSE ?9 END,
                    ?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(opened), 0) + 1 FROM study), ?8, ?8
                )
                ON CONFLICT (problem_id, provenance_id, strategy, space, ties, seed)
                DO UPDATE SET opened = excluded.opened, opened_ms = excluded.opened_ms
                RETURNING id AS "id!", bound_us"#,
                postgres = r#"INSERT INTO study (
                    id, problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_at,
                    opened_at
                )
                OVERRIDING SYSTEM VALUE
                VALUES (
                    CASE WHEN $9::bigint IS NULL OR EXISTS (SELECT 1 FROM study WHERE id = $9)
                        THEN nextval(pg_get_serial_sequence('study', 'id')) ELSE $9 END,
                    $1, $2, $3, $4, $5, $6, $7, next_number(0), at_millis($8), at_millis($8)
                )
                ON CONFLICT (problem_id, provenance_id, strategy, space, ties, seed)
                DO UPDATE SET opened = excluded.opened, opened_at = excluded.opened_at
                RETURNING id, bound_us"#,
                problem,
                provenance,
                key.strategy,
                key.space,
                ties,
                seed,
                bound_us,
                now,
                number,
            );
            let study = study.fetch_one(&mut *transaction).await;
            let study = study.map_err(|e| self.error(e))?;
            let committed = transaction.commit().await;
            committed.map_err(|e| self.error(e))?;
            study
        };
        // The count takes time in proportion to the trials, so it runs after the locks are
        // released.
        let recorded = scalar!(
            r#"SELECT count(*) AS "n!: i64" FROM trial WHERE study_id = $1"#,
            study.id
        );
        let recorded = recorded.fetch_one(&mut *self.connection().await?).await;
        Ok(Study {
            id: StudyId(study.id),
            key: key.clone(),
            bound_us: study.bound_us,
            recorded: recorded.map_err(|e| self.error(e))?.cast_unsigned(),
        })
    }

    async fn record_trial(
        &self,
        study: &Study,
        trial: &Trial,
    ) -> Result<RecordOutcome, StoreError> {
        match self.record_trials(study.id, from_ref(trial)).await? {
            0 => Ok(RecordOutcome::AlreadyThere),
            _ => Ok(RecordOutcome::Stored),
        }
    }

    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError> {
        let stored = self.store_trials(study, trials).await?;
        // SQLite also writes into a deleted file. The trials are stored only if the file is still
        // at its path.
        self.check_displacement()?;
        Ok(stored)
    }

    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError> {
        let listed: Vec<i64> = ordinals.iter().copied().map(i64::from).collect();
        let listed = numbers(&listed);
        // CROSS keeps the order of the tables: SQLite reads the list, and not all trials of the
        // study.
        let ended = scalar!(
            sqlite = r#"SELECT t.ordinal AS "ordinal!"
            FROM json_each(?2) CROSS JOIN trial t ON t.study_id = ?1 AND t.ordinal = value"#,
            postgres = "SELECT ordinal FROM trial WHERE study_id = $1 AND ordinal = ANY($2)",
            study.0,
            &listed,
        );
        let ended = ended.fetch_all(&mut *self.connection().await?).await;
        // The list may be in any order, and the caller wants its own.
        let ended = HashSet::<i64>::from_iter(ended.map_err(|e| self.error(e))?);
        let ordinals = ordinals.iter().copied();
        Ok(ordinals
            .filter(|&ordinal| ended.contains(&i64::from(ordinal)))
            .collect())
    }

    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError> {
        let (low, high) = finals.interval;
        let (ties, ended_ms) = (finals.ties.name(), millis(finals.ended));
        let (trials, winner) = (i64::from(finals.trials), i64::from(finals.winner));
        let insert = query!(
            sqlite = "INSERT INTO final (study_id, trials, winner, speedup, low, high, samples, held, ended_ms, ties)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(held), 0) + 1 FROM final), ?8, ?9)
            ON CONFLICT (study_id, trials, ties) DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup,
                low = excluded.low, high = excluded.high, samples = excluded.samples, held = excluded.held,
                ended_ms = excluded.ended_ms",
            postgres = "INSERT INTO final (study_id, trials, winner, speedup, low, high, samples, held, ended_at, ties)
            VALUES ($1, $2, $3, $4, $5, $6, $7, next_number($1), at_millis($8), $9)
            ON CONFLICT (study_id, trials, ties) DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup,
                low = excluded.low, high = excluded.high, samples = excluded.samples, held = excluded.held,
                ended_at = excluded.ended_at",
            study.0,
            trials,
            winner,
            finals.speedup,
            low,
            high,
            finals.samples,
            ended_ms,
            ties,
        );
        let inserted = insert.execute(&mut *self.connection().await?).await;
        inserted.map_err(|e| self.error(e))?;
        self.check_displacement()
    }

    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        let rows = trials!(
            later = "FALSE",
            "trial t WHERE study_id = $1 ORDER BY ordinal",
            study.id.0
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let trials = rows.into_iter().map(TrialRow::trial);
        trials
            .collect::<Result<_, _>>()
            .map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError> {
        // A transaction may commit a lower number after a higher one. Up to `complete`, no
        // further row can appear.
        let complete = self.complete_up_to(study.0).await?;
        let rows = trials!(
            later = "FALSE",
            "trial t WHERE study_id = $1 AND id > $2 AND id <= $3 ORDER BY id",
            study.0,
            seen.0,
            complete
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let seen = rows.last().map_or(seen, |last| LedgerPosition(last.id));
        let trials = rows.into_iter().map(TrialRow::trial);
        let trials: Result<_, _> = trials.collect();
        Ok((
            trials.map_err(|row| self.fault(StoreFault::Value(row)))?,
            seen,
        ))
    }

    async fn finals_of(
        &self,
        study: StudyId,
        trials: u32,
        ties: Ties,
    ) -> Result<Option<Finals>, StoreError> {
        let name = ties.name();
        let row = query!(
            sqlite = r#"SELECT winner AS "winner!", speedup AS "speedup!", low AS "low!", high AS "high!",
                samples AS "samples!: crate::Text", ended_ms AS "ended_ms!"
            FROM final WHERE study_id = ?1 AND trials = ?2 AND ties = ?3"#,
            postgres = r#"SELECT winner AS winner, speedup, low, high, samples, millis(ended_at) AS "ended_ms!"
            FROM final WHERE study_id = $1 AND trials = $2 AND ties = $3"#,
            study.0,
            i64::from(trials),
            name,
        );
        let row = row.fetch_optional(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
        let columns = row.map(|row| FinalColumns {
            study_id: study.0,
            trials: trials.into(),
            winner: row.winner,
            ties: name.to_owned(),
            speedup: row.speedup,
            low: row.low,
            high: row.high,
            samples: row.samples.into(),
            ended_ms: row.ended_ms,
        });
        let finals = columns.map(FinalColumns::finals).transpose();
        finals.map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn take(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError> {
        self.take_tasks(study, owner, tasks).await
    }

    async fn stay(&self, study: &Study, owner: &str) -> Result<u32, StoreError> {
        self.stay_at(study, owner).await
    }

    async fn leave(&self, study: Option<&Study>, owner: &str) -> Result<(), StoreError> {
        self.leave_work(study, owner).await
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn check_place(&self) -> Result<(), StoreError> {
        self.check_displacement()
    }

    fn name(&self) -> String {
        self.location()
    }
}

impl Database {
    /// Returns the ID of a problem's row, which it creates if there is none.
    pub(crate) async fn problem(
        &self,
        connection: &mut DatabaseConnection,
        problem: &Problem,
    ) -> Result<i64, StoreError> {
        let (text, known) = (problem.to_string(), features(problem));
        // The update changes nothing, but a database returns an ID only of rows that it writes.
        // PostgreSQL also locks the row until the commit.
        let id = scalar!(
            sqlite = r#"INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (text) DO UPDATE SET operation = excluded.operation
            RETURNING id AS "id!""#,
            postgres = r#"INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (hash) DO UPDATE SET operation = excluded.operation
            RETURNING id"#,
            text,
            known.operation,
            known.comparator,
            known.element,
            known.rank,
            known.rows,
            known.reduced,
        );
        let id = id.fetch_one(connection).await;
        id.map_err(|e| self.error(e))
    }

    /// Returns the ID of a provenance's row, which it creates if there is none.
    pub(crate) async fn provenance(
        &self,
        connection: &mut DatabaseConnection,
        made: &Provenance,
    ) -> Result<i64, StoreError> {
        let part = PartColumns::of(made.part.as_ref());
        let (target, generator) = (made.target.name, made.generator.name());
        let clock = made.clock.name();
        // The update changes nothing, but a database returns an ID only of rows that it writes.
        // PostgreSQL also locks the row until the commit.
        let id = scalar!(
            sqlite = r#"INSERT INTO provenance (target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib,
                memory_clock_mhz, memory_bits, driver, driver_version, runtime_version, kernel_driver_version, model,
                compiler, compiler_version, linker, generator, generator_version, compile_limit_s, clock, mode,
                protocol, inputs)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24)
            ON CONFLICT DO UPDATE SET target = excluded.target
            RETURNING id AS "id!""#,
            postgres = r#"INSERT INTO provenance (target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib,
                memory_clock_mhz, memory_bits, driver, driver_version, runtime_version, kernel_driver_version, model,
                compiler, compiler_version, linker, generator, generator_version, compile_limit_s, clock, mode,
                protocol, inputs)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24)
            ON CONFLICT ON CONSTRAINT provenance_is_one DO UPDATE SET target = excluded.target
            RETURNING id"#,
            target,
            made.device,
            part.name,
            part.isa,
            part.multiprocessors,
            part.clock_mhz,
            part.memory_mib,
            part.memory_clock_mhz,
            part.memory_bits,
            made.driver,
            made.driver_version,
            made.runtime_version,
            made.kernel_driver_version,
            made.model,
            made.compiler,
            made.compiler_version,
            made.linker,
            generator,
            made.generator_version,
            i64::from(made.compile_limit_s),
            clock,
            made.mode,
            i64::from(made.protocol),
            i64::from(made.inputs),
        );
        let id = id.fetch_one(connection).await;
        id.map_err(|e| self.error(e))
    }
}
