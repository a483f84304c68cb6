//! An account for one test, on the nats-server that all tests share.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use shared_server::{PATIENCE, Recipe, SharedServer};

use crate::port_in;

/// The accounts of a shared server, each of which one test uses once.
///
/// Why so few: each has a JetStream of its own, which the server makes when it starts (0.1 s of
/// processor time for 250). Tests that find none left start a server of their own.
const ACCOUNTS: usize = 250;

/// A JetStream that nobody else uses.
#[derive(Debug)]
pub struct Account {
    _server: SharedServer,
    address: String,
}

impl Account {
    /// Takes the next account of the shared server, if one is left.
    ///
    /// # Errors
    /// What the server wrote, if it does not start.
    pub fn take(program: &Path) -> io::Result<Option<Self>> {
        let recipe = Recipe {
            name: &format!("nats-{ACCOUNTS}"),
            parent: &std::env::temp_dir(),
            owner: None,
            patience: PATIENCE,
        };
        let prepare = |folder: &Path| {
            fs::write(folder.join("server.conf"), configuration(folder))?;
            let mut command = vec![OsString::from(program), "--config".into()];
            command.push(folder.join("server.conf").into());
            Ok(command)
        };
        let server = SharedServer::join(&recipe, prepare, |folder| Ok(port(folder).is_some()))?;
        let number = next_number(&server.folder().join("taken"))?;
        if number >= ACCOUNTS {
            return Ok(None);
        }
        let port = port(server.folder()).ok_or_else(|| io::Error::other("it has no port"))?;
        Ok(Some(Self {
            _server: server,
            address: format!("nats://user{number}:shared@127.0.0.1:{port}"),
        }))
    }

    /// Returns the address by which clients connect, with user and password.
    pub fn address(&self) -> &str {
        &self.address
    }
}

fn configuration(folder: &Path) -> String {
    let folder = folder.display();
    let mut text = format!(
        "listen: \"127.0.0.1:-1\"\nports_file_dir: \"{folder}\"\n\
         jetstream {{ store_dir: \"{folder}/data\" }}\naccounts {{\n"
    );
    for number in 0..ACCOUNTS {
        // A String takes every text.
        let _ = writeln!(
            text,
            "a{number} {{ jetstream: enabled, users: [{{ user: user{number}, password: shared }}] }}"
        );
    }
    text + "}\n"
}

/// Returns the server's port, when it listens.
fn port(folder: &Path) -> Option<u16> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut files = entries.filter(|it| it.path().extension().is_some_and(|it| it == "ports"));
    port_in(&fs::read_to_string(files.next()?.path()).ok()?)
}

/// Counts the accounts that were taken, by the length of a file.
fn next_number(taken: &Path) -> io::Result<usize> {
    let file = File::options().create(true).append(true).open(taken)?;
    file.lock()?;
    let length = file.metadata()?.len();
    file.set_len(length + 1)?;
    usize::try_from(length).map_err(io::Error::other)
}
