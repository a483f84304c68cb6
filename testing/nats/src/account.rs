//! An account for one test, on the nats-server that all tests share.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use testing_shared_server::{PATIENCE, Recipe, SharedServer};

use crate::port_in;

/// The number of accounts of a shared server; a test uses one, and no other test uses it again.
///
/// Each has its own JetStream, which the server creates when it starts (0.1 s of processor time
/// for 250). A test without a free account starts a server of its own.
const ACCOUNTS: usize = 250;

/// A JetStream for one test alone.
#[derive(Debug)]
pub struct Account {
    _server: SharedServer,
    address: String,
}

impl Account {
    /// Takes the next account of the shared server, if one is left.
    ///
    /// # Errors
    /// If the server does not start: with its output.
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

    /// Returns the address for clients, with user and password.
    pub fn address(&self) -> &str {
        &self.address
    }
}

fn configuration(folder: &Path) -> String {
    let folder = folder.display();
    let mut text = format!(
        // Port -1 is any free one.
        "listen: \"127.0.0.1:-1\"\nports_file_dir: \"{folder}\"\n\
         jetstream {{ store_dir: \"{folder}/data\" }}\naccounts {{\n"
    );
    for number in 0..ACCOUNTS {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "a{number} {{ jetstream: enabled, users: [{{ user: user{number}, password: shared }}] }}"
        );
    }
    text + "}\n"
}

/// Returns the server's port once it listens.
fn port(folder: &Path) -> Option<u16> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut files = entries.filter(|it| it.path().extension().is_some_and(|it| it == "ports"));
    port_in(&fs::read_to_string(files.next()?.path()).ok()?)
}

/// Returns the next account's number. A file's length counts the taken ones, so that its lock and
/// its size serve all processes.
fn next_number(taken: &Path) -> io::Result<usize> {
    let file = File::options().create(true).append(true).open(taken)?;
    file.lock()?;
    let length = file.metadata()?.len();
    file.set_len(length + 1)?;
    usize::try_from(length).map_err(io::Error::other)
}
