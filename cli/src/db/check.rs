//! `wavetune db check`: whether the database is whole.

use answers::db::Verification;
use clap::Args;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{Format, print, print_json};

/// Check that the database is whole: its file, what its rows refer to, and that each of them can be read.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 it is whole, 1 it is not, 2 it could not be checked.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    database: Database,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let checked = block_on(async {
        let store = arguments.database.open_file("pg_amcheck").await?;
        let findings = store.verify().await;
        let database = store.path().display().to_string();
        store.close().await;
        let findings = findings?;
        Ok(Verification {
            database,
            whole: findings.is_empty(),
            findings,
        })
    })?;
    match arguments.output_format {
        Format::Json => print_json(&checked)?,
        Format::Text if checked.whole => print(&format!("{} is whole\n", checked.database))?,
        Format::Text => {
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
