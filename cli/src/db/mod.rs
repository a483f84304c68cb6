//! `wavetune db`: maintenance of the database.

mod backup;
mod check;
mod info;
mod merge;
mod migrate;
mod prune;
mod restore;

use clap::{Args, Subcommand};

use crate::Exit;

/// Check, back up, migrate or merge databases.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DbArguments {
    #[command(subcommand)]
    command: DbCommand,
}

#[derive(Subcommand)]
enum DbCommand {
    Info(info::DbInfoArguments),
    Check(check::DbCheckArguments),
    Backup(backup::DbBackupArguments),
    Restore(restore::DbRestoreArguments),
    Migrate(migrate::DbMigrateArguments),
    Merge(merge::DbMergeArguments),
    Prune(prune::DbPruneArguments),
}

const EXAMPLES: &str = "\
migrate, merge and prune support SQLite and PostgreSQL. The other commands support only an SQLite \
file; PostgreSQL has its own tools, such as pg_dump.

Examples:
  wavetune db info
  wavetune db check
  wavetune db backup trials-backup.db
  wavetune db restore trials-backup.db --yes
  wavetune db migrate
  wavetune db merge other.db
  wavetune db prune --dry-run";

pub(crate) fn run(arguments: &DbArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        DbCommand::Info(arguments) => info::run(arguments),
        DbCommand::Check(arguments) => check::run(arguments),
        DbCommand::Backup(arguments) => backup::run(arguments),
        DbCommand::Restore(arguments) => restore::run(arguments),
        DbCommand::Migrate(arguments) => migrate::run(arguments),
        DbCommand::Merge(arguments) => merge::run(arguments),
        DbCommand::Prune(arguments) => prune::run(arguments),
    }
}
