//! The state: one device, its memory, and all objects with handles, behind one lock.
//!
//! A kernel runs without the lock and has claimed the memory for itself. Code that uses the
//! contents of memory claims it, too, and so waits for the kernel's end. Allocating needs no
//! claim: see [`AllocationTable`].

mod graphs;
mod memory;
mod modules;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::cache_contents::CacheContents;
use crate::device::SelectedDevice;
use crate::error::{Error, Result};
use crate::event::HipEvent;
use crate::graph::{Executable, Graph};
use crate::handles::Handles;
use crate::memory::AllocationTable;
use crate::module::{Function, HipModule};
use crate::pool::Pools;
use crate::stream::Streams;
use crate::time::LaunchTimes;

/// The state of the device.
pub(crate) struct LibraryState {
    pub(crate) device: Arc<SelectedDevice>,
    pub(crate) space: AllocationTable,
    /// The claims on the memory: see [`claim`].
    claims: MemoryClaims,
    pub(crate) modules: Handles<HipModule>,
    pub(crate) functions: Handles<Function>,
    pub(crate) streams: Streams,
    pub(crate) events: Handles<HipEvent>,
    pub(crate) graphs: Handles<Graph>,
    /// The nodes of all graphs, with their graphs.
    pub(crate) nodes: Handles<u64>,
    pub(crate) executables: Handles<Executable>,
    pub(crate) pools: Pools,
    pub(crate) times: LaunchTimes,
    pub(crate) caches: CacheContents,
    /// The fault of a kernel that the device did not survive. It is the answer to every call from
    /// then on.
    pub(crate) fault: Option<Error>,
}

/// Claims on the memory, granted in their order.
#[derive(Default)]
struct MemoryClaims {
    made: u64,
    /// The number of claims that have ended.
    met: u64,
}

impl LibraryState {
    /// Ends the current claim on the memory.
    pub(crate) fn release(&mut self) {
        self.claims.met += 1;
        PROGRESS.notify_all();
    }

    /// Forgets the program's objects, except the code of its modules and their variables.
    pub(crate) fn reset(&mut self) {
        self.space.free_all();
        self.streams = Streams::new();
        self.events = Handles::default();
        self.graphs = Handles::default();
        self.nodes = Handles::default();
        self.executables = Handles::default();
        self.pools = Pools::new();
        self.fault = None;
    }
}

static STATE: OnceLock<Option<Mutex<LibraryState>>> = OnceLock::new();
/// Signalled after every progress, for threads that wait for a stream.
pub(crate) static PROGRESS: Condvar = Condvar::new();

/// The lock on the state.
pub(crate) type Guard = MutexGuard<'static, LibraryState>;

/// Locks the state. The first call selects the device.
///
/// # Errors
/// [`Error::NoDevice`] if the environment names an unknown device.
pub(crate) fn state() -> Result<Guard> {
    let state = STATE.get_or_init(|| {
        let device = SelectedDevice::of_environment()?;
        Some(Mutex::new(LibraryState {
            space: AllocationTable::new(device.memory_bytes),
            device: Arc::new(device),
            claims: MemoryClaims::default(),
            modules: Handles::default(),
            functions: Handles::default(),
            streams: Streams::new(),
            events: Handles::default(),
            graphs: Handles::default(),
            nodes: Handles::default(),
            executables: Handles::default(),
            pools: Pools::new(),
            times: LaunchTimes::default(),
            caches: CacheContents::default(),
            fault: None,
        }))
    });
    let state = state.as_ref().ok_or(Error::NoDevice)?;
    // A call that panicked ended with an error, and its state remains the state.
    Ok(state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Locks the state as [`state`] does, if the device still works.
///
/// # Errors
/// Also the fault of a kernel that the device did not survive.
pub(crate) fn healthy_state() -> Result<Guard> {
    let state = state()?;
    match state.fault {
        Some(fault) => Err(fault),
        None => Ok(state),
    }
}

/// Waits until there may be progress.
pub(crate) fn wait(guard: Guard) -> Guard {
    PROGRESS.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no other claim has the memory. The caller has it until [`LibraryState::release`],
/// with or without the lock.
pub(crate) fn claim(mut guard: Guard) -> Guard {
    let claim = guard.claims.made;
    guard.claims.made += 1;
    // Every release wakes all waiters; the numbers keep the order of arrival.
    while guard.claims.met != claim {
        guard = wait(guard);
    }
    guard
}

/// Waits until no kernel has the memory. None starts while the caller holds the lock.
pub(crate) fn wait_for_memory(guard: Guard) -> Guard {
    let mut guard = claim(guard);
    guard.release();
    guard
}

/// Releases the lock while `body` runs.
pub(crate) fn without_lock<R>(guard: Guard, body: impl FnOnce() -> R) -> (Guard, R) {
    drop(guard);
    let result = body();
    (state().expect("a device that is there stays"), result)
}
