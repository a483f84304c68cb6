//! Calls that create, destroy and query streams.

use crate::command::{Command, HostCall, HostFunction};
use crate::device::check_ordinal;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{OutPointer, Pointer};
use crate::state::{healthy_state, state};
use crate::stream::{NON_BLOCKING, Stream};
use crate::submission::submit;
use crate::synchronization::{drain, synchronize};

fn create(stream: OutPointer<u64>, flags: u32) -> Result<()> {
    stream.check()?;
    // Unknown flags are refused, as in ROCm.
    if flags & !NON_BLOCKING != 0 {
        return Err(Error::InvalidValue);
    }
    let made = Stream {
        flags,
        ..Stream::default()
    };
    stream.put(healthy_state()?.streams.made.insert(made))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamCreate(stream: OutPointer<u64>) -> Status {
    enter(|| create(stream, 0))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamCreateWithFlags(stream: OutPointer<u64>, flags: u32) -> Status {
    enter(|| create(stream, flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamCreateWithPriority(
    stream: OutPointer<u64>,
    flags: u32,
    _priority: i32,
) -> Status {
    enter(|| create(stream, flags))
}

/// Returns the number of the only device, and no status.
#[unsafe(no_mangle)]
extern "C" fn hipGetStreamDeviceId(_stream: u64) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamDestroy(stream: u64) -> Status {
    enter(|| {
        let guard = state()?;
        guard.streams.made.get(stream)?;
        // The program can clean up after a fault, so the fault is returned only afterwards.
        let waited = drain(guard, |one| one == stream);
        state()?.streams.made.remove(stream)?;
        waited
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamSynchronize(stream: u64) -> Status {
    enter(|| synchronize(stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamQuery(stream: u64) -> Status {
    enter(|| match healthy_state()?.streams.get(stream)?.is_idle() {
        true => Ok(()),
        false => Err(Error::NotReady),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamGetFlags(stream: u64, flags: OutPointer<u32>) -> Status {
    enter(|| flags.put(state()?.streams.get(stream)?.flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamGetPriority(stream: u64, priority: OutPointer<i32>) -> Status {
    enter(|| {
        state()?.streams.get(stream)?;
        priority.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamGetDevice(stream: u64, device: OutPointer<i32>) -> Status {
    enter(|| {
        state()?.streams.get(stream)?;
        check_ordinal(0)?;
        device.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipLaunchHostFunc(
    stream: u64,
    function: Option<extern "C" fn(Pointer)>,
    data: Pointer,
) -> Status {
    enter(|| {
        let function = HostFunction::Plain(function.ok_or(Error::InvalidValue)?);
        submit(stream, Command::Host(HostCall { function, data }))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamAddCallback(
    stream: u64,
    function: Option<extern "C" fn(u64, i32, Pointer)>,
    data: Pointer,
    flags: u32,
) -> Status {
    enter(|| {
        let function = HostFunction::Callback(function.ok_or(Error::InvalidValue)?);
        if flags != 0 {
            return Err(Error::InvalidValue);
        }
        submit(stream, Command::Host(HostCall { function, data }))
    })
}
