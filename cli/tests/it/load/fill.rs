//! A large database: one small study by `tune`, copied for other problems.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};
use testing::Failed;
use testing_store_contract::block_on;

use crate::load::wavetune;

/// Returns the problem of a number.
pub(crate) fn problem(number: u32) -> String {
    let (rows, columns) = (1 + number % 64, 512 + 64 * (number / 64));
    format!("argmax:{rows}x[{columns}]xf32:i32")
}

/// Creates a database with this number of problems, and of trials for each.
pub(crate) fn fill(db: &Path, problems: u32, trials: u32) -> Result<(), Failed> {
    let budget = trials.to_string();
    let mut tune = wavetune(db);
    tune.args([
        "tune",
        &problem(0),
        "--device",
        "emulated:mi300x",
        "--budget",
        &budget,
    ]);
    let tuned = tune.output()?;
    if !tuned.status.success() {
        return Err(String::from_utf8_lossy(&tuned.stderr).into_owned().into());
    }
    block_on(copy(db, problems))?;
    Ok(())
}

async fn copy(db: &Path, problems: u32) -> Result<(), sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(db)
        .pragma("synchronous", "OFF");
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let mut transaction = connection.begin().await?;
    let text = "printf('argmax:%dx[%d]xf32:i32', 1 + n % 64, 512 + 64 * (n / 64))";
    let insert = format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < {problems})
        INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
        SELECT {text}, operation, comparator, element, rank, 1 + n % 64, 512 + 64 * (n / 64) FROM n, problem WHERE id = 1"
    );
    transaction.execute(AssertSqlSafe(insert)).await?;
    transaction
        .execute(
            "INSERT INTO study (problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_ms, opened_ms)
            SELECT problem.id, provenance_id, strategy, space, ties, seed, bound_us, problem.id, created_ms, opened_ms
            FROM problem, study WHERE problem.id > 1",
        )
        .await?;
    let columns = transaction.fetch_all("PRAGMA table_info(trial)").await?;
    let columns: Vec<String> = columns.iter().map(|column| column.get("name")).collect();
    let same = columns
        .iter()
        .filter(|name| !["id", "study_id"].contains(&name.as_str()));
    let same: Vec<&str> = same.map(String::as_str).collect();
    let same = same.join(", ");
    let insert = format!(
        "INSERT INTO trial (study_id, {same}) SELECT study.id, trial.* FROM study
        CROSS JOIN (SELECT {same} FROM trial WHERE study_id = 1) AS trial WHERE study.id > 1"
    );
    transaction.execute(AssertSqlSafe(insert)).await?;
    transaction.commit().await?;
    connection.close().await
}

/// Extends the first study to this number of trials: copies of its own, except the default, with
/// other configurations and times.
pub(crate) fn lengthen(db: &Path, trials: u32) -> Result<(), Failed> {
    block_on(repeat(db, trials))?;
    Ok(())
}

async fn repeat(db: &Path, trials: u32) -> Result<(), sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(db);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let columns = connection.fetch_all("PRAGMA table_info(trial)").await?;
    let columns: Vec<String> = columns.iter().map(|column| column.get("name")).collect();
    let same = columns.iter().filter(|name| {
        !["id", "study_id", "ordinal", "configuration_hash", "time_us"].contains(&name.as_str())
    });
    let same: Vec<&str> = same.map(String::as_str).collect();
    let same = same.join(", ");
    let insert = format!(
        "WITH RECURSIVE n(n) AS (SELECT count(*) FROM trial WHERE study_id = 1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < {trials}),
            had(length) AS (SELECT count(*) FROM trial WHERE study_id = 1)
        INSERT INTO trial (study_id, ordinal, configuration_hash, time_us, {same})
        SELECT 1, n, printf('%064x', n), time_us * (1 + n % 7919 / 7919.0), {same} FROM n CROSS JOIN had
        CROSS JOIN trial ON study_id = 1 AND ordinal = 1 + n % (length - 1)"
    );
    connection.execute(AssertSqlSafe(insert)).await?;
    connection.close().await
}
