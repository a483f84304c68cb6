//! Synchronisation: waiting until streams have completed their commands.

use crate::error::Result;
use crate::state::{Guard, state, wait, wait_for_memory};
use crate::stream::{NULL, resolve_handle};

/// Waits until the streams that `which` selects have completed the commands submitted so far.
pub(crate) fn drain(mut guard: Guard, which: impl Fn(u64) -> bool) -> Result<()> {
    let told: Vec<(u64, u64)> = (guard.streams.all())
        .filter(|(handle, _)| which(*handle))
        .map(|(handle, stream)| (handle, stream.submitted))
        .collect();
    for (handle, told) in told {
        while guard
            .streams
            .get(handle)
            .is_ok_and(|stream| stream.completed < told)
        {
            guard = wait(guard);
        }
        // A stream that was destroyed meanwhile has no clock.
        if let Ok(clock) = guard.streams.get(handle).map(|one| one.clock.clone()) {
            guard.streams.host.join(&clock);
        }
    }
    guard.fault.map_or(Ok(()), Err)
}

/// Waits for all streams.
///
/// # Errors
/// The fault of a kernel that the device did not survive.
pub(crate) fn synchronize_all() -> Result<()> {
    drain(state()?, |_| true)
}

/// Waits until no stream has any command left, including commands submitted meanwhile.
///
/// # Errors
/// [`Error::NoDevice`](crate::error::Error::NoDevice).
pub(crate) fn wait_until_idle() -> Result<Guard> {
    let mut guard = wait_for_memory(state()?);
    while !guard.streams.all().all(|(_, stream)| stream.is_idle()) {
        guard = wait_for_memory(wait(guard));
    }
    Ok(guard)
}

/// Waits for one stream. For the null stream, also waits for the streams that it follows.
///
/// # Errors
/// [`Error::InvalidHandle`], or as [`synchronize_all`].
pub(crate) fn synchronize(handle: u64) -> Result<()> {
    let guard = state()?;
    guard.streams.get(handle)?;
    match resolve_handle(handle) {
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

/// Waits for the null stream after a synchronous call.
///
/// # Errors
/// The error of the call, or as [`synchronize`].
pub(crate) fn then_wait(result: Result<()>) -> Result<()> {
    result?;
    synchronize(NULL)
}
