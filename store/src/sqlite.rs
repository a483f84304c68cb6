//! Every query of the store, in SQLite's SQL, checked against the schema when this file is compiled.

mod wishes;

use std::time::SystemTime;

use configgen::{Problem, Target};
use sqlx::SqliteConnection;

use crate::best::{ByStudy, Coverage, Fastest, Known, Ranking, by_study, rank};
use crate::connection::Connection;
use crate::row::{self, CoverageRow, StudyRow, TrialRow};
use crate::{
    Finals, Readable, Recorded, Status, Store, StoreError, Study, StudyKey, Ties, Trial, Unreadable,
};

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
        let (problem, now) = (key.problem.to_string(), row::millis(SystemTime::now()));
        let (target, generator, clock) = (key.target.name, key.generator.name(), key.clock.name());
        let made = &key.provenance;
        let seed = key.seed.cast_signed();
        let study = sqlx::query!(
            r#"INSERT INTO study (
                problem, target, device, generator, clock, timing, driver, compiler, compiler_version,
                generator_version, strategy, seed, bound_us, created_ms, opened_ms
            )
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14)
            ON CONFLICT DO UPDATE SET opened_ms = excluded.opened_ms
            RETURNING id AS "id!", bound_us"#,
            problem,
            target,
            key.device,
            generator,
            clock,
            made.timing,
            made.driver,
            made.compiler,
            made.compiler_version,
            made.generator_version,
            key.strategy,
            seed,
            bound_us,
            now,
        );
        let mut connection = self.connection().await?;
        let study = study.fetch_one(&mut *connection).await;
        let study = study.map_err(|e| self.error(e))?;
        let recorded = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!: i64" FROM trial WHERE study_id = ?1"#,
            study.id
        );
        let recorded = recorded.fetch_one(&mut *connection).await;
        Ok(Study {
            id: study.id,
            key: key.clone(),
            bound_us: study.bound_us,
            recorded: recorded.map_err(|e| self.error(e))?.cast_unsigned(),
        })
    }

    /// Writes a trial that has ended, in a transaction of its own. When this returns, the trial survives the death of
    /// the process and of the machine.
    ///
    /// # Errors
    ///
    /// `Trial` where its times are not positive and finite; `Locked`; `ReadOnly`; `Database` where the disk is full.
    pub async fn record_trial(&self, study: &Study, trial: &Trial) -> Result<Recorded, StoreError> {
        let row = TrialRow::new(study.id, trial)?;
        let configuration_hash = row.configuration_hash();
        let insert = sqlx::query!(
            "INSERT INTO trial (
                study_id, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
                samples_us, protocol, input_seed, compile_ms, started_ms, ended_ms
            )
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
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
            row.input_seed,
            row.compile_ms,
            row.started_ms,
            row.ended_ms,
        );
        let mut connection = self.connection().await?;
        let inserted = insert.execute(&mut *connection).await;
        let inserted = inserted.map_err(|e| self.error(e))?;
        self.files.check()?;
        match inserted.rows_affected() {
            0 => Ok(Recorded::AlreadyThere),
            _ => Ok(Recorded::Stored),
        }
    }

    /// Writes how a study ended, over how it ended with as many trials and the same index on ties before.
    ///
    /// # Errors
    ///
    /// `Locked`; `ReadOnly`; `Database`.
    pub async fn record_finals(&self, study: &Study, finals: &Finals) -> Result<(), StoreError> {
        let (low, high) = finals.interval;
        let (ties, ended_ms) = (finals.ties.name(), row::millis(finals.ended));
        let insert = sqlx::query!(
            "INSERT INTO final (study_id, trials, winner, speedup, low, high, samples, ended_ms, ties)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT DO UPDATE SET winner = excluded.winner, speedup = excluded.speedup, low = excluded.low,
                high = excluded.high, samples = excluded.samples, ended_ms = excluded.ended_ms",
            study.id,
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

    /// The trials of a study, by ordinal: all of them, for one that is left out would be tried again in its place.
    ///
    /// # Errors
    ///
    /// `Value` where a row is not what this build can read; `Locked`; `Database`.
    pub async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        let rows = sqlx::query_as!(
            TrialRow,
            "SELECT id, study_id, ordinal, role, configuration, status, failure, message, time_us, samples_us,
                protocol, input_seed, compile_ms, started_ms, ended_ms
            FROM trial WHERE study_id = ?1 ORDER BY ordinal",
            study.id
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let trials = rows.into_iter().map(TrialRow::trial);
        trials
            .collect::<Result<_, _>>()
            .map_err(|row| StoreError::Value {
                path: self.path.clone(),
                row,
            })
    }

    /// The rankings of a problem, on one target or on all, each with at most `depth` configurations, in the order of
    /// [`Ranking::is_taken_before`]. Empty where no trial may be served.
    ///
    /// # Errors
    ///
    /// `Locked`; `Database`. Rows that cannot be read are left out.
    pub async fn rankings(
        &self,
        problem: &Problem,
        target: Option<&Target>,
        ties: Ties,
        depth: u32,
    ) -> Result<Readable<Ranking>, StoreError> {
        let (problem, target) = (problem.to_string(), target.map(|target| target.name));
        let studies = sqlx::query_as!(
            StudyRow,
            "SELECT id, problem, target, device, generator, clock, timing, driver, compiler, compiler_version,
                generator_version, bound_us, opened_ms
            FROM study WHERE problem = ?1 AND (?2 IS NULL OR target = ?2)",
            problem,
            target
        );
        let mut connection = self.connection().await?;
        let studies = studies.fetch_all(&mut *connection).await;
        let studies = studies.map_err(|e| self.error(e))?;
        let mut found = self.rank(connection, studies, ties, depth).await?;
        (found.rows).sort_by(|one, other| one.is_taken_before(other, ties));
        Ok(found)
    }

    /// The rankings of everything, each with at most `depth` configurations: measured before modelled, then by problem
    /// and target, then in the order of [`Ranking::is_taken_before`].
    ///
    /// # Errors
    ///
    /// As [`Store::rankings`].
    pub async fn all_rankings(
        &self,
        ties: Ties,
        depth: u32,
    ) -> Result<Readable<Ranking>, StoreError> {
        let studies = sqlx::query_as!(
            StudyRow,
            "SELECT id, problem, target, device, generator, clock, timing, driver, compiler, compiler_version,
                generator_version, bound_us, opened_ms
            FROM study"
        );
        // The semaphore is never closed.
        let _turn = self.whole.acquire().await;
        let mut connection = self.connection().await?;
        let studies = studies.fetch_all(&mut *connection).await;
        let studies = studies.map_err(|e| self.error(e))?;
        let mut found = self.rank(connection, studies, ties, depth).await?;
        found.rows.sort_by(|one, other| {
            let place = |it: &Ranking| (it.clock, it.problem.clone(), it.target.name);
            (place(one).cmp(&place(other))).then_with(|| one.is_taken_before(other, ties))
        });
        Ok(found)
    }

    async fn rank(
        &self,
        mut connection: Connection,
        studies: Vec<StudyRow>,
        ties: Ties,
        depth: u32,
    ) -> Result<Readable<Ranking>, StoreError> {
        if studies.is_empty() {
            return Ok(Readable {
                rows: Vec::new(),
                unreadable: Unreadable::default(),
            });
        }
        let ids = row::json_array(studies.iter().map(|study| study.id));
        let mut unreadable = Unreadable::default();
        let of = &mut connection;
        let right = self
            .fastest_readable(of, &ids, Status::Right, depth)
            .await?;
        let tie = self.fastest_readable(of, &ids, Status::Tie, depth).await?;
        let known = Known {
            fastest: right.join(tie, &mut unreadable),
            generators: self.generators,
            defaults: self.defaults(of, &ids, &mut unreadable).await?,
            winners: self.winners(of, &ids, ties, &mut unreadable).await?,
        };
        let rows = rank(studies, known, ties, depth as usize, &mut unreadable);
        Ok(Readable { rows, unreadable })
    }

    /// Of each study the `depth` fastest trials with a verdict that may be served and that can be read.
    async fn fastest_readable(
        &self,
        connection: &mut Connection,
        ids: &str,
        status: Status,
        depth: u32,
    ) -> Result<Fastest, StoreError> {
        let mut limit = depth;
        loop {
            let fastest = Fastest::read(self.fastest(connection, ids, status, limit).await?);
            if !fastest.hides_others(limit, depth) {
                return Ok(fastest);
            }
            limit = limit.saturating_mul(8);
        }
    }

    /// Of each study the `limit` fastest trials with a verdict that may be served: the rule of `Status::is_served`. A
    /// trial is out when the same configuration had a later one with the same provenance, in whatever study and with
    /// whatever verdict: one whose latest trial was wrong is not served.
    async fn fastest(
        &self,
        connection: &mut Connection,
        ids: &str,
        status: Status,
        limit: u32,
    ) -> Result<Vec<TrialRow>, StoreError> {
        let (status, promising_less) = (status.name(), self.promising_less());
        let fastest = sqlx::query_as!(
            TrialRow,
            r#"SELECT t.id AS "id!", t.study_id AS "study_id!", t.ordinal AS "ordinal!", t.role AS "role!",
                t.configuration, t.status AS "status!", t.failure, t.message, t.time_us,
                t.samples_us, t.protocol, t.input_seed AS "input_seed!", t.compile_ms, t.started_ms AS "started_ms!",
                t.ended_ms AS "ended_ms!"
            FROM study s JOIN trial t ON t.id IN (
                SELECT x.id FROM trial x
                WHERE x.study_id = s.id AND x.time_us IS NOT NULL AND x.configuration IS NOT NULL
                    AND x.status = ?3
                    AND NOT EXISTS (
                        SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                        WHERE (o.problem, o.target, o.device, o.generator, o.clock, o.timing, o.driver, o.compiler,
                                o.compiler_version, o.generator_version)
                            = (s.problem, s.target, s.device, s.generator, s.clock, s.timing, s.driver, s.compiler,
                                s.compiler_version, s.generator_version)
                            AND later.configuration_hash = x.configuration_hash
                            AND (later.ended_ms, later.id) > (x.ended_ms, x.id)
                    )
                ORDER BY x.time_us, x.ordinal LIMIT ?2
            )
            WHERE s.id IN (SELECT value FROM json_each(?1)) AND (
                ?3 = 'right' OR s.generator IN (SELECT value FROM json_each(?4))
            )"#,
            ids,
            limit,
            status,
            promising_less
        );
        let fastest = fastest.fetch_all(&mut **connection).await;
        fastest.map_err(|e| self.error(e))
    }

    async fn defaults(
        &self,
        connection: &mut Connection,
        ids: &str,
        unreadable: &mut Unreadable,
    ) -> Result<ByStudy, StoreError> {
        let defaults = sqlx::query_as!(
            TrialRow,
            "SELECT id, study_id, ordinal, role, configuration, status, failure, message, time_us, samples_us,
                protocol, input_seed, compile_ms, started_ms, ended_ms
            FROM trial
            WHERE role = 'default' AND study_id IN (SELECT value FROM json_each(?1))",
            ids
        );
        let defaults = defaults.fetch_all(&mut **connection).await;
        let defaults = defaults.map_err(|e| self.error(e))?;
        Ok(by_study(defaults, unreadable))
    }

    /// The trials that finals decided for, the latest last, if the study has had no trial since and the configuration no
    /// later one. Finals among all decide among the right ones, too, where a right one won.
    async fn winners(
        &self,
        connection: &mut Connection,
        ids: &str,
        ties: Ties,
        unreadable: &mut Unreadable,
    ) -> Result<Vec<(i64, Trial)>, StoreError> {
        let (ties, promising_less) = (ties.name(), self.promising_less());
        let winners = sqlx::query_as!(
            TrialRow,
            r#"SELECT t.id AS "id!", t.study_id AS "study_id!", t.ordinal AS "ordinal!", t.role AS "role!",
                t.configuration, t.status AS "status!", t.failure, t.message, t.time_us,
                t.samples_us, t.protocol, t.input_seed AS "input_seed!", t.compile_ms, t.started_ms AS "started_ms!",
                t.ended_ms AS "ended_ms!"
            FROM final f JOIN study s ON s.id = f.study_id
                JOIN trial t ON t.study_id = f.study_id AND t.ordinal = f.winner
            WHERE f.study_id IN (SELECT value FROM json_each(?1))
                AND NOT EXISTS (
                    SELECT 1 FROM trial x WHERE x.study_id = f.study_id AND x.ordinal >= f.trials
                )
                AND t.time_us IS NOT NULL AND t.configuration IS NOT NULL
                AND (t.status = 'right' OR s.generator IN (SELECT value FROM json_each(?3)))
                AND (
                    f.ties = ?2 OR s.generator NOT IN (SELECT value FROM json_each(?3))
                    OR (?2 = 'fold' AND t.status = 'right')
                )
                AND NOT EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE (o.problem, o.target, o.device, o.generator, o.clock, o.timing, o.driver, o.compiler,
                            o.compiler_version, o.generator_version)
                        = (s.problem, s.target, s.device, s.generator, s.clock, s.timing, s.driver, s.compiler,
                            s.compiler_version, s.generator_version)
                        AND later.configuration_hash = t.configuration_hash
                        AND (later.ended_ms, later.id) > (t.ended_ms, t.id)
                )
            ORDER BY f.ended_ms"#,
            ids,
            ties,
            promising_less
        );
        let winners = winners.fetch_all(&mut **connection).await;
        let winners = winners.map_err(|e| self.error(e))?;
        let winners = winners.into_iter().filter_map(|row| {
            let study = row.study_id;
            Some((study, unreadable.note(row.trial())?))
        });
        Ok(winners.collect())
    }

    /// What has been tried of a problem on any target: of each study and verdict at most [`Coverage::COUNTED`] trials are
    /// counted, so that the answer takes as long for a million of them.
    ///
    /// # Errors
    ///
    /// As [`Store::rankings`].
    pub async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError> {
        let problem = problem.to_string();
        let counted = i64::try_from(Coverage::COUNTED).unwrap_or(i64::MAX);
        let rows = sqlx::query_as!(
            CoverageRow,
            r#"WITH verdict(name) AS (VALUES ('right'), ('tie'), ('wrong'), ('failed'))
            SELECT min(s.id) AS "id!: i64", s.target AS "target!", s.device AS "device!",
                s.generator AS "generator!", s.clock AS "clock!", v.name AS "status!: String",
                sum((
                    SELECT count(*) FROM (
                        SELECT 1 FROM trial t WHERE t.study_id = s.id AND t.status = v.name LIMIT ?2
                    )
                )) AS "trials!: i64"
            FROM study s, verdict v
            WHERE s.problem = ?1
            GROUP BY s.target, s.device, s.generator, s.clock, v.name
            ORDER BY s.target, s.device, s.generator, s.clock, v.name"#,
            problem,
            counted
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let mut unreadable = Unreadable::default();
        let known = rows.into_iter().filter(|row| row.trials > 0);
        let coverage = known.map(|row| row.coverage(self.generators));
        let rows = coverage.filter_map(|row| unreadable.note(row)).collect();
        Ok(Readable { rows, unreadable })
    }

    /// Whether the database still answers, and is still the file at its path.
    ///
    /// # Errors
    ///
    /// `Displaced`; `Busy`; `Locked`; `Unreadable`; `NotADatabase`; `Database`.
    pub async fn check(&self) -> Result<(), StoreError> {
        let any = sqlx::query_scalar!(r#"SELECT 1 AS "n!: i64" FROM study LIMIT 1"#);
        let mut connection = self.connection().await?;
        let any = any.fetch_optional(&mut *connection).await;
        any.map_err(|e| self.error(e))?;
        Ok(())
    }
}

/// What tells whose database a file is.
pub(crate) struct Header {
    /// Tables, indices and the like; 0 in an empty file.
    pub(crate) objects: i64,
    /// The program that the file belongs to.
    pub(crate) application_id: i64,
}

pub(crate) async fn header(connection: &mut SqliteConnection) -> Result<Header, sqlx::Error> {
    let objects = sqlx::query_scalar!(r#"SELECT count(*) AS "n!: i64" FROM sqlite_schema"#);
    // Not a macro: SQLite describes no columns of this pragma until it runs.
    let application_id = sqlx::query_scalar("PRAGMA application_id");
    Ok(Header {
        objects: objects.fetch_one(&mut *connection).await?,
        application_id: application_id.fetch_one(connection).await?,
    })
}
