//! `wavetune db`: looking after the database.

mod backup;
mod check;
mod info;
mod restore;

use clap::{Args, Subcommand};

use crate::Exit;

/// Look after the database: what is in it, whether it is whole, backups of it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Info(info::Arguments),
    Check(check::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
}

const EXAMPLES: &str = "\
These are for an SQLite database. One that is a server has tools of its own for it, such as pg_dump.

Examples:
  wavetune db info
  wavetune db check
  wavetune db backup trials-backup.db
  wavetune db restore trials-backup.db --yes";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.what {
        What::Info(arguments) => info::run(arguments),
        What::Check(arguments) => check::run(arguments),
        What::Backup(arguments) => backup::run(arguments),
        What::Restore(arguments) => restore::run(arguments),
    }
}
