//! A command's turn: whether it has come, and what the command does then.
//!
//! A kernel runs without the lock on the state, and with the memory for itself. All other commands are done under the
//! lock; those that work on memory wait for a kernel to end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use emulator::{EmulatedMemory, LaunchFault};

use crate::clock::Clock;
use crate::command::Command;
use crate::device::SelectedDevice;
use crate::error::{Error, Result, explain};
use crate::launch::LaunchCommand;
use crate::state::{Guard, LibraryState, claim, wait_for_memory, without_lock};
use crate::time;

impl Command {
    /// Whether its turn can come now. A function of the host is called by the stream's thread only.
    pub(crate) fn is_ready(&self, state: &LibraryState) -> bool {
        match self {
            Command::Host(_) => false,
            Command::WaitEvent(event, record) => {
                let event = state.events.get(*event);
                event.map_or(true, |event| event.recorded >= *record)
            }
            Command::After(stream, count) => {
                let stream = state.streams.get(*stream);
                stream.map_or(true, |stream| stream.completed >= *count)
            }
            _ => true,
        }
    }

    /// Whether it works on what is in memory, which a kernel has for itself while it runs.
    fn needs_memory(&self) -> bool {
        matches!(self, Command::Copy(_) | Command::Fill(_) | Command::Free(_))
    }

    /// Does it, on a stream with this clock, which it advances.
    ///
    /// # Errors
    /// What went wrong; the clock stands still.
    fn run(self, state: &mut LibraryState, clock: &mut Clock) -> Result<()> {
        let machine = &state.device.machine;
        match self {
            Command::Copy(copy) => {
                let bytes = copy.device_bytes(&state.space);
                let time = time::of_copy(machine, bytes);
                copy.run(&mut state.space)?;
                state.device.journal.bytes("copy", time, bytes);
                clock.advance(time);
                Ok(())
            }
            Command::Fill(fill) => {
                let bytes = fill.width * fill.rows;
                let time = time::of_fill(machine, bytes);
                fill.run(&mut state.space)?;
                state.device.journal.bytes("fill", time, bytes);
                clock.advance(time);
                Ok(())
            }
            Command::Free(pointer) => state.free(pointer),
            Command::Record(event, record) => {
                // The program may have destroyed it.
                if let Ok(event) = state.events.get_mut(event) {
                    event.recorded = event.recorded.max(record);
                    event.clock = clock.clone();
                }
                Ok(())
            }
            Command::WaitEvent(event, _) => {
                if let Ok(event) = state.events.get(event) {
                    clock.join(&event.clock);
                }
                Ok(())
            }
            Command::After(stream, _) => {
                if let Ok(stream) = state.streams.get(stream) {
                    clock.join(&stream.clock);
                }
                Ok(())
            }
            // Done by others: see `take`, and the stream's thread.
            Command::Launch(_) | Command::Host(_) => Ok(()),
        }
    }
}

/// Does a command, on a stream with this clock, which it advances; returns what went wrong. A panic
/// is that too: whoever waits for the stream must not do so for ever because of a bug.
pub(crate) fn execute_command(
    mut guard: Guard,
    command: Command,
    stream: u64,
    clock: &mut Clock,
) -> (Guard, Result<()>) {
    if let Command::Launch(launch) = command {
        let (guard, time) = run(guard, &launch);
        let least_us = guard.device.machine.launch.floor_us;
        let advanced = time.map(|time| match time {
            Some(us) => clock.advance(us),
            None => clock.advance_unknown(stream, least_us),
        });
        return (guard, advanced);
    }
    if command.needs_memory() {
        guard = wait_for_memory(guard);
        // The kernel that had the memory may have been the device's last.
        if let Some(fault) = guard.fault {
            return (guard, Err(fault));
        }
    }
    let result = catch_unwind(AssertUnwindSafe(|| command.run(&mut guard, clock)));
    (guard, result.unwrap_or(Err(Error::Unknown)))
}

/// Executes a launch, without the lock; its modelled microseconds, none if they are unknown, or
/// what HIP calls the fault, which is explained. One that a device does not survive is the device's
/// answer from then on.
fn run(guard: Guard, launch: &LaunchCommand) -> (Guard, Result<Option<f64>>) {
    let mut guard = claim(guard);
    if let Some(fault) = guard.fault {
        guard.release();
        return (guard, Err(fault));
    }
    let key = time::key(&guard.space, launch);
    let known = guard.times.of(&key);
    let device = Arc::clone(&guard.device);
    let mut memory = guard.space.memory.lend();
    let (mut guard, result) = without_lock(guard, || {
        catch_unwind(AssertUnwindSafe(|| {
            let profiled = (known.is_none()).then(|| time::profiled(&device, &mut memory, launch));
            (profiled, execute(&device, &mut memory, launch))
        }))
    });
    // A kernel that ended in a panic has left the memory in some state, which is the program's all the same.
    guard.space.memory.take_back(memory);
    guard.release();
    let Ok((profiled, result)) = result else {
        return (guard, Err(Error::Unknown));
    };
    let kernel = launch.function.kernel();
    let result = match result {
        Ok(()) => {
            let time = match profiled {
                None => known.flatten(),
                Some(profiled) => {
                    let unknown = |fault: LaunchFault| {
                        explain(format!("the time of {} is unknown: {fault}", kernel.name));
                    };
                    let time = profiled.map_err(unknown).ok();
                    guard.times.keep(key, &launch.function.code, time);
                    time
                }
            };
            let (workgroups, size) = (launch.workgroups, launch.workgroup_size);
            device.journal.launch(time, &kernel.name, workgroups, size);
            Ok(time)
        }
        Err(error) => {
            if !matches!(error, Error::InvalidConfiguration | Error::OutOfMemory) {
                guard.fault = Some(error);
            }
            Err(error)
        }
    };
    (guard, result)
}

fn execute(
    device: &SelectedDevice,
    memory: &mut EmulatedMemory,
    launch: &LaunchCommand,
) -> Result<()> {
    let code = &launch.function.code;
    let emulated = launch.emulated(&device.machine, device.instruction_limit);
    if !device.check {
        let result = emulator::run(code, memory, &emulated);
        return result.map(drop).map_err(|fault| error_of(&fault));
    }
    let checked = emulator::check(code, memory, &emulated);
    for finding in &checked.findings {
        explain(finding);
    }
    match checked.result {
        Ok(_) if !checked.findings.is_empty() => Err(Error::LaunchFailure),
        result => result.map(drop).map_err(|fault| error_of(&fault)),
    }
}

/// What HIP calls a fault.
fn error_of(fault: &LaunchFault) -> Error {
    explain(fault);
    match fault {
        LaunchFault::Launch { .. } => Error::InvalidConfiguration,
        LaunchFault::Memory(_) => Error::OutOfMemory,
        LaunchFault::OutOfBounds { .. } => Error::IllegalAddress,
        LaunchFault::InstructionLimit { .. } => Error::LaunchTimeOut,
        _ => Error::LaunchFailure,
    }
}
