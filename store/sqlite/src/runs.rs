//! The queries of a service that carries on studies.

use async_trait::async_trait;
use store::{
    Readable, Repeat, Run, RunState, Runs, StoreError, StudyId, Unreadable, UnreadableRow,
};

use crate::Sqlite;
use crate::row;

/// Milliseconds for which the answer to a request is kept.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// A row of `run`.
struct RunRow {
    study_id: i64,
    ordered: String,
    state: String,
    reason: Option<String>,
    asked_ms: i64,
    changed_ms: i64,
}

impl RunRow {
    fn run(self) -> Result<Run, UnreadableRow> {
        let known = RunState::ALL
            .into_iter()
            .find(|state| state.name() == self.state);
        let state = known.ok_or_else(|| UnreadableRow {
            table: "run",
            id: self.study_id,
            column: "state",
            reason: format!("unknown state {:?}", self.state),
        })?;
        Ok(Run {
            study: StudyId(self.study_id),
            order: self.ordered,
            state,
            reason: self.reason,
            asked: row::time_of(self.asked_ms),
            changed: row::time_of(self.changed_ms),
        })
    }
}

#[async_trait]
impl Runs for Sqlite {
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError> {
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_ms, changed_ms)
            VALUES (?1, ?2, 'running', NULL, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, changed_ms = excluded.changed_ms",
            study.0,
            order,
        );
        let mut connection = self.connection().await?;
        let inserted = insert.execute(&mut *connection).await;
        inserted.map_err(|e| self.error(e))?;
        self.files.check()
    }

    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
    ) -> Result<bool, StoreError> {
        let (from, to) = (words(from), to.name());
        let update = sqlx::query!(
            "UPDATE run SET state = ?3, reason = ?4, changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state IN (SELECT value FROM json_each(?2))",
            study.0,
            from,
            to,
            reason,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = sqlx::query_as!(
            RunRow,
            "SELECT study_id, ordered, state, reason, asked_ms, changed_ms FROM run
            WHERE study_id > ?2 AND (?1 IS NULL OR state = ?1) ORDER BY study_id LIMIT ?3",
            state,
            after,
            limit,
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let mut unreadable = Unreadable::default();
        let runs = rows.into_iter().map(RunRow::run);
        let rows = runs.filter_map(|run| unreadable.note(run)).collect();
        Ok(Readable { rows, unreadable })
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = sqlx::query_as!(
            RunRow,
            "SELECT study_id, ordered, state, reason, asked_ms, changed_ms FROM run WHERE study_id = ?1",
            study.0,
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| crate::error::fault(&self.path, store::Fault::Value(row)))
    }

    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError> {
        let row = sqlx::query!(
            "SELECT digest, studies FROM request
            WHERE key = ?1 AND asked_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2",
            key,
            KEPT_MS,
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let Some(row) = row.map_err(|e| self.error(e))? else {
            return Ok(Repeat::New);
        };
        let studies: Option<Vec<i64>> = serde_json::from_str(&row.studies).ok();
        Ok(match studies {
            Some(studies) if row.digest == digest => {
                Repeat::Known(studies.into_iter().map(StudyId).collect())
            }
            _ => Repeat::Other,
        })
    }

    async fn keep_answer(
        &self,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<(), StoreError> {
        let studies: Vec<i64> = studies.iter().map(|study| study.0).collect();
        let studies = serde_json::to_string(&studies).expect("numbers are JSON");
        let mut connection = self.connection().await?;
        let forget = sqlx::query!(
            "DELETE FROM request WHERE asked_ms < CAST(1000 * unixepoch('subsec') AS INTEGER) - ?1",
            KEPT_MS,
        );
        let forgotten = forget.execute(&mut *connection).await;
        forgotten.map_err(|e| self.error(e))?;
        let insert = sqlx::query!(
            "INSERT INTO request (key, digest, studies, asked_ms)
            VALUES (?1, ?2, ?3, CAST(1000 * unixepoch('subsec') AS INTEGER)) ON CONFLICT DO NOTHING",
            key,
            digest,
            studies,
        );
        let inserted = insert.execute(&mut *connection).await;
        inserted.map_err(|e| self.error(e))?;
        self.files.check()
    }
}

/// The names of states as SQLite takes a list as one parameter.
fn words(states: &[RunState]) -> String {
    let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
    serde_json::to_string(&names).expect("words are JSON")
}
