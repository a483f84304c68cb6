//! A folder with databases, and the program in it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

pub(crate) struct Bed {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runtime: tokio::runtime::Runtime,
}

impl Bed {
    pub(crate) fn new() -> Bed {
        let runtime = tokio::runtime::Builder::new_current_thread();
        Bed {
            folder: tempfile::tempdir().unwrap(),
            runtime: { runtime }.enable_all().build().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn wavetune(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .env("WAVETUNE_DB", "test.db")
            .env_remove("WAVETUNE_LOG")
            .env_remove("WAVETUNE_TOKEN")
            .stdin(Stdio::null());
        command
    }
}
