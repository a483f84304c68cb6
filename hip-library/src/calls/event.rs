//! The calls that make, record, ask and wait for events.

use crate::enqueue::{record, wait_in};
use crate::error::{Error, Result, Status, enter};
use crate::event::{Event, NO_TIME};
use crate::ffi::Out;
use crate::state::{state, wait, working};

fn create(event: Out<u64>, flags: u32) -> Result<()> {
    event.check()?;
    let made = Event {
        flags,
        ..Event::default()
    };
    event.put(working()?.events.insert(made))
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
        milliseconds.put((stop.clock.since(&start.clock) * 1e-3) as f32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamWaitEvent(stream: u64, event: u64, _flags: u32) -> Status {
    enter(|| wait_in(stream, event))
}
