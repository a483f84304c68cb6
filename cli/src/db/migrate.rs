//! `wavetune db migrate`: brings the database to the schema of this wavetune.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use answers::db::MigrationReport;
use anyhow::bail;
use clap::Args;
use store_postgres::Postgres;
use store_sqlite::Sqlite;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Migrate an older database to the current schema.
///
/// Updates a database of an older wavetune, and keeps a backup.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct DbMigrateArguments {
    /// Database, instead of --db.
    ///
    /// The forms are FILE, sqlite:FILE and postgres://USER@HOST/DATABASE.
    #[arg(value_name = "DATABASE")]
    which: Option<String>,
    #[command(flatten)]
    database: Database,
    /// Skip the backup.
    ///
    /// A PostgreSQL server requires this option; pg_dump makes its backups.
    #[arg(long)]
    no_backup: bool,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const HELP: &str = "\
The command writes the backup beside the file, with the schema and the time in its name. `wavetune \
db restore` of the older wavetune restores it. All migrations are one transaction. After an \
interruption, the database is unchanged; repeat the command.

The command does not change a database with the current schema. An empty database gets its tables. \
First stop the services and agents of the older wavetune, because they cannot read the new schema.

Exit codes: 0 the database has the current schema, 2 error.

Examples:
  wavetune db migrate
  wavetune db migrate trials.db
  wavetune db migrate postgres://tuner@db.lan/wavetune --no-backup";

pub(super) fn run(arguments: &DbMigrateArguments) -> anyhow::Result<Exit> {
    let given = arguments.which.as_deref().map(Database::at);
    let database = given.as_ref().unwrap_or(&arguments.database);
    let location = database.location()?;
    let migrated = match database.is_server()? {
        true => block_on(migrate_server(&location, arguments.no_backup))?,
        false => block_on(migrate_file(&location, arguments.no_backup))?,
    };
    match arguments.output_format {
        OutputFormat::Json => print_json(&migrated)?,
        OutputFormat::Text => print(&text(&migrated))?,
    }
    Ok(Exit::Found)
}

async fn migrate_file(location: &str, no_backup: bool) -> anyhow::Result<MigrationReport> {
    let (from, to) = Sqlite::schemas(location).await?;
    let store = Sqlite::open_any(location).await?;
    let path = store.path().to_owned();
    // An empty file has nothing to back up.
    let backup = ((1..to).contains(&from) && !no_backup).then(|| backup_path(&path, from));
    // Before the migration, so that the backup has the old schema.
    let backed_up = match &backup {
        Some(backup) => store.back_up(backup).await,
        None => Ok(()),
    };
    store.close().await;
    backed_up?;
    // Opening for writing migrates.
    if from < to {
        Sqlite::open(location).await?.close().await;
    }
    Ok(MigrationReport {
        database: path.display().to_string(),
        from,
        to,
        backup: backup.map(|backup| backup.display().to_string()),
    })
}

async fn migrate_server(url: &str, no_backup: bool) -> anyhow::Result<MigrationReport> {
    let (from, to) = Postgres::schemas(url).await?;
    if (1..to).contains(&from) && !no_backup {
        // Only pg_dump backs up a server, so the user must have run it before.
        bail!(
            "the database has schema {from}, older than schema {to}; make a backup with pg_dump -Fc, then repeat \
             the command with --no-backup"
        );
    }
    let store = Postgres::open(url).await?;
    let database = store::Ledger::name(&store);
    store.close().await;
    Ok(MigrationReport {
        database,
        from,
        to,
        backup: None,
    })
}

/// Returns the name of a backup of a database with this schema, with the time.
fn backup_path(database: &Path, schema: i64) -> PathBuf {
    let now = answers::time_ms(SystemTime::now()).replace([':', ' '], "");
    let mut name = database.as_os_str().to_owned();
    name.push(format!(".schema-{schema}-{now}"));
    PathBuf::from(name)
}

fn text(migrated: &MigrationReport) -> String {
    let MigrationReport {
        database,
        from,
        to,
        backup,
    } = migrated;
    if from == to {
        return format!("{database} already has schema {to}\n");
    }
    if *from == 0 {
        return format!("{database} was empty and now has schema {to}\n");
    }
    let kept = match backup {
        Some(backup) => format!("; the backup is {backup}"),
        None => String::new(),
    };
    format!("{database} is migrated from schema {from} to {to}{kept}\n")
}
