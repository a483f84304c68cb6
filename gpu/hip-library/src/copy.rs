//! Copies and fills, and their execution.

use crate::error::{Error, Result};
use crate::ffi::{Pointer, host_slice, put_host_bytes};
use crate::memory::{AllocationTable, PointerLocation};

/// The number of bytes that a fill writes at a time.
const CHUNK: usize = 1 << 20;

/// Rows of bytes to copy: one, or those of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct MemoryCopy {
    pub(crate) to: Pointer,
    pub(crate) from: CopySource,
    /// Bytes of a row.
    pub(crate) width: u64,
    pub(crate) rows: u64,
    /// The distance of rows, in bytes.
    pub(crate) to_pitch: u64,
    pub(crate) from_pitch: u64,
}

/// The source of a copy.
#[derive(Clone, Debug)]
pub(crate) enum CopySource {
    Address(Pointer),
    /// The source's bytes at the time of the call, row after row.
    Snapshot(Vec<u8>),
}

impl MemoryCopy {
    /// Creates a copy of contiguous bytes.
    pub(crate) fn line(to: Pointer, from: Pointer, bytes: usize) -> MemoryCopy {
        MemoryCopy {
            to,
            from: CopySource::Address(from),
            width: bytes as u64,
            rows: 1,
            to_pitch: bytes as u64,
            from_pitch: bytes as u64,
        }
    }

    /// Creates a copy of these bytes.
    pub(crate) fn bytes(to: Pointer, bytes: Vec<u8>) -> MemoryCopy {
        let mut copy = MemoryCopy::line(to, 0, bytes.len());
        copy.from = CopySource::Snapshot(bytes);
        copy
    }

    /// Checks the bounds of both sides.
    ///
    /// # Errors
    /// [`Error::InvalidValue`], here and below, if any of the bytes are out of bounds; then
    /// nothing is copied.
    pub(crate) fn check(&self, space: &AllocationTable) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        space.locate(self.to, reach(self.rows, self.to_pitch, self.width)?)?;
        match &self.from {
            CopySource::Snapshot(_) => Ok(()),
            CopySource::Address(from) => {
                let bytes = reach(self.rows, self.from_pitch, self.width)?;
                space.locate(*from, bytes).map(drop)
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.rows == 0
    }

    /// Returns whether the copy reads, and whether it writes, host memory that the device does
    /// not see.
    pub(crate) fn on_host(&self, space: &AllocationTable) -> (bool, bool) {
        let reads = match &self.from {
            CopySource::Address(from) => !space.is_device(*from),
            CopySource::Snapshot(_) => false,
        };
        (reads, !space.is_device(self.to))
    }

    /// Copies the source now, so that the program may change it before the copy's turn.
    pub(crate) fn snapshot_source(&mut self) -> Result<()> {
        let CopySource::Address(from) = self.from else {
            return Ok(());
        };
        let mut taken = Vec::new();
        for row in 0..self.rows {
            taken.extend_from_slice(host_slice(
                from + row * self.from_pitch,
                self.width as usize,
            )?);
        }
        self.from = CopySource::Snapshot(taken);
        self.from_pitch = self.width;
        Ok(())
    }

    /// Returns the bytes that move within the device. The time model has no bus to the host.
    pub(crate) fn device_bytes(&self, space: &AllocationTable) -> u64 {
        match self.on_host(space) {
            (false, false) if !matches!(self.from, CopySource::Snapshot(_)) => {
                self.width * self.rows
            }
            _ => 0,
        }
    }

    /// Returns the bytes that the copy moves between the device and ordinary memory of the host.
    pub(crate) fn host_bytes(&self, space: &AllocationTable) -> u64 {
        let is_from_host = match self.from {
            CopySource::Snapshot(_) => true,
            CopySource::Address(from) => !space.is_device(from),
        };
        match is_from_host == space.is_device(self.to) {
            true => self.width * self.rows,
            false => 0,
        }
    }

    pub(crate) fn run(&self, space: &mut AllocationTable) -> Result<()> {
        self.check(space)?;
        if self.is_empty() {
            return Ok(());
        }
        // Rows are copied one by one, because the bytes between them must stay.
        for row in 0..self.rows {
            let to = self.to + row * self.to_pitch;
            let width = self.width as usize;
            match &self.from {
                CopySource::Snapshot(bytes) => {
                    let start = (row * self.from_pitch) as usize;
                    write(space, to, &bytes[start..start + width])?;
                }
                CopySource::Address(from) => line(space, to, from + row * self.from_pitch, width)?,
            }
        }
        Ok(())
    }
}

/// Returns the distance from the first byte of the first row to the end of the last row, in
/// bytes.
fn reach(rows: u64, pitch: u64, width: u64) -> Result<u64> {
    let steps = rows.saturating_sub(1).checked_mul(pitch);
    if rows > 1 && pitch < width {
        return Err(Error::InvalidValue);
    }
    steps
        .and_then(|steps| steps.checked_add(width))
        .ok_or(Error::InvalidValue)
}

fn line(space: &mut AllocationTable, to: Pointer, from: Pointer, bytes: usize) -> Result<()> {
    match space.locate(from, bytes as u64)? {
        PointerLocation::Host(from) => write(space, to, host_slice(from, bytes)?),
        PointerLocation::Device(address, offset) => {
            let start = offset as usize;
            match space.locate(to, bytes as u64)? {
                PointerLocation::Host(to) => {
                    put_host_bytes(to, &space.memory.bytes(address)[start..start + bytes])
                }
                PointerLocation::Device(..) => {
                    // Both sides are in the same memory and may overlap, so the bytes are copied
                    // out first.
                    let taken = space.memory.bytes(address)[start..start + bytes].to_vec();
                    write(space, to, &taken)
                }
            }
        }
    }
}

fn write(space: &mut AllocationTable, to: Pointer, bytes: &[u8]) -> Result<()> {
    match space.locate(to, bytes.len() as u64)? {
        PointerLocation::Host(to) => put_host_bytes(to, bytes),
        PointerLocation::Device(address, offset) => {
            space.memory.write(address, offset, bytes);
            Ok(())
        }
    }
}

/// A repeated value: in one row, or in the rows of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct MemoryFill {
    pub(crate) to: Pointer,
    /// 1, 2 or 4 bytes.
    pub(crate) value: Vec<u8>,
    /// The bytes of a row, and the distance of rows in bytes.
    pub(crate) width: u64,
    pub(crate) pitch: u64,
    pub(crate) rows: u64,
}

impl MemoryFill {
    /// Checks the bounds.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if any of the bytes are out of bounds.
    pub(crate) fn check(&self, space: &AllocationTable) -> Result<()> {
        if self.width == 0 || self.rows == 0 {
            return Ok(());
        }
        let bytes = reach(self.rows, self.pitch, self.width)?;
        space.locate(self.to, bytes).map(drop)
    }

    pub(crate) fn run(&self, space: &mut AllocationTable) -> Result<()> {
        self.check(space)?;
        // Whole values only, so that each chunk starts with the value's first byte.
        let chunk = self
            .value
            .repeat(CHUNK.min(self.width as usize) / self.value.len());
        for row in 0..self.rows {
            let (mut at, end) = (0, self.width);
            while at < end {
                let bytes = (end - at).min(chunk.len() as u64);
                let to = self.to + row * self.pitch + at;
                write(space, to, &chunk[..bytes as usize])?;
                at += bytes;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error::InvalidValue;

    /// A space with an allocation of 16 bytes, each its offset.
    fn space() -> (AllocationTable, Pointer) {
        let mut space = AllocationTable::new(1 << 20);
        let start = space.allocate(16, false).unwrap();
        let bytes: Vec<u8> = (0..16).collect();
        MemoryCopy::bytes(start, bytes).run(&mut space).unwrap();
        (space, start)
    }

    #[track_caller]
    fn check(
        change: impl FnOnce(&mut AllocationTable, Pointer) -> Result<()>,
        expected: Result<[u8; 16]>,
    ) {
        let (mut space, start) = space();
        let result = change(&mut space, start);
        let mut found = [0; 16];
        let back = MemoryCopy::line(found.as_mut_ptr() as u64, start, 16);
        back.run(&mut space).unwrap();
        let before = std::array::from_fn(|byte| byte as u8);
        match expected {
            Ok(expected) => assert_eq!((result, found), (Ok(()), expected)),
            // Nothing is copied in part.
            Err(error) => assert_eq!((result, found), (Err(error), before)),
        }
    }

    #[test]
    fn copies_are_within_bounds_or_do_nothing() {
        let overlapping = [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15];
        check(
            |space, at| MemoryCopy::line(at + 2, at, 8).run(space),
            Ok(overlapping),
        );
        check(
            |space, at| MemoryCopy::line(at + 9, at, 8).run(space),
            Err(InvalidValue),
        );
        check(
            |space, at| MemoryCopy::line(at, at + 9, 8).run(space),
            Err(InvalidValue),
        );
        check(
            |space, at| MemoryCopy::line(at + 17, at, 1).run(space),
            Err(InvalidValue),
        );
        check(
            |space, at| MemoryCopy::line(at, 0, 1).run(space),
            Err(InvalidValue),
        );
        check(
            |space, at| MemoryCopy::line(at, at, usize::MAX).run(space),
            Err(InvalidValue),
        );
        check(
            |space, at| MemoryCopy::line(0, at, 0).run(space),
            Ok(std::array::from_fn(|it| it as u8)),
        );
    }

    #[test]
    fn rows_have_gaps_between_them() {
        let rows = |to, from, rows| MemoryCopy {
            width: 2,
            rows,
            to_pitch: 5,
            from_pitch: 3,
            ..MemoryCopy::line(to, from, 0)
        };
        let expected = [0, 1, 2, 3, 4, 5, 0, 1, 8, 9, 10, 3, 4, 13, 14, 15];
        check(|space, at| rows(at + 6, at, 2).run(space), Ok(expected));
        let host = [0u8, 1, 9, 3, 4];
        let mut taken = rows(0, host.as_ptr() as u64, 2);
        taken.snapshot_source().unwrap();
        check(
            |space, at| {
                MemoryCopy {
                    to: at + 6,
                    ..taken
                }
                .run(space)
            },
            Ok(expected),
        );
        check(
            |space, at| rows(at + 6, at, 3).run(space),
            Err(InvalidValue),
        );
        let narrow = |to| MemoryCopy {
            to_pitch: 1,
            ..rows(to, to, 2)
        };
        check(|space, at| narrow(at).run(space), Err(InvalidValue));
    }

    #[test]
    fn fills_repeat_their_value() {
        let fill = |to, width, rows| MemoryFill {
            to,
            value: vec![7, 8],
            width,
            pitch: 6,
            rows,
        };
        let expected = [0, 1, 7, 8, 7, 8, 6, 7, 7, 8, 7, 8, 12, 13, 14, 15];
        check(|space, at| fill(at + 2, 4, 2).run(space), Ok(expected));
        check(|space, at| fill(at + 2, 4, 3).run(space), Err(InvalidValue));
        check(
            |space, at| fill(at, 0, 3).run(space),
            Ok(std::array::from_fn(|it| it as u8)),
        );
    }

    #[test]
    fn a_device_has_as_much_memory_as_it_has() {
        let mut space = AllocationTable::new(100);
        let first = space.allocate(60, false).unwrap();
        assert_eq!(
            space.allocate(41, false),
            Err(crate::error::Error::OutOfMemory)
        );
        let second = space.allocate(40, false).unwrap();
        assert_eq!((space.used(), space.allocate(0, false)), (100, Ok(0)));
        assert_eq!(space.free(second + 1).err(), Some(InvalidValue));
        space.free(first).unwrap();
        assert_eq!(space.free(first).err(), Some(InvalidValue));
        assert_eq!(space.used(), 40);
    }
}
