//! How far a launch is, and the order to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How far a launch is, for another thread, which may end it. The emulator has no clock: whoever has one decides when.
#[derive(Debug, Default)]
pub struct LaunchProgress {
    stopped: AtomicBool,
    workgroups: AtomicU64,
    instructions: AtomicU64,
}

impl LaunchProgress {
    /// Ends the launch soon, with [`Fault::Stopped`](crate::Fault::Stopped): before its next workgroup, or within some
    /// million instructions of a wave.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Workgroups that have ended.
    pub fn workgroups(&self) -> u64 {
        self.workgroups.load(Relaxed)
    }

    /// Instructions that waves have executed, one per wave, but for those of the workgroups that run at the moment.
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
