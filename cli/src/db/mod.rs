//! `wavetune db`: looking after the database.

mod backup;
mod check;
mod info;
mod merge;
mod migrate;
mod prune;
mod restore;

use clap::{Args, Subcommand};

use crate::Exit;

/// Look after the database: what is in it, whether it is whole, backups, and what comes and goes.
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
    Migrate(migrate::Arguments),
    Merge(merge::Arguments),
    Prune(prune::Arguments),
}

const EXAMPLES: &str = "\
All but migrate, merge and prune are for an SQLite database. One that is a server has tools of its own for it, such as pg_dump.

Examples:
  wavetune db info
  wavetune db check
  wavetune db backup trials-backup.db
  wavetune db restore trials-backup.db --yes
  wavetune db migrate
  wavetune db merge other.db
  wavetune db prune --dry-run";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.what {
        What::Info(arguments) => info::run(arguments),
        What::Check(arguments) => check::run(arguments),
        What::Backup(arguments) => backup::run(arguments),
        What::Restore(arguments) => restore::run(arguments),
        What::Migrate(arguments) => migrate::run(arguments),
        What::Merge(arguments) => merge::run(arguments),
        What::Prune(arguments) => prune::run(arguments),
    }
}
