//! Applies every migration to a new database, against which a store's queries are checked.
//!
//! `cargo run -p migrations -- URL`: `sqlite://FILE`, which must not exist, or `postgres://…`.

use std::error::Error;
use std::process::ExitCode;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url] = arguments.as_slice() else {
        eprintln!("usage: migrations URL");
        return ExitCode::from(2);
    };
    let migrated = match url.strip_prefix("sqlite://") {
        Some(file) => create(file).await,
        None => migrate(url).await,
    };
    match migrated {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("migrations: {error}");
            ExitCode::from(2)
        }
    }
}

async fn create(file: &str) -> Result<(), Box<dyn Error>> {
    // An existing file would keep its old schema, and hide a broken migration.
    std::fs::File::create_new(file)?;
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await?;
    migrations::SQLITE.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

async fn migrate(url: &str) -> Result<(), Box<dyn Error>> {
    let mut connection = PgConnection::connect(url).await?;
    migrations::POSTGRES.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
