//! Calls that create, record, query and wait for events.

use crate::error::{Error, Result, Status, enter};
use crate::event::{HipEvent, NO_TIME};
use crate::ffi::OutPointer;
use crate::state::{healthy_state, state, wait};
use crate::submission::{record, submit_event_wait};

fn create(event: OutPointer<u64>, flags: u32) -> Result<()> {
    event.check()?;
    let made = HipEvent {
        flags,
        ..HipEvent::default()
    };
    event.put(healthy_state()?.events.insert(made))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventCreate(event: OutPointer<u64>) -> Status {
    enter(|| create(event, 0))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventCreateWithFlags(event: OutPointer<u64>, flags: u32) -> Status {
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
    enter(|| match healthy_state()?.events.get(event)?.is_pending() {
        true => Err(Error::NotReady),
        false => Ok(()),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipEventSynchronize(event: u64) -> Status {
    enter(|| {
        let mut state = healthy_state()?;
        let asked = state.events.get(event)?.requested;
        // The event may be destroyed while the thread waits.
        while state.fault.is_none() && state.events.get(event).is_ok_and(|it| it.recorded < asked) {
            state = wait(state);
        }
        state.fault.map_or(Ok(()), Err)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipEventElapsedTime(milliseconds: OutPointer<f32>, start: u64, stop: u64) -> Status {
    enter(|| {
        milliseconds.check()?;
        let state = healthy_state()?;
        let (start, stop) = (state.events.get(start)?, state.events.get(stop)?);
        let untimed = |event: &HipEvent| event.requested == 0 || event.flags & NO_TIME != 0;
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
    enter(|| submit_event_wait(stream, event))
}
