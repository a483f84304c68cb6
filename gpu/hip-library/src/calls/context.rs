//! Contexts: the device has one, and it is always current.

use crate::device::check_ordinal;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::OutPointer;
use crate::state::state;
use crate::synchronization::synchronize_all;

/// The handle of the only context.
const CONTEXT: u64 = 0x5a << 56 | 0xc;

/// Checks that the handle is the context's, or null.
fn check(context: u64) -> Result<()> {
    match context {
        0 | CONTEXT => state().map(drop),
        _ => Err(Error::InvalidContext),
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipDevicePrimaryCtxRetain(context: OutPointer<u64>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        state().map(drop)?;
        context.put(CONTEXT)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDevicePrimaryCtxRelease(device: i32) -> Status {
    enter(|| check_ordinal(device))
}

#[unsafe(no_mangle)]
extern "C" fn hipDevicePrimaryCtxGetState(
    device: i32,
    flags: OutPointer<u32>,
    active: OutPointer<i32>,
) -> Status {
    enter(|| {
        check_ordinal(device)?;
        flags.put_if_wanted(0);
        active.put_if_wanted(1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxCreate(context: OutPointer<u64>, _flags: u32, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        state().map(drop)?;
        context.put(CONTEXT)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxDestroy(context: u64) -> Status {
    enter(|| check(context))
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxSetCurrent(context: u64) -> Status {
    enter(|| check(context))
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxGetCurrent(context: OutPointer<u64>) -> Status {
    enter(|| context.put(CONTEXT))
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxPushCurrent(context: u64) -> Status {
    enter(|| check(context))
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxPopCurrent(context: OutPointer<u64>) -> Status {
    enter(|| {
        // There is one context, so it stays current after a pop.
        context.put_if_wanted(CONTEXT);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxGetDevice(device: OutPointer<i32>) -> Status {
    enter(|| device.put(0))
}

#[unsafe(no_mangle)]
extern "C" fn hipCtxSynchronize() -> Status {
    enter(synchronize_all)
}
