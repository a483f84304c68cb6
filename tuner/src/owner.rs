//! Owners: the name of a process among those that share a study.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A name that no other process has, and no other caller in this one: the machine, the process, and when.
pub fn owner() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (machine, process) = (machine(), std::process::id());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{machine}:{process}:{nanos:x}.{count}")
}

/// The machine's name.
pub fn machine() -> String {
    let machine = rustix::system::uname();
    machine.nodename().to_string_lossy().into_owned()
}
