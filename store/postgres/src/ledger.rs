//! The queries of `Ledger`.

use std::collections::HashSet;
use std::slice::from_ref;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use configgen::Problem;
use sqlx::PgConnection;
use store::{
    Finals, Ledger, LedgerPosition, Provenance, RecordOutcome, StoreError, StoreFault, Study,
    StudyId, StudyKey, Task, Ties, Trial,
};
use store_relational::{FinalColumns, PartColumns, TrialRow, features, millis};

use crate::Postgres;

#[async_trait]
impl Ledger for Postgres {
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError> {
        // Another process deletes problems and provenances without a study; until the commit,
        // these have none.
        let begun = self.begin().await;
        let mut transaction = begun.map_err(|e| self.error(e))?;
        let problem = self.problem(&mut transaction, &key.problem).await?;
        let provenance = self.provenance(&mut transaction, &key.provenance).await?;
        let now = millis(SystemTime::now());
        let (seed, ties) = (key.seed.cast_signed(), key.ties.map_or("", Ties::name));
        let number = number.map(|number| number.0);
        let study = sqlx::query!(
            r#"INSERT INTO study (
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
        // The count takes time in proportion to the trials, so it runs after the row locks are
        // released.
        let recorded = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!" FROM trial WHERE study_id = $1"#,
            study.id
        );
        let recorded = recorded.fetch_one(&self.pool).await;
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
        let mut connection = self.pool.acquire().await.map_err(|e| self.error(e))?;
        self.insert_trials(&mut connection, study, trials).await
    }

    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError> {
        let listed: Vec<i64> = ordinals.iter().copied().map(i64::from).collect();
        let ended = sqlx::query_scalar!(
            "SELECT ordinal FROM trial WHERE study_id = $1 AND ordinal = ANY($2)",
            study.0,
            &listed,
        );
        let ended = ended.fetch_all(&self.pool).await;
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
        let insert = sqlx::query!(
            "INSERT INTO final (study_id, trials, winner, speedup, low, high, samples, held, ended_at, ties)
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
        let inserted = insert.execute(&self.pool).await;
        inserted.map_err(|e| self.error(e))?;
        Ok(())
    }

    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        let rows = sqlx::query_as!(
            TrialRow,
            r#"SELECT id, study_id, ordinal, role, configuration, status, failure, message, time_us, samples_us,
                protocol, error, input_seed, compile_ms, millis(started_at) AS "started_ms!",
                millis(ended_at) AS "ended_ms!", FALSE AS "has_later!"
            FROM trial WHERE study_id = $1 ORDER BY ordinal"#,
            study.id.0
        );
        let rows = rows.fetch_all(&self.pool).await;
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
        let rows = sqlx::query_as!(
            TrialRow,
            r#"SELECT id, study_id, ordinal, role, configuration, status, failure, message, time_us, samples_us,
                protocol, error, input_seed, compile_ms, millis(started_at) AS "started_ms!",
                millis(ended_at) AS "ended_ms!", FALSE AS "has_later!"
            FROM trial WHERE study_id = $1 AND id > $2 AND id <= $3 ORDER BY id"#,
            study.0,
            seen.0,
            complete
        );
        let rows = rows.fetch_all(&self.pool).await;
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
        let row = sqlx::query!(
            r#"SELECT winner AS winner, speedup, low, high, samples, millis(ended_at) AS "ended_ms!"
            FROM final WHERE study_id = $1 AND trials = $2 AND ties = $3"#,
            study.0,
            i64::from(trials),
            name,
        );
        let row = row.fetch_optional(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        let columns = row.map(|row| FinalColumns {
            study_id: study.0,
            trials: trials.into(),
            winner: row.winner,
            ties: name.to_owned(),
            speedup: row.speedup,
            low: row.low,
            high: row.high,
            samples: row.samples,
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

    /// Does nothing: a server protects its files itself.
    fn check_place(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

impl Postgres {
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

    /// Returns the ID of a problem's row, which it creates if there is none.
    pub(crate) async fn problem(
        &self,
        connection: &mut PgConnection,
        problem: &Problem,
    ) -> Result<i64, StoreError> {
        let (text, known) = (problem.to_string(), features(problem));
        // The update changes nothing, but PostgreSQL returns an ID only of rows that it writes.
        // It also locks the row until the commit.
        let id = sqlx::query_scalar!(
            r#"INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
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
        connection: &mut PgConnection,
        made: &Provenance,
    ) -> Result<i64, StoreError> {
        let part = PartColumns::of(made.part.as_ref());
        let (target, generator) = (made.target.name, made.generator.name());
        let clock = made.clock.name();
        // The update changes nothing, but PostgreSQL returns an ID only of rows that it writes.
        // It also locks the row until the commit.
        let id = sqlx::query_scalar!(
            r#"INSERT INTO provenance (target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib,
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

/// Returns one column of these rows.
fn column<'a, T>(rows: &'a [TrialRow], of: fn(&'a TrialRow) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
