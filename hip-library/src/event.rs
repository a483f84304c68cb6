//! Events: a place in a stream, and what the stream's modelled clock showed there.

use crate::command::Command;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::Out;
use crate::state::{state, wait, working};
use crate::stream::submit;

/// `hipEventDisableTiming`.
const NO_TIME: u32 = 2;

/// An event.
#[derive(Default)]
pub(crate) struct Event {
    flags: u32,
    /// How often it was asked to be recorded, and the last of these times that has happened.
    asked: u64,
    pub(crate) recorded: u64,
    /// What the clock showed then, in microseconds.
    pub(crate) time_us: f64,
    /// The graph that the stream was captured into when it was last asked to be recorded.
    captured: Option<u64>,
}

impl Event {
    fn is_pending(&self) -> bool {
        self.recorded < self.asked
    }
}

fn create(event: Out<u64>, flags: u32) -> Result<()> {
    event.check()?;
    let made = Event {
        flags,
        ..Event::default()
    };
    event.put(working()?.events.insert(made))
}

/// Records the event in the stream's turn.
///
/// # Errors
/// [`Error::InvalidHandle`].
pub(crate) fn record(event: u64, stream: u64) -> Result<()> {
    let number = {
        let mut state = working()?;
        let captured = state.captured(stream)?;
        let event = state.events.get_mut(event)?;
        event.captured = captured;
        if captured.is_some() {
            return Ok(());
        }
        event.asked += 1;
        event.asked
    };
    submit(stream, Command::Record(event, number))
}

/// Has a stream wait for what the event was last asked to record.
///
/// # Errors
/// [`Error::InvalidHandle`].
pub(crate) fn wait_in(stream: u64, event: u64) -> Result<()> {
    let asked = {
        let mut state = working()?;
        let event = state.events.get(event)?;
        let (asked, captured) = (event.asked, event.captured);
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

#[unsafe(no_mangle)]
extern "C" fn hipEventCreate(event: Out<u64>) -> Status {
    enter(|| create(event, 0))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventCreateWithFlags(event: Out<u64>, flags: u32) -> Status {
    enter(|| create(event, flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventDestroy(event: u64) -> Status {
    enter(|| state()?.events.remove(event).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventRecord(event: u64, stream: u64) -> Status {
    enter(|| record(event, stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventRecordWithFlags(event: u64, stream: u64, _flags: u32) -> Status {
    enter(|| record(event, stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventQuery(event: u64) -> Status {
    enter(|| match working()?.events.get(event)?.is_pending() {
        true => Err(Error::NotReady),
        false => Ok(()),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipEventSynchronize(event: u64) -> Status {
    enter(|| {
        let mut state = working()?;
        let asked = state.events.get(event)?.asked;
        while state.fault.is_none() && state.events.get(event).is_ok_and(|it| it.recorded < asked) {
            state = wait(state);
        }
        state.fault.map_or(Ok(()), Err)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipEventElapsedTime(milliseconds: Out<f32>, start: u64, stop: u64) -> Status {
    enter(|| {
        milliseconds.check()?;
        let state = working()?;
        let (start, stop) = (state.events.get(start)?, state.events.get(stop)?);
        let untimed = |event: &Event| event.asked == 0 || event.flags & NO_TIME != 0;
        if untimed(start) || untimed(stop) {
            return Err(Error::InvalidHandle);
        }
        if start.is_pending() || stop.is_pending() {
            return Err(Error::NotReady);
        }
        milliseconds.put(((stop.time_us - start.time_us) * 1e-3) as f32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamWaitEvent(stream: u64, event: u64, _flags: u32) -> Status {
    enter(|| wait_in(stream, event))
}
