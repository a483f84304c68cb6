//! `wavetune db restore`: puts a backup in the place of the database.

use answers::db::RestoreReport;
use clap::Args;
use store_sqlite::Sqlite;

use crate::Exit;
use crate::confirmation::Confirmation;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Replace the database by a backup.
///
/// Keeps the database under another name. No program may have it open.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune db restore trials-backup.db --yes")]
pub(crate) struct DbRestoreArguments {
    /// The backup.
    ///
    /// The command checks it first, and leaves it as it is.
    file: String,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    database: Database,
    /// Format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(super) fn run(arguments: &DbRestoreArguments) -> anyhow::Result<Exit> {
    let database = arguments.database.file("pg_restore")?;
    let backup = arguments.file.clone();
    if !(arguments.confirmation).ask(&format!("put {backup} in the place of {database}"))? {
        eprintln!("{database} stays as it is");
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
            let kept = kept.map_or(String::new(), |kept| format!("; what was there is {kept}"));
            print(&format!(
                "{} is what {} was{kept}\n",
                restored.database, restored.backup
            ))?;
        }
    }
    Ok(Exit::Found)
}
