//! Creates an SQLite database with every migration applied, against which `store`'s queries are checked.
//!
//! `cargo run -p migrations -- FILE`; FILE must not exist.

use std::error::Error;
use std::process::ExitCode;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file] = arguments.as_slice() else {
        eprintln!("usage: migrations FILE");
        return ExitCode::from(2);
    };
    match create(file).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::from(2)
        }
    }
}

async fn create(file: &str) -> Result<(), Box<dyn Error>> {
    std::fs::File::create_new(file)?;
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await?;
    migrations::SQLITE.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
