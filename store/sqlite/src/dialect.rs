//! The dialect of the text that both stores share: queries in SQLite's SQL, lists as parameters,
//! and transactions.
//!
//! `store/relational/shared` has each query in both dialects. A macro here takes the text of this
//! one, and the compiler checks it.

use store::{StoreError, StoreFault, StudyId};

use crate::Sqlite;
use crate::error::fault;

pub(crate) type DatabaseConnection = sqlx::SqliteConnection;

/// A list of studies as a parameter.
pub(crate) type StudyList = str;

/// Builds a query from SQLite's text of it, or from the text of both.
macro_rules! query {
    (sqlite = $sql:literal, postgres = $other:literal $(, $($arguments:tt)*)?) => {
        sqlx::query!($sql $(, $($arguments)*)?)
    };
    ($sql:literal $(, $($arguments:tt)*)?) => {
        // The space makes it another text than PostgreSQL's: .sqlx has one record for each.
        sqlx::query!($sql + " " $(, $($arguments)*)?)
    };
}

/// Builds a query of one value a row, as [`query`] does.
macro_rules! scalar {
    (sqlite = $sql:literal, postgres = $other:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_scalar!($sql $(, $($arguments)*)?)
    };
    ($sql:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_scalar!($sql + " " $(, $($arguments)*)?)
    };
}

/// Builds a query of rows of a type, as [`query`] does.
macro_rules! rows {
    ($row:path, sqlite = $sql:literal, postgres = $other:literal $(, $($arguments:tt)*)?) => {
        sqlx::query_as!($row, $sql $(, $($arguments)*)?)
    };
}

/// Builds the query of the studies that meet a condition on `s`, `p` and `v`: study, problem,
/// provenance.
macro_rules! studies {
    (sqlite = $($sql:literal)+, postgres = $($other:literal)+ $(, $($arguments:tt)*)?) => {
        studies!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::StudyRow,
            r#"SELECT s.id AS "id!", p.text AS "text!: crate::Text", v.target AS "target!: crate::Text",
                v.device AS "device!: crate::Text", v.part_name AS "part_name!: crate::Text",
                v.part_isa AS "part_isa!: crate::Text", v.multiprocessors, v.clock_mhz, v.memory_mib, v.memory_clock_mhz,
                v.memory_bits, v.driver AS "driver!: crate::Text", v.driver_version AS "driver_version!: crate::Text",
                v.runtime_version AS "runtime_version!: crate::Text",
                v.kernel_driver_version AS "kernel_driver_version!: crate::Text", v.model AS "model!: crate::Text",
                v.compiler AS "compiler!: crate::Text", v.compiler_version AS "compiler_version!: crate::Text",
                v.linker AS "linker!: crate::Text", v.generator AS "generator!: crate::Text",
                v.generator_version AS "generator_version!: crate::Text", v.compile_limit_s, v.clock AS "clock!: crate::Text",
                v.mode AS "mode!: crate::Text", v.protocol, v.inputs, s.bound_us, s.opened,
                s.strategy AS "strategy!: crate::Text", s.space AS "space!: crate::Text", s.ties AS "ties!: crate::Text",
                s.seed, s.created_ms, s.opened_ms
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id "#
                $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of trials from a source of rows `t`, and from the condition that a later
/// trial has the configuration.
macro_rules! trials {
    (later = $later:literal, sqlite = $($sql:literal)+, postgres = $($other:literal)+ $(, $($arguments:tt)*)?) => {
        trials!(later = $later, $($sql)+ $(, $($arguments)*)?)
    };
    (later = $later:literal, $($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::TrialRow,
            r#"SELECT t.id AS "id!", t.study_id AS "study_id!", t.ordinal AS "ordinal!", t.role AS "role!: crate::Text",
                t.configuration AS "configuration!: crate::Text", t.status AS "status!: crate::Text",
                t.failure AS "failure!: crate::Text", t.message AS "message!: crate::Text", t.time_us,
                t.samples_us AS "samples_us!: crate::Text", t.protocol AS "protocol!: crate::Text", t.error,
                t.input_seed AS "input_seed!", t.compile_ms, t.started_ms AS "started_ms!", t.ended_ms AS "ended_ms!",
                "# + $later + r#" AS "has_later!: bool" FROM "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of the runs that meet a condition.
macro_rules! runs {
    (sqlite = $($sql:literal)+, postgres = $($other:literal)+ $(, $($arguments:tt)*)?) => {
        runs!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::RunRow,
            r#"SELECT study_id, ordered AS "ordered!: crate::Text", state AS "state!: crate::Text",
                reason AS "reason!: crate::Text", director AS "director!: crate::Text",
                CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms AS "silent_ms?: i64",
                progress AS "progress!: crate::Text", asked_ms, changed_ms, submitter, urgent AS "urgent: bool"
            FROM run "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Builds the query of the models that meet a condition.
macro_rules! models {
    (sqlite = $($sql:literal)+, postgres = $($other:literal)+ $(, $($arguments:tt)*)?) => {
        models!($($sql)+ $(, $($arguments)*)?)
    };
    ($($sql:literal)+ $(, $($arguments:tt)*)?) => {
        sqlx::query_as!(
            store_relational::ModelRow,
            r#"SELECT number AS "number!", id AS "id!: crate::Text", request AS "request!: crate::Text",
                state AS "state!: crate::Text", reason AS "reason!: crate::Text", profiles,
                summary AS "summary!: crate::Text", asked_ms, changed_ms
            FROM submitted_model "# $(+ $sql)+
            $(, $($arguments)*)?
        )
    };
}

/// Expands to statements that only PostgreSQL needs: nothing here.
macro_rules! postgres_only {
    ($($statements:tt)*) => {};
}

/// Begins a transaction with SQLite's write lock. A write after a read would fail if another
/// process wrote meanwhile.
///
/// Waits as long as others write. SQLite's waiters have no order, so one of many may be passed by
/// for longer than the time limit.
macro_rules! transaction {
    ($store:expr, $transaction:ident) => {
        let mut connection = $store.connection().await?;
        let mut seen = connection.commits_of_others().await;
        let begun = loop {
            let begin = sqlx::Connection::begin_with(&mut *connection, "BEGIN IMMEDIATE");
            let error = match begin.await {
                Ok(begun) => break Ok(begun),
                Err(error) => error,
            };
            let now = connection.commits_of_others().await;
            if !crate::error::is_locked(&error) || now == seen {
                break Err(error);
            }
            seen = now;
        };
        #[allow(unused_mut, reason = "some callers only commit")]
        let mut $transaction = begun.map_err(|e| $store.error(e))?;
    };
}

/// Builds the update of the runs that their directors report.
macro_rules! director_reports {
    ($reports:expr) => {{
        let reports =
            ($reports.iter()).map(|report| (report.study.0, &report.director, &report.progress));
        let reports: Vec<_> = reports.collect();
        let reports = serde_json::to_string(&reports).expect("words and numbers are JSON");
        sqlx::query_scalar!(
            r#"UPDATE run SET heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER),
                progress = coalesce(value ->> 2, progress)
            FROM json_each(?1)
            WHERE study_id = value ->> 0 AND director = value ->> 1 AND state = 'running'
            RETURNING study_id AS "study!: i64""#,
            reports,
        )
    }};
}

pub(crate) use {
    director_reports, models, postgres_only, query, rows, runs, scalar, studies, transaction,
    trials,
};

/// Returns the IDs of studies as a JSON array, the form in which SQLite takes a list as one
/// parameter.
pub(crate) fn list(of: &[StudyId]) -> String {
    let ids: Vec<i64> = of.iter().map(|id| id.0).collect();
    serde_json::to_string(&ids).expect("numbers are JSON")
}

/// Returns the studies of a stored JSON array; `None` if it is unreadable.
pub(crate) fn stored_list(studies: String) -> Option<Vec<i64>> {
    serde_json::from_str(&studies).ok()
}

/// Returns numbers as a JSON array.
pub(crate) fn numbers(numbers: &[i64]) -> String {
    serde_json::to_string(numbers).expect("numbers are JSON")
}

/// Returns words as a JSON array.
pub(crate) fn words<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    serde_json::to_string(&words).expect("words are JSON")
}

impl Sqlite {
    /// Returns the largest number up to which no further row of a study can appear. Numbers rise
    /// in the order of commits, because SQLite has one writer at a time.
    pub(crate) async fn complete_up_to(&self, _study: i64) -> Result<i64, StoreError> {
        Ok(i64::MAX)
    }

    /// Checks that the file is still at its path. SQLite also writes into a deleted file.
    pub(crate) fn check_displacement(&self) -> Result<(), StoreError> {
        self.files.check()
    }

    /// Returns the place of the database for messages.
    pub(crate) fn location(&self) -> String {
        match &self.copy {
            Some(copy) => copy.of.clone(),
            None => self.path.display().to_string(),
        }
    }

    /// Creates an error of this database.
    pub(crate) fn fault(&self, reason: StoreFault) -> StoreError {
        fault(&self.path, reason)
    }
}
