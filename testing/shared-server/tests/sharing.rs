//! Sharing of a server by processes. The server of these tests is `sleep`, and its users are this
//! process.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use testing_shared_server::{Recipe, SharedServer, target_tmp};

/// Time limit on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A server that writes its process ID and its supervisor's.
const SERVER: &str = "echo $$ $PPID > made; mv made pids; exec sleep 1000";

struct Bed {
    name: String,
    parent: tempfile::TempDir,
    starts: AtomicU32,
}

impl Bed {
    fn new(test: &str) -> Self {
        Self {
            name: format!("shared-test-{test}-{}", std::process::id()),
            parent: tempfile::tempdir().unwrap(),
            starts: AtomicU32::new(0),
        }
    }

    fn join(&self) -> io::Result<SharedServer> {
        self.join_command(SERVER)
    }

    fn join_command(&self, script: &str) -> io::Result<SharedServer> {
        let recipe = Recipe {
            name: &self.name,
            parent: self.parent.path(),
            owner: None,
            patience: Duration::from_secs(1),
        };
        let prepare = |folder: &Path| {
            self.starts.fetch_add(1, Ordering::Relaxed);
            let script = format!("cd {}; {script}", folder.display());
            // A shell's background process ignores interrupts, unlike a server.
            let command = ["env", "--default-signal=INT", "sh", "-c", &script];
            Ok(command.map(OsString::from).to_vec())
        };
        SharedServer::join(&recipe, prepare, |folder| Ok(folder.join("pids").exists()))
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        fs::remove_dir_all(target_tmp().unwrap().join(&self.name)).ok();
    }
}

/// Returns the process IDs of the server and its supervisor.
fn pids(folder: &Path) -> [i32; 2] {
    let text = fs::read_to_string(folder.join("pids")).unwrap();
    let pids: Vec<i32> = text
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect();
    pids.try_into().unwrap()
}

/// Returns whether a process runs. A zombie does not.
fn runs(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[track_caller]
fn wait_until(is_true: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < LIMIT);
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn users_at_the_same_time_have_one_server() {
    let bed = Bed::new("one");
    let folders: Vec<PathBuf> = thread::scope(|scope| {
        let users: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| bed.join().unwrap()))
            .collect();
        let users: Vec<_> = users.into_iter().map(|it| it.join().unwrap()).collect();
        users.iter().map(|it| it.folder().to_owned()).collect()
    });
    assert_eq!(bed.starts.load(Ordering::Relaxed), 1);
    assert!(folders.iter().all(|it| *it == folders[0]), "{folders:?}");
}

#[test]
fn a_server_without_users_ends_and_leaves_nothing() {
    let bed = Bed::new("ends");
    let user = bed.join().unwrap();
    let folder = user.folder().to_owned();
    let [server, supervisor] = pids(&folder);
    // Three times the patience.
    thread::sleep(Duration::from_secs(3));
    assert!(runs(server), "it has ended under its user");
    drop(user);
    wait_until(|| !runs(server) && !runs(supervisor) && !folder.exists());
    let again = bed.join().unwrap();
    assert_ne!(again.folder(), folder);
    assert_eq!(bed.starts.load(Ordering::Relaxed), 2);
}

#[test]
fn a_server_ends_with_a_supervisor_that_is_killed() {
    let bed = Bed::new("killed");
    let user = bed.join().unwrap();
    let folder = user.folder().to_owned();
    let [server, supervisor] = pids(&folder);
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
    wait_until(|| !runs(server));
    // The supervisor's `sleep 1` holds the lock for a moment.
    wait_until(|| bed.join().unwrap().folder() != folder);
    assert!(!folder.exists());
}

#[test]
fn a_server_that_does_not_start_is_reported_with_its_words() {
    let bed = Bed::new("refuses");
    let error = bed.join_command("echo no room >&2; exit 1").unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
    assert_eq!(fs::read_dir(bed.parent.path()).unwrap().count(), 0);
    bed.join().unwrap();
}
