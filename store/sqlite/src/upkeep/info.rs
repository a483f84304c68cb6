//! How large a database is, and what is in it.

use std::time::SystemTime;

use store::StoreError;
use store_relational::time_of;

use crate::Sqlite;

/// How large a database is, and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Bytes of the file and of its log.
    pub bytes: u64,
    /// The newest migration that was applied to it.
    pub schema: i64,
    /// Its problems.
    pub problems: u64,
    /// What made its numbers: so many different ones.
    pub provenances: u64,
    /// Its studies.
    pub studies: u64,
    /// Its trials.
    pub trials: u64,
    /// Its finals.
    pub finals: u64,
    /// What was asked for and is not known.
    pub wishes: u64,
    /// When a study was opened last.
    pub opened: Option<SystemTime>,
    /// When the trial ended that was written last.
    pub recorded: Option<SystemTime>,
}

impl Sqlite {
    /// How large the database is, and what is in it. It counts all trials.
    ///
    /// # Errors
    ///
    /// What reading returns.
    pub async fn info(&self) -> Result<Info, StoreError> {
        let counts = sqlx::query!(
            r#"SELECT (SELECT count(*) FROM problem) AS "problems!: i64",
                (SELECT count(*) FROM provenance) AS "provenances!: i64",
                (SELECT count(*) FROM study) AS "studies!: i64", (SELECT count(*) FROM trial) AS "trials!: i64",
                (SELECT count(*) FROM final) AS "finals!: i64", (SELECT count(*) FROM wish) AS "wishes!: i64",
                (SELECT opened_ms FROM study ORDER BY opened DESC LIMIT 1) AS "opened_ms: i64",
                (SELECT ended_ms FROM trial ORDER BY id DESC LIMIT 1) AS "ended_ms: i64""#
        );
        let mut connection = self.connection().await?;
        let counts = counts.fetch_one(&mut *connection).await;
        let counts = counts.map_err(|e| self.error(e))?;
        let schema = self.applied(&mut connection).await?;
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        let size = |path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        Ok(Info {
            bytes: size(self.path.clone()) + size(log.into()),
            schema,
            problems: counts.problems.cast_unsigned(),
            provenances: counts.provenances.cast_unsigned(),
            studies: counts.studies.cast_unsigned(),
            trials: counts.trials.cast_unsigned(),
            finals: counts.finals.cast_unsigned(),
            wishes: counts.wishes.cast_unsigned(),
            opened: counts.opened_ms.map(time_of),
            recorded: counts.ended_ms.map(time_of),
        })
    }
}
