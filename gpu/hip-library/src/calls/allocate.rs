//! Calls that allocate and free, copy and fill.

use crate::command::Command;
use crate::copy::{MemoryCopy, MemoryFill};
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{OutPointer, Pointer};
use crate::memory::AllocationKind;
use crate::state::{healthy_state, state, wait_for_memory};
use crate::stream::NULL;
use crate::submission::{submit, submit_copy};
use crate::synchronization::{synchronize, synchronize_all, then_wait};

/// Frees memory after all commands that may still use it.
fn free(pointer: Pointer) -> Result<()> {
    if pointer == 0 {
        return Ok(());
    }
    // The program can clean up after a kernel's fault, so the fault is returned only afterwards.
    let waited = synchronize_all();
    wait_for_memory(state()?).free(pointer)?;
    waited
}

fn allocate_visible(
    pointer: OutPointer<Pointer>,
    bytes: usize,
    kind: AllocationKind,
    flags: u32,
) -> Result<()> {
    pointer.check()?;
    let mut state = healthy_state()?;
    pointer.put(state.space.allocate_visible(bytes as u64, kind, flags)?)
}

/// Checks that the direction is valid. The library knows the direction from the addresses, so it
/// ignores the caller's.
fn check_kind(kind: i32) -> Result<()> {
    match kind {
        0..=4 | 1024 => Ok(()),
        _ => Err(Error::InvalidMemcpyDirection),
    }
}

fn fill<const N: usize>(to: Pointer, value: [u8; N], count: usize, stream: u64) -> Result<()> {
    let width = (count as u64)
        .checked_mul(N as u64)
        .ok_or(Error::InvalidValue)?;
    fill_rows(
        MemoryFill {
            to,
            value: value.to_vec(),
            width,
            pitch: width,
            rows: 1,
        },
        stream,
    )
}

fn fill_rows(fill: MemoryFill, stream: u64) -> Result<()> {
    fill.check(&healthy_state()?.space)?;
    submit(stream, Command::Fill(fill))
}

#[unsafe(no_mangle)]
extern "C" fn hipMalloc(pointer: OutPointer<Pointer>, bytes: usize) -> Status {
    enter(|| {
        // A null pointer is refused before anything is allocated, so that nothing leaks.
        pointer.check()?;
        let start = healthy_state()?.allocate(bytes)?;
        pointer.put(start)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipExtMallocWithFlags(
    pointer: OutPointer<Pointer>,
    bytes: usize,
    _flags: u32,
) -> Status {
    hipMalloc(pointer, bytes)
}

#[unsafe(no_mangle)]
extern "C" fn hipFree(pointer: Pointer) -> Status {
    enter(|| free(pointer))
}

#[unsafe(no_mangle)]
extern "C" fn hipHostMalloc(pointer: OutPointer<Pointer>, bytes: usize, flags: u32) -> Status {
    enter(|| allocate_visible(pointer, bytes, AllocationKind::Pinned, flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipHostAlloc(pointer: OutPointer<Pointer>, bytes: usize, flags: u32) -> Status {
    hipHostMalloc(pointer, bytes, flags)
}

/// Allocates pinned memory. Headers of late 2024 call this for hipHostMalloc of a typed pointer.
#[unsafe(no_mangle)]
extern "C" fn hipExtHostAlloc(pointer: OutPointer<Pointer>, bytes: usize, flags: u32) -> Status {
    hipHostMalloc(pointer, bytes, flags)
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocHost(pointer: OutPointer<Pointer>, bytes: usize) -> Status {
    hipHostMalloc(pointer, bytes, 0)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemAllocHost(pointer: OutPointer<Pointer>, bytes: usize) -> Status {
    hipHostMalloc(pointer, bytes, 0)
}

#[unsafe(no_mangle)]
extern "C" fn hipHostFree(pointer: Pointer) -> Status {
    enter(|| free(pointer))
}

#[unsafe(no_mangle)]
extern "C" fn hipFreeHost(pointer: Pointer) -> Status {
    enter(|| free(pointer))
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocManaged(pointer: OutPointer<Pointer>, bytes: usize, flags: u32) -> Status {
    enter(|| allocate_visible(pointer, bytes, AllocationKind::Managed, flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpy(to: Pointer, from: Pointer, bytes: usize, kind: i32) -> Status {
    enter(|| {
        // A call without a stream uses the null stream and is synchronous.
        check_kind(kind)?;
        then_wait(submit_copy(NULL, MemoryCopy::line(to, from, bytes)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyWithStream(
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: i32,
    stream: u64,
) -> Status {
    enter(|| {
        check_kind(kind)?;
        submit_copy(stream, MemoryCopy::line(to, from, bytes))?;
        synchronize(stream)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyAsync(
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: i32,
    stream: u64,
) -> Status {
    enter(|| {
        check_kind(kind)?;
        submit_copy(stream, MemoryCopy::line(to, from, bytes))
    })
}

/// Exports the copies whose names give their direction.
macro_rules! copies {
    ($($now:ident, $later:ident;)*) => {
        $(
            // The direction follows from the addresses, so the three pairs are alike.
            #[unsafe(no_mangle)]
            extern "C" fn $now(to: Pointer, from: Pointer, bytes: usize) -> Status {
                enter(|| then_wait(submit_copy(NULL, MemoryCopy::line(to, from, bytes))))
            }

            #[unsafe(no_mangle)]
            extern "C" fn $later(to: Pointer, from: Pointer, bytes: usize, stream: u64) -> Status {
                enter(|| submit_copy(stream, MemoryCopy::line(to, from, bytes)))
            }
        )*
    };
}

copies! {
    hipMemcpyHtoD, hipMemcpyHtoDAsync;
    hipMemcpyDtoH, hipMemcpyDtoHAsync;
    hipMemcpyDtoD, hipMemcpyDtoDAsync;
}

#[unsafe(no_mangle)]
// HIP fills with the low byte of the value.
extern "C" fn hipMemset(to: Pointer, value: i32, bytes: usize) -> Status {
    enter(|| then_wait(fill(to, [value as u8], bytes, NULL)))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemsetAsync(to: Pointer, value: i32, bytes: usize, stream: u64) -> Status {
    enter(|| fill(to, [value as u8], bytes, stream))
}

/// Exports the fills with `count` adjacent values of one size.
macro_rules! fills {
    ($($now:ident, $later:ident, $value:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $now(to: Pointer, value: $value, count: usize) -> Status {
                enter(|| then_wait(fill(to, value.to_le_bytes(), count, NULL)))
            }

            #[unsafe(no_mangle)]
            extern "C" fn $later(to: Pointer, value: $value, count: usize, stream: u64) -> Status {
                enter(|| fill(to, value.to_le_bytes(), count, stream))
            }
        )*
    };
}

fills! {
    hipMemsetD8, hipMemsetD8Async, u8;
    hipMemsetD16, hipMemsetD16Async, u16;
    hipMemsetD32, hipMemsetD32Async, u32;
}
