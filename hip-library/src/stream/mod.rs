//! Streams: commands in order, and the thread that goes on where one has to wait.
//!
//! The null stream comes after what other streams have been told before, and what they are told later comes after it;
//! streams that were made non-blocking do not care.

mod calls;

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::command::{Command, HostFunction};
use crate::error::{Error, Result};
use crate::handles::Handles;
use crate::state::{Guard, PROGRESS, state, wait, working};

/// The streams that are always there: the null stream, under two names, and that of each thread, which is one here.
pub(crate) const NULL: u64 = 0;
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;
/// `hipStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// A stream.
#[derive(Default)]
pub(crate) struct Stream {
    flags: u32,
    /// What its modelled clock shows, in microseconds.
    pub(crate) clock_us: f64,
    /// What it has yet to do.
    queue: VecDeque<Command>,
    /// Commands that it was given, and those that it has done.
    told: u64,
    pub(crate) done: u64,
    /// Whether it has a thread.
    threaded: bool,
    /// The graph that its commands go to instead.
    pub(crate) capture: Option<u64>,
}

impl Stream {
    fn is_idle(&self) -> bool {
        self.told == self.done
    }

    fn blocks(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }
}

/// All streams, and the modelled clock of the host, which only waits.
pub(crate) struct Streams {
    built_in: HashMap<u64, Stream>,
    made: Handles<Stream>,
    host_us: f64,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        let built_in = [NULL, PER_THREAD].map(|handle| (handle, Stream::default()));
        Streams {
            built_in: built_in.into(),
            made: Handles::default(),
            host_us: 0.0,
        }
    }

    /// # Errors
    /// [`Error::InvalidHandle`], here and below.
    pub(crate) fn get(&self, handle: u64) -> Result<&Stream> {
        match self.built_in.get(&named(handle)) {
            Some(stream) => Ok(stream),
            None => self.made.get(handle),
        }
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Result<&mut Stream> {
        match self.built_in.get_mut(&named(handle)) {
            Some(stream) => Ok(stream),
            None => self.made.get_mut(handle),
        }
    }

    fn all(&self) -> impl Iterator<Item = (u64, &Stream)> {
        let built_in = self.built_in.iter().map(|(handle, one)| (*handle, one));
        built_in.chain(self.made.iter())
    }

    /// Whether streams are captured into a graph.
    pub(crate) fn are_captured(&self, graph: u64) -> bool {
        self.all().any(|(_, stream)| stream.capture == Some(graph))
    }

    /// Streams that are captured into a graph are so no longer.
    pub(crate) fn release(&mut self, graph: u64) {
        let built_in = self.built_in.values_mut();
        for stream in built_in.chain(self.made.values_mut()) {
            if stream.capture == Some(graph) {
                stream.capture = None;
            }
        }
    }

    /// What a command of this stream must come after, beyond the stream's own.
    fn before(&self, handle: u64) -> Result<Vec<Command>> {
        if !self.get(handle)?.blocks() {
            return Ok(Vec::new());
        }
        let others = self.all().filter(|(other, stream)| {
            let minds = stream.blocks() && (handle == NULL || *other == NULL);
            *other != handle && minds && !stream.is_idle()
        });
        Ok(others
            .map(|(other, stream)| Command::After(other, stream.told))
            .collect())
    }
}

/// The handle under which a stream is kept.
fn named(handle: u64) -> u64 {
    if handle == LEGACY { NULL } else { handle }
}

/// Gives a stream a command, which is done at once if nothing is in its way.
///
/// # Errors
/// [`Error::InvalidHandle`], or what the command ends with if it was done.
pub(crate) fn submit(handle: u64, command: Command) -> Result<()> {
    submit_with(handle, command).map(drop)
}

/// As [`submit`]; whether the command was done.
fn submit_with(handle: u64, mut command: Command) -> Result<bool> {
    let handle = named(handle);
    let mut guard = working()?;
    let state = &mut *guard;
    if let Some(graph) = state.captured(handle)? {
        return state.capture(graph, command).map(|()| true);
    }
    let before = state.streams.before(handle)?;
    let host = state.streams.host_us;
    let stream = state.streams.get_mut(handle)?;
    stream.clock_us = stream.clock_us.max(host);
    if stream.is_idle() && before.is_empty() && command.is_ready(state) {
        state.streams.get_mut(handle)?.told += 1;
        let result = done(&mut guard, handle, command);
        PROGRESS.notify_all();
        return result.map(|()| true);
    }
    if let Command::Copy(copy) = &mut command
        && copy.on_host(&state.space).0
    {
        copy.take()?;
    }
    let stream = state.streams.get_mut(handle)?;
    if !stream.threaded {
        // It begins when this call has let go of the state.
        let thread = std::thread::Builder::new().name("hip stream".to_owned());
        let started = thread.spawn(move || go_on(handle));
        started.map_err(|_| Error::OutOfMemory)?;
        stream.threaded = true;
    }
    stream.told += 1 + before.len() as u64;
    stream.queue.extend(before);
    stream.queue.push_back(command);
    Ok(false)
}

/// Does a command in its turn, of which the stream has been told.
fn done(guard: &mut Guard, handle: u64, command: Command) -> Result<()> {
    let state = &mut **guard;
    let clock = state.streams.get(handle)?.clock_us;
    // Whoever waits for the stream must not do so for ever because of a bug.
    let result = catch_unwind(AssertUnwindSafe(|| command.run(state, clock)));
    let result = result.unwrap_or(Err(Error::Unknown));
    let stream = state.streams.get_mut(handle)?;
    stream.done += 1;
    stream.clock_us = *result.as_ref().unwrap_or(&clock);
    result.map(drop)
}

/// A stream's thread: does what is in the queue until nothing is.
fn go_on(handle: u64) {
    let Ok(mut guard) = state() else { return };
    loop {
        let state = &mut *guard;
        let Ok(stream) = state.streams.get_mut(handle) else {
            return;
        };
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
                stream.done += 1;
            }
        } else if state.fault.is_some() || command.is_ready(state) {
            // After a fault nothing runs any more, but who waits is not left waiting.
            let skipped = state.fault.is_some();
            match skipped {
                true => state
                    .streams
                    .get_mut(handle)
                    .map_or((), |one| one.done += 1),
                // Nobody is there to be told; a fault is the device's answer from then on.
                false => drop(done(&mut guard, handle, command)),
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

/// Waits until the streams that `which` says have nothing left of what they have been told.
fn drain(mut guard: Guard, which: impl Fn(u64) -> bool) -> Result<()> {
    let told: Vec<(u64, u64)> = (guard.streams.all())
        .filter(|(handle, _)| which(*handle))
        .map(|(handle, stream)| (handle, stream.told))
        .collect();
    for (handle, told) in told {
        while guard
            .streams
            .get(handle)
            .is_ok_and(|stream| stream.done < told)
        {
            guard = wait(guard);
        }
        let clock = guard.streams.get(handle).map_or(0.0, |one| one.clock_us);
        guard.streams.host_us = guard.streams.host_us.max(clock);
    }
    guard.fault.map_or(Ok(()), Err)
}

/// Waits for everything.
///
/// # Errors
/// What a kernel did that the device has not survived.
pub(crate) fn synchronize_all() -> Result<()> {
    drain(state()?, |_| true)
}

/// Waits for one stream, and, if it is the null stream, for those that it comes after.
///
/// # Errors
/// [`Error::InvalidHandle`], or as [`synchronize_all`].
pub(crate) fn synchronize(handle: u64) -> Result<()> {
    let guard = state()?;
    guard.streams.get(handle)?;
    match named(handle) {
        NULL => {
            let streams = guard.streams.all();
            let blocking: Vec<u64> = streams
                .filter(|(_, stream)| stream.blocks())
                .map(|(handle, _)| handle)
                .collect();
            drain(guard, |one| blocking.contains(&one))
        }
        handle => drain(guard, |one| one == handle),
    }
}

/// Waits for the null stream after a call that ends when its work has.
///
/// # Errors
/// That of the call, or as [`synchronize`].
pub(crate) fn then_wait(result: Result<()>) -> Result<()> {
    result?;
    synchronize(NULL)
}

/// Gives a stream a copy. One that writes memory of the host's which the device does not see is done when this returns.
///
/// # Errors
/// As [`submit`]; [`Error::InvalidValue`] where bytes are out of bounds.
pub(crate) fn submit_copy(handle: u64, copy: crate::copy::Copy) -> Result<()> {
    let writes_host = {
        let state = working()?;
        copy.check(&state.space)?;
        copy.on_host(&state.space).1
    };
    let done = submit_with(handle, Command::Copy(copy))?;
    if writes_host && !done {
        synchronize(handle)?;
    }
    Ok(())
}
