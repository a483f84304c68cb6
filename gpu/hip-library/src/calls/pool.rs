//! Calls for pools, and allocation and freeing in a stream's order.

use crate::command::Command;
use crate::device::check_ordinal;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{InPointer, OutPointer, Pointer, host_value, put_host_bytes};
use crate::pool::Pool;
use crate::state::{healthy_state, state};
use crate::submission::submit;

/// `hipMemPoolAttr`: three switches of 32 bits for the reuse of memory, and figures of 64 bits.
const SWITCHES: std::ops::RangeInclusive<i32> = 1..=3;
const RELEASE_THRESHOLD: i32 = 4;
const RESERVED: i32 = 5;
const RESERVED_HIGH: i32 = 6;
const USED: i32 = 7;
const USED_HIGH: i32 = 8;

fn allocate(
    pointer: OutPointer<Pointer>,
    bytes: usize,
    pool: Option<u64>,
    stream: u64,
) -> Result<()> {
    pointer.check()?;
    let mut guard = healthy_state()?;
    let state = &mut *guard;
    state.streams.get(stream)?;
    let handle = pool.unwrap_or(state.pools.current);
    state.pools.made.get(handle)?;
    // Memory is allocated now and not in the stream's turn, see `pool`.
    let start = state.allocate(bytes)?;
    if let Some(allocation) = state.space.allocation_mut(start) {
        allocation.pool = Some(handle);
        let pool = state.pools.made.get_mut(handle)?;
        pool.used += allocation.bytes;
        pool.used_high = pool.used_high.max(pool.used);
    }
    pointer.put(start)
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocAsync(pointer: OutPointer<Pointer>, bytes: usize, stream: u64) -> Status {
    enter(|| allocate(pointer, bytes, None, stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocFromPoolAsync(
    pointer: OutPointer<Pointer>,
    bytes: usize,
    pool: u64,
    stream: u64,
) -> Status {
    enter(|| allocate(pointer, bytes, Some(pool), stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipFreeAsync(pointer: Pointer, stream: u64) -> Status {
    enter(|| match pointer {
        0 => Ok(()),
        _ => submit(stream, Command::Free(pointer)),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolCreate(pool: OutPointer<u64>, properties: InPointer<[u8; 88]>) -> Status {
    enter(|| {
        pool.check()?;
        properties.get()?;
        pool.put(healthy_state()?.pools.made.insert(Pool::default()))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolDestroy(pool: u64) -> Status {
    enter(|| {
        let mut state = state()?;
        if pool == state.pools.default {
            return Err(Error::InvalidValue);
        }
        state.pools.made.remove(pool)?;
        // A destroyed pool cannot remain the current one.
        if state.pools.current == pool {
            state.pools.current = state.pools.default;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolTrimTo(pool: u64, _bytes: usize) -> Status {
    // A pool holds nothing back.
    enter(|| state()?.pools.made.get(pool).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolGetAttribute(pool: u64, attribute: i32, value: Pointer) -> Status {
    enter(|| {
        let state = state()?;
        let pool = state.pools.made.get(pool)?;
        let figure = match attribute {
            switch if SWITCHES.contains(&switch) => {
                let value_of = pool.switches[switch as usize - 1];
                return put_host_bytes(value, &value_of.to_le_bytes());
            }
            RELEASE_THRESHOLD => pool.release_threshold,
            RESERVED | USED => pool.used,
            RESERVED_HIGH | USED_HIGH => pool.used_high,
            _ => return Err(Error::InvalidValue),
        };
        put_host_bytes(value, &figure.to_le_bytes())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolSetAttribute(pool: u64, attribute: i32, value: Pointer) -> Status {
    enter(|| {
        let mut state = state()?;
        let pool = state.pools.made.get_mut(pool)?;
        match attribute {
            switch if SWITCHES.contains(&switch) => {
                pool.switches[switch as usize - 1] = host_value(value)?;
            }
            RELEASE_THRESHOLD => pool.release_threshold = host_value(value)?,
            // The highest figures can only be reset.
            RESERVED_HIGH | USED_HIGH if host_value::<u64>(value)? == 0 => {
                pool.used_high = pool.used;
            }
            _ => return Err(Error::InvalidValue),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetDefaultMemPool(pool: OutPointer<u64>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        pool.put(state()?.pools.default)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetMemPool(pool: OutPointer<u64>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        pool.put(state()?.pools.current)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceSetMemPool(device: i32, pool: u64) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let mut state = state()?;
        state.pools.made.get(pool)?;
        state.pools.current = pool;
        Ok(())
    })
}
