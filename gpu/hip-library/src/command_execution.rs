//! The execution of a command in its turn.
//!
//! A kernel runs without the lock on the state, and has the memory for itself. All other commands
//! run under the lock. Those that use memory wait until the kernel has ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use emulator::{EmulatedMemory, LaunchFault};

use crate::clock::Clock;
use crate::command::Command;
use crate::device::SelectedDevice;
use crate::error::{Error, Result, explain};
use crate::journal::identity;
use crate::launch::LaunchCommand;
use crate::state::{Guard, LibraryState, claim, wait_for_memory, without_lock};
use crate::time;
use crate::unknown_time::UnknownTime;

impl Command {
    /// Returns true if the command can run now. Only the stream's thread calls host functions.
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

    /// Returns true if the command uses the contents of memory, which a running kernel has for
    /// itself.
    fn needs_memory(&self) -> bool {
        matches!(self, Command::Copy(_) | Command::Fill(_) | Command::Free(_))
    }

    /// Executes the command on a stream with this clock, and advances the clock.
    ///
    /// # Errors
    /// The command's error; the clock then stands still.
    fn run(self, state: &mut LibraryState, clock: &mut Clock) -> Result<()> {
        let machine = &state.device.machine;
        match self {
            Command::Copy(copy) => {
                let bytes = copy.device_bytes(&state.space);
                let time = time::of_copy(machine, bytes);
                let host_time = time::of_host_copy(machine, copy.host_bytes(&state.space));
                copy.run(&mut state.space)?;
                state.device.journal.bytes("copy", time, bytes);
                clock.advance(time + host_time);
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
                // The program may have destroyed the event.
                if let Ok(event) = state.events.get_mut(event) {
                    event.recorded = event.recorded.max(record);
                    event.clock = clock.clone();
                }
                // The time between events around one launch includes all of its cost.
                clock.advance(0.0);
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
            // Executed elsewhere: see `run` below, and the stream's thread.
            Command::Launch(_) | Command::Host(_) => Ok(()),
        }
    }
}

/// Executes a command on a stream with this clock, advances the clock and returns the command's
/// error. A panic is an error, too, so that no thread waits for the stream for ever.
pub(crate) fn execute_command(
    mut guard: Guard,
    command: Command,
    stream: u64,
    clock: &mut Clock,
) -> (Guard, Result<()>) {
    if let Command::Launch(launch) = command {
        let (guard, time) = run(guard, &launch);
        let cost = guard.device.machine.launch;
        let advanced = time.map(|time| match time {
            Some(us) => clock.advance_launch(us, cost.floor_us - cost.behind_us),
            None => clock.advance_unknown(stream, cost.floor_us),
        });
        return (guard, advanced);
    }
    if command.needs_memory() {
        guard = wait_for_memory(guard);
        // The last kernel may have made the device unusable.
        if let Some(fault) = guard.fault {
            return (guard, Err(fault));
        }
    }
    let result = catch_unwind(AssertUnwindSafe(|| command.run(&mut guard, clock)));
    (guard, result.unwrap_or(Err(Error::Unknown)))
}

/// Executes a launch without the lock. Returns its modelled microseconds, `None` if they are
/// unknown, or HIP's error for the fault, after an explanation. A fault that a device does not
/// survive is the device's answer from then on.
fn run(guard: Guard, launch: &LaunchCommand) -> (Guard, Result<Option<f64>>) {
    let mut guard = claim(guard);
    if let Some(fault) = guard.fault {
        guard.release();
        return (guard, Err(fault));
    }
    // Buffers without content cannot change a time, so an equal launch has the known one.
    if guard.device.is_time_only
        && let Some(known) = guard.device.known_times.of(&identity(launch))
    {
        guard.device.journal.known_launch(known, launch);
        let time_us = known.time_us;
        guard.release();
        return (guard, Ok(time_us));
    }
    let key = time::key(&guard.space, launch);
    let known = guard.times.of(&key, || key.shape(launch));
    let device = Arc::clone(&guard.device);
    let mut memory = guard.space.memory.lend();
    let (mut guard, result) = without_lock(guard, || {
        catch_unwind(AssertUnwindSafe(|| {
            let profiled = (known.is_none()).then(|| time::profiled(&device, &mut memory, launch));
            let executed = match device.is_time_only {
                true => Ok(()),
                false => execute(&device, &mut memory, launch),
            };
            (profiled, executed)
        }))
    });
    // A kernel that panicked may have left the memory in any state; it still belongs to the
    // program.
    guard.space.memory.take_back(memory);
    guard.release();
    let Ok((profiled, result)) = result else {
        return (guard, Err(Error::Unknown));
    };
    let kernel = launch.function.kernel();
    let result = match result {
        Ok(()) => {
            if let Some(Err(unknown)) = &profiled {
                let reason = &unknown.reason;
                explain(format!("the time of {} is unknown: {reason}", kernel.name));
            }
            if let Some(time) = &profiled {
                let code = &launch.function.code;
                let shape = key.shape(launch);
                guard.times.keep(key, shape, code, time.clone());
            }
            // `known` is there if nothing was profiled.
            let time = profiled.or(known).unwrap_or_else(|| {
                Err(UnknownTime {
                    reason: Arc::from("not profiled"),
                    least_us: None,
                })
            });
            let state = &mut *guard;
            let held = time::held(&device, &mut state.caches, &state.space, launch);
            let time = time.map(|time| time.with(held));
            device.journal.launch(&time, launch);
            Ok(time.ok().map(|estimate| estimate.time_us))
        }
        // A refused launch has changed nothing; any other fault makes the device unusable, as
        // with HIP.
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
    // With the checker, a launch with findings fails even if it ran to its end.
    let checked = emulator::check(code, memory, &emulated);
    for finding in &checked.findings {
        explain(finding);
    }
    match checked.result {
        Ok(_) if !checked.findings.is_empty() => Err(Error::LaunchFailure),
        result => result.map(drop).map_err(|fault| error_of(&fault)),
    }
}

/// Returns HIP's error for a fault, and explains it.
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
