//! `wavetune db restore`: puts a backup in the place of the database.

use answers::db::RestoreReport;
use clap::Args;
use store_sqlite::Sqlite;

use crate::Exit;
use crate::confirmation::Confirmation;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Replace the database with a backup.
///
/// Keeps the replaced database under another name. No other program may have the database open.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune db restore trials-backup.db --yes")]
pub(crate) struct DbRestoreArguments {
    /// Backup file.
    ///
    /// The command checks the backup first, and does not change it.
    file: String,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(super) fn run(arguments: &DbRestoreArguments) -> anyhow::Result<Exit> {
    let database = arguments.database.file("pg_restore")?;
    let backup = arguments.file.clone();
    if !(arguments.confirmation).ask(&format!("replace {database} with {backup}"))? {
        eprintln!("{database} is unchanged");
        return Ok(Exit::NotFound);
    }
    let kept = block_on(async { Ok(Sqlite::restore(&database, &backup).await?) })?;
    let restored = RestoreReport {
        kept: kept.map(|kept| kept.display().to_string()),
        database,
        backup,
    };
    match arguments.output_format {
        OutputFormat::Json => print_json(&restored)?,
        OutputFormat::Text => {
            let kept = restored.kept.as_ref();
            let kept = kept.map_or(String::new(), |kept| {
                format!("; the replaced database is {kept}")
            });
            print(&format!(
                "{} is restored from {}{kept}\n",
                restored.database, restored.backup
            ))?;
        }
    }
    Ok(Exit::Found)
}
