//! Giving streams commands, and the thread that goes on where one has to wait.

use crate::clock::Clock;
use crate::command::{Command, HostFunction};
use crate::command_execution;
use crate::copy::MemoryCopy;
use crate::error::{Error, Result};
use crate::launch::LaunchCommand;
use crate::state::{Guard, PROGRESS, healthy_state, state, wait};
use crate::stream::resolve_handle;
use crate::synchronization::synchronize;

/// Gives a stream a command, which is done at once if nothing is in its way.
///
/// # Errors
/// [`Error::InvalidHandle`], or what the command ends with if it was done.
pub(crate) fn submit(handle: u64, command: Command) -> Result<()> {
    submit_with(handle, command).map(drop)
}

/// As [`submit`]; whether the command was done.
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
        // It begins when this call has let go of the state.
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

/// Does a command in its turn, of which the stream has been told.
fn done(guard: Guard, handle: u64, command: Command) -> (Guard, Result<()>) {
    let mut clock = match guard.streams.get(handle) {
        Ok(stream) => stream.clock.clone(),
        Err(_) => Clock::default(),
    };
    let (mut guard, result) =
        command_execution::execute_command(guard, command, handle, &mut clock);
    // While a kernel ran the program may have destroyed the stream, or told it of commands that begin later.
    if let Ok(stream) = guard.streams.get_mut(handle) {
        stream.completed += 1;
        stream.clock.join(&clock);
    }
    PROGRESS.notify_all();
    (guard, result)
}

/// A stream's thread: does what is in the queue until nothing is.
fn go_on(handle: u64) {
    let Ok(mut guard) = state() else { return };
    loop {
        let state = &mut *guard;
        let Ok(stream) = state.streams.get_mut(handle) else {
            return;
        };
        // Another thread may still be at the command before.
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
            // After a fault nothing runs any more, but who waits is not left waiting.
            let skipped = state.fault.is_some();
            match skipped {
                true => state
                    .streams
                    .get_mut(handle)
                    .map_or((), |one| one.completed += 1),
                // Nobody is there to be told; a fault is the device's answer from then on.
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

/// Gives a stream a copy. One that writes memory of the host's which the device does not see is done when this returns.
///
/// # Errors
/// As [`submit`]; [`Error::InvalidValue`] where bytes are out of bounds.
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

/// Has a stream wait for what the event was last asked to record.
///
/// # Errors
/// [`Error::InvalidHandle`].
pub(crate) fn submit_event_wait(stream: u64, event: u64) -> Result<()> {
    let asked = {
        let mut state = healthy_state()?;
        let event = state.events.get(event)?;
        let (asked, captured) = (event.requested, event.captured);
        // A graph that was captured to its end is waited for by whoever launches it.
        let captured = captured.filter(|graph| state.streams.are_captured(*graph));
        let stream = state.streams.get_mut(stream)?;
        match (captured, stream.capture) {
            (None, None) => asked,
            // What a graph does cannot come after what only happens once, nor two graphs be one.
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

/// Submits a launch between the records of two events, of which either may be none.
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
