//! Copies and fills of matrices and boxes.

use crate::command::Command;
use crate::copy::{CopySource, MemoryCopy, MemoryFill};
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{InPointer, OutPointer, Pointer};
use crate::pitched_copy::BoxCopy;
use crate::state::healthy_state;
use crate::stream::NULL;
use crate::submission::{submit, submit_copy};
use crate::synchronization::then_wait;

/// The alignment of rows that the library lays out, in bytes (as ROCm does).
const ROW_ALIGNMENT: usize = 256;

fn copy_box(copy: &InPointer<BoxCopy>, stream: u64) -> Result<()> {
    // The time model takes each slice as a copy of its own.
    for slice in copy.get()?.slices()? {
        submit_copy(stream, slice)?;
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvMemcpy3D(copy: InPointer<BoxCopy>) -> Status {
    enter(|| then_wait(copy_box(&copy, NULL)))
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvMemcpy3DAsync(copy: InPointer<BoxCopy>, stream: u64) -> Status {
    enter(|| copy_box(&copy, stream))
}

#[allow(clippy::too_many_arguments, reason = "HIP's")]
fn copy_matrix(
    to: Pointer,
    to_pitch: usize,
    from: Pointer,
    from_pitch: usize,
    width: usize,
    height: usize,
    stream: u64,
) -> Result<()> {
    let copy = MemoryCopy {
        to,
        from: CopySource::Address(from),
        width: width as u64,
        rows: height as u64,
        to_pitch: to_pitch as u64,
        from_pitch: from_pitch as u64,
    };
    submit_copy(stream, copy)
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipMemcpy2D(
    to: Pointer,
    to_pitch: usize,
    from: Pointer,
    from_pitch: usize,
    width: usize,
    height: usize,
    _kind: i32,
) -> Status {
    enter(|| {
        then_wait(copy_matrix(
            to, to_pitch, from, from_pitch, width, height, NULL,
        ))
    })
}

#[unsafe(no_mangle)]
// Only the row's width is written; the rest of the pitch stays.
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipMemcpy2DAsync(
    to: Pointer,
    to_pitch: usize,
    from: Pointer,
    from_pitch: usize,
    width: usize,
    height: usize,
    _kind: i32,
    stream: u64,
) -> Status {
    enter(|| copy_matrix(to, to_pitch, from, from_pitch, width, height, stream))
}

fn fill_matrix(
    to: Pointer,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: u64,
) -> Result<()> {
    let fill = MemoryFill {
        to,
        value: vec![value as u8],
        width: width as u64,
        pitch: pitch as u64,
        rows: height as u64,
    };
    // A fill out of bounds is refused at the call and not in its turn.
    fill.check(&healthy_state()?.space)?;
    submit(stream, Command::Fill(fill))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemset2D(
    to: Pointer,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
) -> Status {
    enter(|| then_wait(fill_matrix(to, pitch, value, width, height, NULL)))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemset2DAsync(
    to: Pointer,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: u64,
) -> Status {
    enter(|| fill_matrix(to, pitch, value, width, height, stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocPitch(
    pointer: OutPointer<Pointer>,
    pitch: OutPointer<usize>,
    width: usize,
    height: usize,
) -> Status {
    enter(|| {
        pointer.check()?;
        let row = width.checked_next_multiple_of(ROW_ALIGNMENT);
        let row = row.ok_or(Error::InvalidValue)?;
        let bytes = row.checked_mul(height).ok_or(Error::InvalidValue)?;
        // The pitch is written first: a null place is refused before anything is allocated.
        pitch.put(row)?;
        let start = healthy_state()?.allocate(bytes)?;
        pointer.put(start)
    })
}
