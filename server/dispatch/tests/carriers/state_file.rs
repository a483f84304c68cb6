//! The file in which nats-server stores the state of the consumer of topic `a`.
//!
//! nats-server 2.9.10 writes it at most ten times a second, and after changes only. It truncates
//! this file and those of configurations before it writes them, so an empty file is a write that
//! has not ended. After a kill in such a moment, the consumer or the whole stream is lost. The
//! server also truncates an emptied stream before it writes the index. After a kill in between, the
//! stream counts from 1 again. The consumer then skips items, because it has acknowledged these
//! numbers.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use libtest_mimic::Failed;
use testing_nats::Nats;
use tokio::time::sleep;

/// Returns the time of the last write; `None` during a write or before the first one.
fn last_write(nats: &Nats) -> Option<SystemTime> {
    let consumers = nats.data().join("jetstream/$G/streams/WAVETUNE_WORK/obs");
    let consumers = fs::read_dir(consumers).ok()?.flatten();
    let mut files = consumers.filter(|it| {
        let name = it.file_name();
        name.to_string_lossy().starts_with("measure~a~normal")
    });
    let file = fs::metadata(files.next()?.path().join("o.dat")).ok()?;
    file.modified().ok().filter(|_| file.len() > 0)
}

/// Counts writes since its creation. Each call sees at most one, so none counts twice.
///
/// The first write may have begun before the creation. The second one begins later, and has all
/// that NATS confirmed before.
pub(crate) struct StateWrites<'a> {
    nats: &'a Nats,
    last: Option<SystemTime>,
    count: usize,
}

impl<'a> StateWrites<'a> {
    pub(crate) fn new(nats: &'a Nats) -> Self {
        Self {
            nats,
            last: last_write(nats),
            count: 0,
        }
    }

    pub(crate) fn count(&mut self) -> usize {
        let last = last_write(self.nats);
        if last.is_some() && last != self.last {
            self.last = last;
            self.count += 1;
        }
        self.count
    }
}

/// Returns true if a file of this folder is truncated and not yet written.
fn is_writing(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let is_state = ["o.dat", "meta.inf", "meta.sum", "1.blk"].map(OsStr::new);
        match entry.metadata() {
            Ok(it) if it.is_dir() => is_writing(&entry.path()),
            Ok(it) => it.len() == 0 && is_state.contains(&&*entry.file_name()),
            Err(_) => false,
        }
    })
}

/// Kills the server at a moment at which it writes no such file.
pub(crate) async fn kill_between_writes(nats: &mut Nats) -> Result<(), Failed> {
    loop {
        nats.pause()?;
        if !is_writing(&nats.data()) {
            nats.kill();
            return Ok(());
        }
        nats.resume()?;
        sleep(Duration::from_millis(1)).await;
    }
}
