//! What a stream does, one command after the other.

use crate::copy::{Copy, Fill};
use crate::error::Result;
use crate::ffi::Pointer;
use crate::launch::Launch;
use crate::state::State;
use crate::time;

/// A function of the host, as HIP calls it.
#[derive(Clone, Copy)]
pub(crate) struct HostCall {
    pub(crate) function: HostFunction,
    /// What it is called with; the program knows what it means.
    pub(crate) data: Pointer,
}

/// The two kinds of functions that a stream calls.
#[derive(Clone, Copy)]
pub(crate) enum HostFunction {
    /// `hipHostFn_t`.
    Plain(extern "C" fn(Pointer)),
    /// `hipStreamCallback_t`: with the stream and its status.
    Callback(extern "C" fn(u64, i32, Pointer)),
}

/// A command.
pub(crate) enum Command {
    Launch(Launch),
    Copy(Copy),
    Fill(Fill),
    /// Frees memory.
    Free(Pointer),
    /// The event's record with this number has happened.
    Record(u64, u64),
    /// Waits for the event's record with this number.
    WaitEvent(u64, u64),
    /// Waits until a stream has done so many commands.
    After(u64, u64),
    Host(HostCall),
}

impl Command {
    /// Whether its turn can come now. A function of the host is called by the stream's thread only.
    pub(crate) fn is_ready(&self, state: &State) -> bool {
        match self {
            Command::Host(_) => false,
            Command::WaitEvent(event, record) => {
                let event = state.events.get(*event);
                event.map_or(true, |event| event.recorded >= *record)
            }
            Command::After(stream, count) => {
                let stream = state.streams.get(*stream);
                stream.map_or(true, |stream| stream.done >= *count)
            }
            _ => true,
        }
    }

    /// Does it, on a stream whose clock shows `clock`; returns what the clock shows then.
    ///
    /// # Errors
    /// What went wrong; the clock stands still.
    pub(crate) fn run(self, state: &mut State, clock: f64) -> Result<f64> {
        let machine = &state.device.machine;
        match self {
            Command::Launch(launch) => Ok(clock + launch.run(state)?),
            Command::Copy(copy) => {
                let time = time::of_copy(machine, copy.device_bytes(&state.space));
                copy.run(&mut state.space)?;
                Ok(clock + time)
            }
            Command::Fill(fill) => {
                let time = time::of_fill(machine, fill.width * fill.rows);
                fill.run(&mut state.space)?;
                Ok(clock + time)
            }
            Command::Free(pointer) => state.free(pointer).map(|()| clock),
            Command::Record(event, record) => {
                // The program may have destroyed it.
                if let Ok(event) = state.events.get_mut(event) {
                    event.recorded = event.recorded.max(record);
                    event.time_us = clock;
                }
                Ok(clock)
            }
            Command::WaitEvent(event, _) => {
                let event = state.events.get(event);
                Ok(event.map_or(clock, |event| clock.max(event.time_us)))
            }
            Command::After(stream, _) => {
                let stream = state.streams.get(stream);
                Ok(stream.map_or(clock, |stream| clock.max(stream.clock_us)))
            }
            Command::Host(_) => Ok(clock),
        }
    }
}
