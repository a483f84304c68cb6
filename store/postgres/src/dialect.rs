//! The dialect of the text that both stores share: queries in PostgreSQL's SQL, lists as
//! parameters, and transactions.
//!
//! `store/relational/shared` has each query in both dialects. A macro here takes the text of this
//! one, and the compiler checks it.

use sqlx::pool::PoolConnection;
use store::{StoreError, StudyId};

use crate::Postgres;

pub(crate) type DatabaseConnection = sqlx::PgConnection;

/// A list of studies as a parameter.
pub(crate) type StudyList = [i64];

/// Builds a query from PostgreSQL's text of it, or from the text of both.
macro_rules! query {
    (sqlite = $other:literal, postgres = $sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query!($sql $(, $($arguments)*)?)
    };
    ($sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query!($sql $(, $($arguments)*)?)
    };
}

/// Builds a query of one value a row, as [`query`] does.
macro_rules! scalar {
    (sqlite = $other:literal, postgres = $sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_scalar!($sql $(, $($arguments)*)?)
    };
    ($sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_scalar!($sql $(, $($arguments)*)?)
    };
}

/// Builds a query of rows of a type, as [`query`] does.
macro_rules! rows {
    ($row:path, sqlite = $other:literal, postgres = $sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_as!($row, $sql $(, $($arguments)*)?)
    };
}

/// Builds the query of the studies that meet a condition on `s`, `p` and `v`: study, problem,
/// provenance.
macro_rules! studies {
    (sqlite = $($other:literal)+, postgres = $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        studies!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::StudyRow,
            r#"SELECT s.id AS "id!", p.text, v.target, v.device, v.part_name, v.part_isa, v.multiprocessors,
                v.clock_mhz, v.memory_mib, v.memory_clock_mhz, v.memory_bits, v.driver, v.driver_version,
                v.runtime_version, v.kernel_driver_version, v.model, v.compiler, v.compiler_version, v.linker,
                v.generator, v.generator_version, v.compile_limit_s, v.clock, v.mode, v.protocol, v.inputs,
                s.bound_us, s.opened, s.strategy, s.space, s.ties, s.seed, millis(s.created_at) AS "created_ms!",
                millis(s.opened_at) AS "opened_ms!"
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id "#
                $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of trials from a source of rows `t`, and from the condition that a later
/// trial has the configuration.
macro_rules! trials {
    (later = $later:literal, sqlite = $($other:literal)+, postgres = $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        trials!(later = $later, $($sql)+ $(, $($arguments)*)?)
    };
    (later = $later:literal, $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::TrialRow,
            r#"SELECT t.id AS "id!", t.study_id AS "study_id!", t.ordinal AS "ordinal!", t.role AS "role!",
                t.configuration, t.status AS "status!", t.failure, t.message, t.time_us, t.samples_us, t.protocol,
                t.error, t.input_seed AS "input_seed!", t.compile_ms, millis(t.started_at) AS "started_ms!",
                millis(t.ended_at) AS "ended_ms!", "# + $later + r#" AS "has_later!" FROM "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of the runs that meet a condition.
macro_rules! runs {
    (sqlite = $($other:literal)+, postgres = $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        runs!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::RunRow,
            r#"SELECT study_id, ordered, state, reason, director,
                millis(clock_timestamp()) - millis(heard_at) AS silent_ms, progress, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!", submitter, urgent
            FROM run "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of the models that meet a condition.
macro_rules! models {
    (sqlite = $($other:literal)+, postgres = $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        models!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::ModelRow,
            r#"SELECT number, id, request, state, reason, profiles, summary, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!"
            FROM submitted_model "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Expands to statements that SQLite does not need: locks of rows.
macro_rules! postgres_only {
    ($($statements:tt)*) => {
        $($statements)*
    };
}

/// Begins a transaction.
macro_rules! transaction {
    ($store:expr, $transaction:ident) => {
        let begun = $store.begin().await;
        #[allow(unused_mut, reason = "some callers only commit")]
        let mut $transaction = begun.map_err(|e| $store.error(e))?;
    };
}

/// Builds the update of the runs that their directors report.
macro_rules! director_reports {
    ($reports:expr) => {{
        let studies: Vec<i64> = $reports.iter().map(|report| report.study.0).collect();
        let directors: Vec<_> = $reports.iter().map(|it| it.director.as_str()).collect();
        let progress: Vec<_> = $reports.iter().map(|it| it.progress.as_deref()).collect();
        sqlx::query_scalar!(
            "UPDATE run SET heard_at = clock_timestamp(), progress = coalesce(report.progress, run.progress)
            FROM unnest($1::bigint[], $2::text[], $3::text[]) AS report (study_id, director, progress)
            WHERE run.study_id = report.study_id AND run.director = report.director AND run.state = 'running'
            RETURNING run.study_id",
            &studies,
            &directors as &[&str],
            &progress as &[Option<&str>],
        )
    }};
}

pub(crate) use {
    director_reports, models, postgres_only, query, rows, runs, scalar, studies, transaction,
    trials,
};

/// Returns the IDs of studies as one parameter.
pub(crate) fn list(of: &[StudyId]) -> Vec<i64> {
    of.iter().map(|id| id.0).collect()
}

/// Returns the studies of a stored list.
pub(crate) fn stored_list(studies: Vec<i64>) -> Option<Vec<i64>> {
    Some(studies)
}

/// Returns numbers as one parameter.
pub(crate) fn numbers(numbers: &[i64]) -> Vec<i64> {
    numbers.to_vec()
}

/// Returns words as one parameter.
pub(crate) fn words<T: AsRef<str>>(words: &[T]) -> Vec<String> {
    words.iter().map(|word| word.as_ref().to_owned()).collect()
}

impl Postgres {
    /// Does nothing: a server protects its files itself.
    pub(crate) fn check_displacement(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the place of the database for messages.
    pub(crate) fn location(&self) -> String {
        self.name.clone()
    }

    /// Returns a connection of the pool.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<sqlx::Postgres>, StoreError> {
        self.pool.acquire().await.map_err(|e| self.error(e))
    }
}
