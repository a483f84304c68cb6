//! Submission of commands to streams, and the thread that executes commands that must wait.

use crate::clock::Clock;
use crate::command::{Command, HostFunction};
use crate::command_execution;
use crate::copy::MemoryCopy;
use crate::error::{Error, Result};
use crate::launch::LaunchCommand;
use crate::state::{Guard, PROGRESS, healthy_state, state, wait};
use crate::stream::resolve_handle;
use crate::synchronization::synchronize;

/// Submits a command to a stream. It runs at once if nothing precedes it.
///
/// # Errors
/// [`Error::InvalidHandle`], or the command's error if it ran.
pub(crate) fn submit(handle: u64, command: Command) -> Result<()> {
    submit_with(handle, command).map(drop)
}

/// Submits a command as [`submit`] does. Returns true if the command ran.
fn submit_with(handle: u64, mut command: Command) -> Result<bool> {
    let handle = resolve_handle(handle);
    let mut guard = healthy_state()?;
    let state = &mut *guard;
    if let Some(graph) = state.captured(handle)? {
        return state.capture(graph, command).map(|()| true);
    }
    let before = state.streams.dependencies(handle)?;
    let host = state.streams.host.clone();
    let stream = state.streams.get_mut(handle)?;
    stream.clock.join(&host);
    if stream.is_idle() && before.is_empty() && command.is_ready(state) {
        state.streams.get_mut(handle)?.submitted += 1;
        return done(guard, handle, command).1.map(|()| true);
    }
    if let Command::Copy(copy) = &mut command
        && copy.on_host(&state.space).0
    {
        copy.snapshot_source()?;
    }
    let stream = state.streams.get_mut(handle)?;
    if !stream.threaded {
        // The thread starts when this call releases the state.
        let thread = std::thread::Builder::new().name("hip stream".to_owned());
        let started = thread.spawn(move || go_on(handle));
        started.map_err(|_| Error::OutOfMemory)?;
        stream.threaded = true;
    }
    stream.submitted += 1 + before.len() as u64;
    stream.queue.extend(before);
    stream.queue.push_back(command);
    Ok(false)
}

/// Executes a submitted command in its turn.
fn done(guard: Guard, handle: u64, command: Command) -> (Guard, Result<()>) {
    let mut clock = match guard.streams.get(handle) {
        Ok(stream) => stream.clock.clone(),
        Err(_) => Clock::default(),
    };
    let (mut guard, result) =
        command_execution::execute_command(guard, command, handle, &mut clock);
    // While a kernel ran, the program may have destroyed the stream, or submitted commands that
    // start later.
    if let Ok(stream) = guard.streams.get_mut(handle) {
        stream.completed += 1;
        stream.clock.continue_with(&clock);
    }
    PROGRESS.notify_all();
    (guard, result)
}

/// Runs a stream's thread: executes the queue until it is empty.
fn go_on(handle: u64) {
    let Ok(mut guard) = state() else { return };
    loop {
        let state = &mut *guard;
        let Ok(stream) = state.streams.get_mut(handle) else {
            return;
        };
        // Another thread may still execute the command before.
        if !stream.queue.is_empty() && !stream.is_free() {
            guard = wait(guard);
            continue;
        }
        let Some(command) = stream.queue.pop_front() else {
            stream.threaded = false;
            return;
        };
        if let Command::Host(call) = command {
            drop(guard);
            match call.function {
                HostFunction::Plain(function) => function(call.data),
                HostFunction::Callback(function) => function(handle, 0, call.data),
            }
            let Ok(again) = crate::state::state() else {
                return;
            };
            guard = again;
            if let Ok(stream) = guard.streams.get_mut(handle) {
                stream.completed += 1;
            }
        } else if state.fault.is_some() || command.is_ready(state) {
            // After a fault no command runs, but waiting threads must not wait for ever.
            let skipped = state.fault.is_some();
            match skipped {
                true => state
                    .streams
                    .get_mut(handle)
                    .map_or((), |one| one.completed += 1),
                // No caller waits for the error; a fault is the device's answer from then on.
                false => guard = done(guard, handle, command).0,
            }
        } else {
            if let Ok(stream) = state.streams.get_mut(handle) {
                stream.queue.push_front(command);
            }
            guard = wait(guard);
            continue;
        }
        PROGRESS.notify_all();
    }
}

/// Submits a copy to a stream. A copy to host memory that the device does not see is complete
/// when this returns.
///
/// # Errors
/// As [`submit`]; [`Error::InvalidValue`] if bytes are out of bounds.
pub(crate) fn submit_copy(handle: u64, copy: MemoryCopy) -> Result<()> {
    let writes_host = {
        let state = healthy_state()?;
        copy.check(&state.space)?;
        copy.on_host(&state.space).1
    };
    let done = submit_with(handle, Command::Copy(copy))?;
    if writes_host && !done {
        synchronize(handle)?;
    }
    Ok(())
}

/// Records the event in the stream's turn.
///
/// # Errors
/// [`Error::InvalidHandle`].
pub(crate) fn record(event: u64, stream: u64) -> Result<()> {
    let number = {
        let mut state = healthy_state()?;
        let captured = state.captured(stream)?;
        let event = state.events.get_mut(event)?;
        event.captured = captured;
        if captured.is_some() {
            return Ok(());
        }
        event.requested += 1;
        event.requested
    };
    submit(stream, Command::Record(event, number))
}

/// Makes a stream wait for the event's last requested record.
///
/// # Errors
/// [`Error::InvalidHandle`].
pub(crate) fn submit_event_wait(stream: u64, event: u64) -> Result<()> {
    let asked = {
        let mut state = healthy_state()?;
        let event = state.events.get(event)?;
        let (asked, captured) = (event.requested, event.captured);
        // If the capture of a graph has ended, the program that launches the graph waits for it.
        let captured = captured.filter(|graph| state.streams.are_captured(*graph));
        let stream = state.streams.get_mut(stream)?;
        match (captured, stream.capture) {
            (None, None) => asked,
            // A graph's work cannot follow an event that happens once, and two graphs cannot
            // merge.
            (None, Some(_)) => return Err(Error::StreamCaptureIsolation),
            (Some(graph), Some(other)) if graph != other => {
                return Err(Error::StreamCaptureIsolation);
            }
            (Some(_), _) => {
                stream.capture = captured;
                return Ok(());
            }
        }
    };
    submit(stream, Command::WaitEvent(event, asked))
}

/// Submits a launch between the records of two events. Each may be 0.
///
/// # Errors
/// As [`submit`].
pub(crate) fn submit_between_events(
    start: u64,
    stop: u64,
    stream: u64,
    launch: LaunchCommand,
) -> Result<()> {
    if start != 0 {
        record(start, stream)?;
    }
    submit(stream, Command::Launch(launch))?;
    if stop != 0 {
        record(stop, stream)?;
    }
    Ok(())
}
