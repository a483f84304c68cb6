//! Boxes: copies of slices of rows, as HIP describes them.

use crate::copy::{CopySource, MemoryCopy};
use crate::error::{Error, Result};
use crate::ffi::Pointer;

/// `hipMemoryType`: the host's, the device's, and memory of both.
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;
const UNIFIED: i32 = 11;

/// `HIP_MEMCPY3D`: the source, the destination, and the extent.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct BoxCopy {
    from: BoxSide,
    to: BoxSide,
    width: usize,
    height: usize,
    depth: usize,
}

/// One side of a box copy.
#[repr(C)]
#[derive(Clone, Copy)]
struct BoxSide {
    /// The start of the box, in bytes, rows and slices.
    x: usize,
    y: usize,
    z: usize,
    _level: usize,
    kind: i32,
    host: Pointer,
    device: Pointer,
    _array: Pointer,
    /// The bytes of a row and the rows of a slice of the surrounding memory.
    pitch: usize,
    height: usize,
}

impl BoxSide {
    /// Returns the address of the first byte, and the distances of rows and slices in bytes.
    fn place(&self, whole: &BoxCopy) -> Result<(Pointer, u64, u64)> {
        let base = match self.kind {
            HOST => self.host,
            DEVICE | MANAGED | UNIFIED => self.device,
            // Arrays.
            _ => return Err(Error::NotSupported),
        };
        // HIP takes a pitch or height of 0 for that of the box itself.
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
    /// Returns a copy for each slice.
    ///
    /// # Errors
    /// [`Error::InvalidValue`]; [`Error::NotSupported`] for arrays.
    pub(crate) fn slices(&self) -> Result<Vec<MemoryCopy>> {
        let (from, from_pitch, from_slice) = self.from.place(self)?;
        let (to, to_pitch, to_slice) = self.to.place(self)?;
        let at = |start: u64, step: u64, number: u64| {
            let offset = step.checked_mul(number);
            offset
                .and_then(|it| it.checked_add(start))
                .ok_or(Error::InvalidValue)
        };
        let slice = |number: u64| {
            Ok(MemoryCopy {
                to: at(to, to_slice, number)?,
                from: CopySource::Address(at(from, from_slice, number)?),
                width: self.width as u64,
                rows: self.height as u64,
                to_pitch,
                from_pitch,
            })
        };
        (0..self.depth as u64).map(slice).collect()
    }
}
