//! What there is: one device, its memory, and everything that handles stand for, behind one lock.
//!
//! A kernel runs without the lock. It has the memory for itself, which it has claimed; whoever works on what is in memory
//! claims it too, and so waits for its end. Whoever allocates does not: see [`Space`].

mod graphs;
mod memory;
mod modules;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

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
    /// Who has asked for the memory to themselves: see [`claim`].
    claims: MemoryClaims,
    pub(crate) modules: Handles<HipModule>,
    pub(crate) functions: Handles<Function>,
    pub(crate) streams: Streams,
    pub(crate) events: Handles<HipEvent>,
    pub(crate) graphs: Handles<Graph>,
    /// The nodes of all graphs, and whose they are.
    pub(crate) nodes: Handles<u64>,
    pub(crate) executables: Handles<Executable>,
    pub(crate) pools: Pools,
    pub(crate) times: LaunchTimes,
    /// What a kernel did that a device does not survive: it is the answer to everything from then on.
    pub(crate) fault: Option<Error>,
}

/// Claims on the memory, which are met in the order in which they were made.
#[derive(Default)]
struct MemoryClaims {
    made: u64,
    /// Those whose owners are done with the memory.
    met: u64,
}

impl LibraryState {
    /// The memory that was claimed is free for the next.
    pub(crate) fn release(&mut self) {
        self.claims.met += 1;
        PROGRESS.notify_all();
    }

    /// Forgets what the program has made, but for the code of its modules and their variables.
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
/// Somebody who waits for a stream may look again.
pub(crate) static PROGRESS: Condvar = Condvar::new();

/// The lock on the state.
pub(crate) type Guard = MutexGuard<'static, LibraryState>;

/// The state. The first call chooses the device.
///
/// # Errors
/// [`Error::NoDevice`] where there is no device of the name that the environment asks for.
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
            fault: None,
        }))
    });
    let state = state.as_ref().ok_or(Error::NoDevice)?;
    // A call that panicked has ended with an error; what it left is still the state.
    Ok(state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// As [`state`], of a device that still works.
///
/// # Errors
/// Also what a kernel did that the device has not survived.
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

/// Waits until the memory is nobody else's. It is the caller's until [`State::release`], with the lock or without.
pub(crate) fn claim(mut guard: Guard) -> Guard {
    let claim = guard.claims.made;
    guard.claims.made += 1;
    while guard.claims.met != claim {
        guard = wait(guard);
    }
    guard
}

/// Waits until no kernel has the memory; none begins while the caller has the lock.
pub(crate) fn wait_for_memory(guard: Guard) -> Guard {
    let mut guard = claim(guard);
    guard.release();
    guard
}

/// Lets go of the lock while `body` does something.
pub(crate) fn without_lock<R>(guard: Guard, body: impl FnOnce() -> R) -> (Guard, R) {
    drop(guard);
    let result = body();
    (state().expect("a device that is there stays"), result)
}
