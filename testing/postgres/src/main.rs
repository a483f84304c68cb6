//! Starts a server, prints the URL of an empty database in it, and ends the server when standard
//! input ends.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use testing_postgres::Server;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("testing-postgres: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> io::Result<()> {
    let server = Server::start()?;
    let mut output = io::stdout();
    writeln!(output, "{}", server.create_database()?)?;
    output.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
