//! Owners: the names of processes that share a study.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a name that no other process and no other caller in this process has. It contains the
/// machine, the process and the time.
pub fn owner() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (machine, process) = (machine(), std::process::id());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    // The system reuses process numbers, and two callers may read the same time.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{machine}:{process}:{nanos:x}.{count}")
}

/// Returns the machine's name.
pub fn machine() -> String {
    let machine = rustix::system::uname();
    machine.nodename().to_string_lossy().into_owned()
}
