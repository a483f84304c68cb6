//! Shared parts of the tests: libraries, folders for locks and databases, and checks for
//! remaining processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench_harness::hip::ChildCommand;
use codegen_sandbox::Sandbox;
use tempfile::TempDir;
use testing::Failed;

/// Returns the emulating library, which cargo builds beside the tests.
pub(crate) fn emulating() -> Result<PathBuf, Failed> {
    // The import makes cargo build the library.
    use wavetune_hip as _;
    let library = std::env::current_exe()?.with_file_name("libwavetune_hip.so");
    match library.is_file() {
        true => Ok(library),
        false => Err(format!("{} is not there", library.display()).into()),
    }
}

/// A folder for one test.
pub(crate) struct Bed(TempDir);

impl Bed {
    pub(crate) fn new() -> Result<Bed, Failed> {
        Ok(Bed(tempfile::tempdir()?))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Compiles a C file beside the tests to a library.
    pub(crate) fn library(&self, source: &str, arguments: &[&str]) -> Result<PathBuf, Failed> {
        let library = self.path().join(format!("lib{source}.so"));
        let text = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/hip/{source}.c"));
        let mut compiler = Command::new("cc");
        compiler
            .args(["-shared", "-fPIC", "-w", "-o"])
            .arg(&library)
            .arg(text);
        let output = compiler.args(arguments).output()?;
        match output.status.success() {
            true => Ok(library),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
        }
    }

    /// Puts another library in front of the emulating one, in the same folder.
    pub(crate) fn in_front(&self, source: &str) -> Result<PathBuf, Failed> {
        fs::copy(emulating()?, self.path().join("libwavetune_hip.so"))?;
        let folder = self.path().display();
        let link = [
            "-Wl,--no-as-needed".to_owned(),
            format!("-L{folder}"),
            "-l:libwavetune_hip.so".to_owned(),
            format!("-Wl,-rpath,{folder}"),
        ];
        let link: Vec<&str> = link.iter().map(String::as_str).collect();
        self.library(source, &link)
    }

    /// Returns a `wavetune` command with this test's own database and locks.
    pub(crate) fn wavetune(&self, library: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .args(arguments)
            .env("WAVETUNE_DB", self.path().join("test.db"))
            .env("WAVETUNE_HIP_LIBRARY", library)
            // The emulated device's times are those of cold caches.
            .env("WAVETUNE_HIP_CACHES", "cold")
            .env("XDG_RUNTIME_DIR", self.path())
            .stdin(Stdio::null());
        command
    }

    /// Returns the command of a device's process, with this test's locks and more variables.
    pub(crate) fn child(&self, variables: &[String]) -> ChildCommand {
        let locks = format!("XDG_RUNTIME_DIR={}", self.path().display());
        let command = [env!("CARGO_BIN_EXE_wavetune"), "device-process"];
        let arguments = variables.iter().cloned().chain([locks]);
        ChildCommand {
            program: "env".into(),
            arguments: arguments.chain(command.map(str::to_owned)).collect(),
            sandbox: None,
        }
    }

    /// Returns the command of a device's process in a sandbox.
    pub(crate) fn confined(sandbox: Sandbox) -> ChildCommand {
        ChildCommand {
            program: env!("CARGO_BIN_EXE_wavetune").into(),
            arguments: vec!["device-process".to_owned()],
            sandbox: Some(sandbox),
        }
    }

    /// Returns the processes that have this test's locks.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let own = format!("XDG_RUNTIME_DIR={}", self.path().display());
        let has_locks = |number: &u32| {
            let variables = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            let mut variables = variables.split(|&byte| byte == 0);
            variables.any(|one| one == own.as_bytes())
        };
        processes().filter(has_locks).collect()
    }

    /// Checks that all of them are gone.
    pub(crate) fn check_alone(&self) -> Result<(), Failed> {
        soon("a process is left behind", || self.processes().is_empty())
    }

    /// Checks that all device locks are free, a moment from now at the latest.
    pub(crate) fn check_released(&self) -> Result<(), Failed> {
        let mut locks = 0;
        for entry in fs::read_dir(self.path().join("wavetune"))? {
            let file = fs::File::open(entry?.path())?;
            locks += 1;
            soon("a device lock is held", || file.try_lock().is_ok())?;
        }
        match locks {
            0 => Err("there was no lock".into()),
            _ => Ok(()),
        }
    }
}

/// Waits a short time for a condition.
pub(crate) fn soon(failure: &str, mut is_true: impl FnMut() -> bool) -> Result<(), Failed> {
    let began = Instant::now();
    while !is_true() {
        if began.elapsed() > Duration::from_secs(60) {
            return Err(failure.into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Returns the processes that `parent` started and that still exist, even as zombies.
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let is_child = |number: &u32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // The name may have blanks; it ends with the last parenthesis.
        let after = stat.rsplit(')').next().unwrap_or_default();
        after.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    processes().filter(is_child).collect()
}

/// Returns the children of a process, and theirs.
pub(crate) fn descendants_of(parent: u32) -> Vec<u32> {
    let children = children_of(parent);
    let theirs = children.iter().flat_map(|child| descendants_of(*child));
    theirs.chain(children.iter().copied()).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
