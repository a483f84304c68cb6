//! Size and content of a database.

use std::time::SystemTime;

use store::StoreError;
use store_relational::time_of;

use crate::Sqlite;

/// A summary of a database's size and content.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// The bytes of the file and its log.
    pub bytes: u64,
    /// The newest applied migration.
    pub schema: i64,
    /// The number of problems.
    pub problems: u64,
    /// The number of different provenances.
    pub provenances: u64,
    /// The number of studies.
    pub studies: u64,
    /// The number of trials.
    pub trials: u64,
    /// The number of finals.
    pub finals: u64,
    /// The number of wishes.
    pub wishes: u64,
    /// The last opening of a study.
    pub opened: Option<SystemTime>,
    /// The end of the trial that was written last.
    pub recorded: Option<SystemTime>,
}

impl Sqlite {
    /// Returns the size and content of the database. Counts all trials.
    ///
    /// # Errors
    ///
    /// Any error of reading.
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
