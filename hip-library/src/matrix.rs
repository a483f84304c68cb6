//! Copies and fills of matrices and boxes.

use crate::command::Command;
use crate::copy::{Copy, Fill, Source};
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{In, Out, Pointer};
use crate::state::working;
use crate::stream::{NULL, submit, submit_copy, then_wait};

/// Bytes to which rows are aligned that a program lets the library lay out (as ROCm does).
const ROW_ALIGNMENT: usize = 256;
/// `hipMemoryType`: the host's, the device's, and either's.
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;
const UNIFIED: i32 = 11;

/// `HIP_MEMCPY3D`: first where from, then where to, then how much.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct BoxCopy {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
    depth: usize,
}

/// One side of such a copy.
#[repr(C)]
#[derive(Clone, Copy)]
struct Side {
    /// Where the box begins, in bytes, rows and slices.
    x: usize,
    y: usize,
    z: usize,
    _level: usize,
    kind: i32,
    host: Pointer,
    device: Pointer,
    _array: Pointer,
    /// Bytes of a row and rows of a slice of what the box is in.
    pitch: usize,
    height: usize,
}

impl Side {
    /// The address of the first byte, and bytes from a row and from a slice to the next.
    fn place(&self, whole: &BoxCopy) -> Result<(Pointer, u64, u64)> {
        let base = match self.kind {
            HOST => self.host,
            DEVICE | MANAGED | UNIFIED => self.device,
            // Arrays.
            _ => return Err(Error::NotSupported),
        };
        let or = |given: usize, otherwise: usize| if given == 0 { otherwise } else { given } as u64;
        let row = or(self.pitch, whole.width);
        let slice = row.checked_mul(or(self.height, whole.height));
        let slice = slice.ok_or(Error::InvalidValue)?;
        let offset = (self.z as u64).checked_mul(slice);
        let offset = offset.and_then(|it| it.checked_add((self.y as u64).checked_mul(row)?));
        let start = offset.and_then(|it| it.checked_add(self.x as u64)?.checked_add(base));
        Ok((start.ok_or(Error::InvalidValue)?, row, slice))
    }
}

impl BoxCopy {
    /// A copy for each slice.
    ///
    /// # Errors
    /// [`Error::InvalidValue`]; [`Error::NotSupported`] of arrays.
    pub(crate) fn slices(&self) -> Result<Vec<Copy>> {
        let (from, from_pitch, from_slice) = self.from.place(self)?;
        let (to, to_pitch, to_slice) = self.to.place(self)?;
        let at = |start: u64, step: u64, number: u64| {
            let offset = step.checked_mul(number);
            offset
                .and_then(|it| it.checked_add(start))
                .ok_or(Error::InvalidValue)
        };
        let slice = |number: u64| {
            Ok(Copy {
                to: at(to, to_slice, number)?,
                from: Source::At(at(from, from_slice, number)?),
                width: self.width as u64,
                rows: self.height as u64,
                to_pitch,
                from_pitch,
            })
        };
        (0..self.depth as u64).map(slice).collect()
    }
}

fn copy_box(copy: &In<BoxCopy>, stream: u64) -> Result<()> {
    for slice in copy.get()?.slices()? {
        submit_copy(stream, slice)?;
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvMemcpy3D(copy: In<BoxCopy>) -> Status {
    enter(|| then_wait(copy_box(&copy, NULL)))
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvMemcpy3DAsync(copy: In<BoxCopy>, stream: u64) -> Status {
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
    let copy = Copy {
        to,
        from: Source::At(from),
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
    let fill = Fill {
        to,
        value: vec![value as u8],
        width: width as u64,
        pitch: pitch as u64,
        rows: height as u64,
    };
    fill.check(&working()?.space)?;
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
    pointer: Out<Pointer>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
) -> Status {
    enter(|| {
        pointer.check()?;
        let row = width.checked_next_multiple_of(ROW_ALIGNMENT);
        let row = row.ok_or(Error::InvalidValue)?;
        let bytes = row.checked_mul(height).ok_or(Error::InvalidValue)?;
        pitch.put(row)?;
        let start = working()?.allocate(bytes)?;
        pointer.put(start)
    })
}
