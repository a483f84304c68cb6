//! What there is: one device, its memory, and everything that handles stand for, behind one lock.

mod graphs;
mod memory;
mod modules;

use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::graph::{Executable, Graph};
use crate::handles::Handles;
use crate::memory::Space;
use crate::module::{Function, Module};
use crate::pool::Pools;
use crate::stream::Streams;
use crate::time::Times;

/// The state of the device.
pub(crate) struct State {
    pub(crate) device: Device,
    pub(crate) space: Space,
    pub(crate) modules: Handles<Module>,
    pub(crate) functions: Handles<Function>,
    pub(crate) streams: Streams,
    pub(crate) events: Handles<Event>,
    pub(crate) graphs: Handles<Graph>,
    /// The nodes of all graphs, and whose they are.
    pub(crate) nodes: Handles<u64>,
    pub(crate) executables: Handles<Executable>,
    pub(crate) pools: Pools,
    pub(crate) times: Times,
    /// What a kernel did that a device does not survive: it is the answer to everything from then on.
    pub(crate) fault: Option<Error>,
}

impl State {
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

static STATE: OnceLock<Option<Mutex<State>>> = OnceLock::new();
/// Somebody who waits for a stream may look again.
pub(crate) static PROGRESS: Condvar = Condvar::new();

/// The lock on the state.
pub(crate) type Guard = MutexGuard<'static, State>;

/// The state. The first call chooses the device.
///
/// # Errors
/// [`Error::NoDevice`] where there is no device of the name that the environment asks for.
pub(crate) fn state() -> Result<Guard> {
    let state = STATE.get_or_init(|| {
        let device = Device::of_environment()?;
        Some(Mutex::new(State {
            space: Space::new(device.memory_bytes),
            device,
            modules: Handles::default(),
            functions: Handles::default(),
            streams: Streams::new(),
            events: Handles::default(),
            graphs: Handles::default(),
            nodes: Handles::default(),
            executables: Handles::default(),
            pools: Pools::new(),
            times: Times::default(),
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
pub(crate) fn working() -> Result<Guard> {
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
