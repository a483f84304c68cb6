//! The progress of a launch, and the order to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The progress of a launch, which another thread may read or end. The emulator has no clock, so
/// a timeout is the caller's decision.
#[derive(Debug, Default)]
pub struct LaunchProgress {
    stopped: AtomicBool,
    workgroups: AtomicU64,
    instructions: AtomicU64,
}

impl LaunchProgress {
    /// Ends the launch soon, with [`LaunchFault::Stopped`](crate::LaunchFault::Stopped): before
    /// its next workgroup, or within some million instructions of a wave.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Returns the number of workgroups that have ended.
    pub fn workgroups(&self) -> u64 {
        self.workgroups.load(Relaxed)
    }

    /// Returns the number of executed instructions, one per wave. Turns that still run do not
    /// count yet.
    pub fn instructions(&self) -> u64 {
        self.instructions.load(Relaxed)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    pub(super) fn add(&self, workgroups: u64, instructions: u64) {
        self.workgroups.fetch_add(workgroups, Relaxed);
        self.instructions.fetch_add(instructions, Relaxed);
    }
}
