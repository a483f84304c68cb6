//! A command's turn: whether it has come, and what the command does then.

use emulator::Fault;

use crate::command::Command;
use crate::error::{Error, Result, explain};
use crate::launch::Launch;
use crate::state::State;
use crate::time;

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

impl Launch {
    /// Executes it; returns its modelled microseconds.
    ///
    /// # Errors
    /// What HIP calls the fault, which is explained. One that a device does not survive is the device's answer from then
    /// on.
    pub(crate) fn run(&self, state: &mut State) -> Result<f64> {
        let time = time::of(&mut state.times, &mut state.space, &state.device, self);
        let launch = self.emulated(state.device.instruction_limit);
        let (code, memory) = (&self.function.code, &mut state.space.memory);
        let result = if state.device.check {
            let checked = emulator::check(code, memory, &launch);
            for finding in &checked.findings {
                explain(finding);
            }
            match checked.result {
                Ok(_) if !checked.findings.is_empty() => Err(Error::LaunchFailure),
                result => result.map_err(|fault| error_of(&fault)),
            }
        } else {
            emulator::run(code, memory, &launch).map_err(|fault| error_of(&fault))
        };
        match result {
            Ok(_) => Ok(time.unwrap_or_else(|fault| {
                explain(format!(
                    "modelled as an empty launch, because of its sample {fault}"
                ));
                state.device.machine.launch.floor_us
            })),
            Err(error) => {
                if !matches!(error, Error::InvalidConfiguration | Error::OutOfMemory) {
                    state.fault = Some(error);
                }
                Err(error)
            }
        }
    }
}

/// What HIP calls a fault.
fn error_of(fault: &Fault) -> Error {
    explain(fault);
    match fault {
        Fault::Launch { .. } => Error::InvalidConfiguration,
        Fault::Memory(_) => Error::OutOfMemory,
        Fault::OutOfBounds { .. } => Error::IllegalAddress,
        Fault::InstructionLimit { .. } => Error::LaunchTimeOut,
        _ => Error::LaunchFailure,
    }
}
