//! The queries of `Ledger`.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use configgen::Problem;
use sqlx::{Connection as _, SqliteConnection};
use store::{
    Finals, Ledger, LedgerPosition, Provenance, RecordOutcome, StoreError, StoreFault, Study,
    StudyId, StudyKey, Task, Ties, Trial,
};
use store_relational::{FinalColumns, PartColumns, TrialRow, features, millis};

use crate::Sqlite;
use crate::error::fault;
use crate::query::trials;

#[async_trait]
impl Ledger for Sqlite {
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError> {
        let mut connection = self.connection().await?;
        // Another process deletes problems and provenances without a study; until the commit,
        // these have none.
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        let problem = self.problem(&mut transaction, &key.problem).await?;
        let provenance = self.provenance(&mut transaction, &key.provenance).await?;
        let now = millis(SystemTime::now());
        let (seed, ties) = (key.seed.cast_signed(), key.ties.map_or("", Ties::name));
        let number = number.map(|number| number.0);
        let study = sqlx::query!(
            r#"INSERT INTO study (
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
        // The count takes time in proportion to the trials, so it runs after the write lock is
        // released.
        let recorded = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!: i64" FROM trial WHERE study_id = ?1"#,
            study.id
        );
        let recorded = recorded.fetch_one(&mut *connection).await;
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
        let row = TrialRow::new(study.id, trial).map_err(|wrong| fault(&self.path, wrong))?;
        let mut connection = self.connection().await?;
        let recorded = self.insert_trial(&mut connection, &row).await?;
        // SQLite also writes into a deleted file. The trial is stored only if the file is still
        // at its path.
        self.files.check()?;
        Ok(recorded)
    }

    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError> {
        if trials.is_empty() {
            return Ok(0);
        }
        let rows = trials.iter().map(|trial| TrialRow::new(study, trial));
        let rows: Result<Vec<_>, _> = rows.collect();
        let rows = rows.map_err(|wrong| fault(&self.path, wrong))?;
        let mut connection = self.connection().await?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        let mut stored = 0;
        for row in &rows {
            let recorded = self.insert_trial(&mut transaction, row).await?;
            stored += u64::from(recorded == RecordOutcome::Stored);
        }
        let committed = transaction.commit().await;
        committed.map_err(|e| self.error(e))?;
        // SQLite also writes into a deleted file. The trials are stored only if the file is still
        // at its path.
        self.files.check()?;
        Ok(stored)
    }

    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError> {
        let listed = serde_json::to_string(ordinals).expect("numbers are JSON");
        // CROSS keeps the order of the tables: SQLite reads the list, and not all trials of the
        // study.
        let ended = sqlx::query_scalar!(
            r#"SELECT t.ordinal AS "ordinal!: u32"
            FROM json_each(?2) CROSS JOIN trial t ON t.study_id = ?1 AND t.ordinal = value ORDER BY key"#,
            study.0,
            listed,
        );
        let mut connection = self.connection().await?;
        let ended = ended.fetch_all(&mut *connection).await;
        ended.map_err(|e| self.error(e))
    }

    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError> {
        let (low, high) = finals.interval;
        let (ties, ended_ms) = (finals.ties.name(), millis(finals.ended));
        let insert = sqlx::query!(
            "INSERT INTO final (study_id, trials, winner, speedup, low, high, samples, held, ended_ms, ties)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(held), 0) + 1 FROM final), ?8, ?9)
            ON CONFLICT (study_id, trials, ties) DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup,
                low = excluded.low, high = excluded.high, samples = excluded.samples, held = excluded.held,
                ended_ms = excluded.ended_ms",
            study.0,
            finals.trials,
            finals.winner,
            finals.speedup,
            low,
            high,
            finals.samples,
            ended_ms,
            ties,
        );
        let mut connection = self.connection().await?;
        let inserted = insert.execute(&mut *connection).await;
        inserted.map_err(|e| self.error(e))?;
        self.files.check()
    }

    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        let rows = trials!(
            "FALSE",
            "trial t WHERE study_id = ?1 ORDER BY ordinal",
            study.id.0
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let trials = rows.into_iter().map(TrialRow::trial);
        trials
            .collect::<Result<_, _>>()
            .map_err(|row| fault(&self.path, StoreFault::Value(row)))
    }

    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError> {
        // Ids rise in the order of commits, because SQLite has one writer at a time.
        let rows = trials!(
            "FALSE",
            "trial t WHERE study_id = ?1 AND id > ?2 ORDER BY id",
            study.0,
            seen.0
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let seen = rows.last().map_or(seen, |last| LedgerPosition(last.id));
        let trials = rows.into_iter().map(TrialRow::trial);
        let trials: Result<_, _> = trials.collect();
        Ok((
            trials.map_err(|row| fault(&self.path, StoreFault::Value(row)))?,
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
        let row = sqlx::query!(
            r#"SELECT winner AS "winner!: u32", speedup AS "speedup!", low AS "low!", high AS "high!",
                samples AS "samples!: crate::Text", ended_ms AS "ended_ms!"
            FROM final WHERE study_id = ?1 AND trials = ?2 AND ties = ?3"#,
            study.0,
            trials,
            name,
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        let columns = row.map(|row| FinalColumns {
            study_id: study.0,
            trials: trials.into(),
            winner: row.winner.into(),
            ties: name.to_owned(),
            speedup: row.speedup,
            low: row.low,
            high: row.high,
            samples: row.samples.into(),
            ended_ms: row.ended_ms,
        });
        let finals = columns.map(FinalColumns::finals).transpose();
        finals.map_err(|row| fault(&self.path, StoreFault::Value(row)))
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
        self.files.check()
    }

    fn name(&self) -> String {
        match &self.copy {
            Some(copy) => copy.of.clone(),
            None => self.path.display().to_string(),
        }
    }
}

impl Sqlite {
    /// Writes a trial, unless the study has one with its ordinal.
    pub(crate) async fn insert_trial(
        &self,
        connection: &mut SqliteConnection,
        row: &TrialRow,
    ) -> Result<RecordOutcome, StoreError> {
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
        match inserted.map_err(|e| self.error(e))?.rows_affected() {
            0 => Ok(RecordOutcome::AlreadyThere),
            _ => Ok(RecordOutcome::Stored),
        }
    }

    /// Returns the ID of a problem's row, which it creates if there is none.
    pub(crate) async fn problem(
        &self,
        connection: &mut SqliteConnection,
        problem: &Problem,
    ) -> Result<i64, StoreError> {
        let (text, known) = (problem.to_string(), features(problem));
        // The update changes nothing, but SQLite returns an ID only of rows that it writes.
        let id = sqlx::query_scalar!(
            r#"INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (text) DO UPDATE SET operation = excluded.operation
            RETURNING id AS "id!""#,
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
        connection: &mut SqliteConnection,
        made: &Provenance,
    ) -> Result<i64, StoreError> {
        let part = PartColumns::of(made.part.as_ref());
        let (target, generator) = (made.target.name, made.generator.name());
        let clock = made.clock.name();
        // The update changes nothing, but SQLite returns an ID only of rows that it writes.
        let id = sqlx::query_scalar!(
            r#"INSERT INTO provenance (target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib,
                memory_clock_mhz, memory_bits, driver, driver_version, runtime_version, kernel_driver_version, model,
                compiler, compiler_version, linker, generator, generator_version, compile_limit_s, clock, mode,
                protocol, inputs)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24)
            ON CONFLICT DO UPDATE SET target = excluded.target
            RETURNING id AS "id!""#,
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
            made.compile_limit_s,
            clock,
            made.mode,
            made.protocol,
            made.inputs,
        );
        let id = id.fetch_one(connection).await;
        id.map_err(|e| self.error(e))
    }
}
