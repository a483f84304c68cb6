//! `wavetune db check`: verifies that the database is whole.

use answers::db::Verification;
use clap::Args;
use lookup::AnswerIndex;
use server_fleet::StudyStatus;
use store::{Runs as _, StoreError, StoreFault};
use store_sqlite::Sqlite;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Check the database for damage.
///
/// Checks the file, the references between rows, and that each row is readable.
#[derive(Args)]
#[command(
    after_long_help = "Exit codes: 0 intact, 1 damaged, 2 not checked because of an error.\n\nExamples:\n  wavetune db check"
)]
pub(crate) struct DbCheckArguments {
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

/// Most findings that are printed; one broken page of the file can cause thousands.
const TOLD: usize = 100;

/// Studies with their runs in memory at a time.
const PAGE: u32 = 1000;

/// Returns the findings, from the functions with which a service reads.
async fn findings(store: &Sqlite) -> Result<Vec<String>, StoreError> {
    let mut findings = store.verify().await?;
    // Rows may be readable one by one, and yet form no answer together.
    let known = AnswerIndex::default();
    if findings.is_empty() {
        known.refresh(store).await?;
    }
    let unread = known.unreadable();
    findings.extend(unread.iter().map(ToString::to_string));
    let mut after = None;
    loop {
        let runs = match store.runs(None, after, PAGE).await {
            // `verify` has already reported this row.
            Err(error) if matches!(error.fault, StoreFault::Undecodable(_)) => break,
            runs => runs?.rows,
        };
        let Some(last) = runs.last() else { break };
        after = Some(last.study);
        let wrong = runs
            .into_iter()
            .filter_map(|run| StudyStatus::try_from(run).err());
        findings.extend(wrong.map(|row| row.to_string()));
    }
    findings.truncate(TOLD);
    Ok(findings)
}

pub(super) fn run(arguments: &DbCheckArguments) -> anyhow::Result<Exit> {
    let checked = block_on(async {
        let store = arguments.database.open_file("pg_amcheck").await?;
        let findings = findings(&store).await;
        let database = store.path().display().to_string();
        store.close().await;
        // After closing, so that an error does not skip it.
        let findings = findings?;
        Ok(Verification {
            database,
            whole: findings.is_empty(),
            findings,
        })
    })?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&checked)?,
        OutputFormat::Text if checked.whole => print(&format!("{} is intact\n", checked.database))?,
        OutputFormat::Text => {
            for finding in &checked.findings {
                print(&format!("{finding}\n"))?;
            }
        }
    }
    Ok(match checked.whole {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}
