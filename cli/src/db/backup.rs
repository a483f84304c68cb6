//! `wavetune db backup`: copies the database while other processes write to it.

use std::path::PathBuf;

use answers::db::Backup;
use clap::Args;
use indicatif::HumanBytes;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Copy the database to a new file.
///
/// The copy is a consistent snapshot with the schema. Other programs may write to the database
/// meanwhile.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune db backup trials-backup.db")]
pub(crate) struct DbBackupArguments {
    /// New file for the copy; it must not exist.
    ///
    /// The command checks the copy before the file gets this name.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(super) fn run(arguments: &DbBackupArguments) -> anyhow::Result<Exit> {
    let made = block_on(async {
        let store = arguments.database.open_any_file("pg_dump").await?;
        let made = store.back_up(&arguments.file).await;
        let database = store.path().display().to_string();
        store.close().await;
        // After closing, so that an error does not skip it.
        made?;
        Ok(Backup {
            database,
            backup: arguments.file.display().to_string(),
            bytes: std::fs::metadata(&arguments.file)?.len(),
        })
    })?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&made)?,
        OutputFormat::Text => {
            let size = HumanBytes(made.bytes);
            print(&format!(
                "{} is a copy of {}: {size}\n",
                made.backup, made.database
            ))?;
        }
    }
    Ok(Exit::Found)
}
