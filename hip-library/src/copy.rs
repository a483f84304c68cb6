//! Copies and fills: what they do when their turn comes.

use crate::error::{Error, Result};
use crate::ffi::{Pointer, host_slice, put_host_bytes};
use crate::memory::{Place, Space};

/// Bytes that a fill writes at a time.
const CHUNK: usize = 1 << 20;

/// Rows of bytes to copy: one, or those of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) to: Pointer,
    pub(crate) from: Source,
    /// Bytes of a row.
    pub(crate) width: u64,
    pub(crate) rows: u64,
    /// Bytes from a row to the next.
    pub(crate) to_pitch: u64,
    pub(crate) from_pitch: u64,
}

/// Where the bytes of a copy are.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    At(Pointer),
    /// What was there when the copy was enqueued, row after row.
    Taken(Vec<u8>),
}

impl Copy {
    /// A copy of neighbouring bytes.
    pub(crate) fn line(to: Pointer, from: Pointer, bytes: usize) -> Copy {
        Copy {
            to,
            from: Source::At(from),
            width: bytes as u64,
            rows: 1,
            to_pitch: bytes as u64,
            from_pitch: bytes as u64,
        }
    }

    /// A copy of these bytes.
    pub(crate) fn bytes(to: Pointer, bytes: Vec<u8>) -> Copy {
        let mut copy = Copy::line(to, 0, bytes.len());
        copy.from = Source::Taken(bytes);
        copy
    }

    /// # Errors
    /// [`Error::InvalidValue`], here and below, if any of the bytes are out of bounds; then nothing is copied.
    pub(crate) fn check(&self, space: &Space) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        space.place_of(self.to, reach(self.rows, self.to_pitch, self.width)?)?;
        match &self.from {
            Source::Taken(_) => Ok(()),
            Source::At(from) => {
                let bytes = reach(self.rows, self.from_pitch, self.width)?;
                space.place_of(*from, bytes).map(drop)
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.rows == 0
    }

    /// Whether it reads and whether it writes memory of the host's that the device does not see.
    pub(crate) fn on_host(&self, space: &Space) -> (bool, bool) {
        let reads = match &self.from {
            Source::At(from) => !space.is_device(*from),
            Source::Taken(_) => false,
        };
        (reads, !space.is_device(self.to))
    }

    /// Takes the bytes now, so that the program may change them before the copy's turn comes.
    pub(crate) fn take(&mut self) -> Result<()> {
        let Source::At(from) = self.from else {
            return Ok(());
        };
        let mut taken = Vec::new();
        for row in 0..self.rows {
            taken.extend_from_slice(host_slice(
                from + row * self.from_pitch,
                self.width as usize,
            )?);
        }
        self.from = Source::Taken(taken);
        self.from_pitch = self.width;
        Ok(())
    }

    /// Bytes that move within the device: the host's bus is no matter of the time model.
    pub(crate) fn device_bytes(&self, space: &Space) -> u64 {
        match self.on_host(space) {
            (false, false) if !matches!(self.from, Source::Taken(_)) => self.width * self.rows,
            _ => 0,
        }
    }

    pub(crate) fn run(&self, space: &mut Space) -> Result<()> {
        self.check(space)?;
        if self.is_empty() {
            return Ok(());
        }
        for row in 0..self.rows {
            let to = self.to + row * self.to_pitch;
            let width = self.width as usize;
            match &self.from {
                Source::Taken(bytes) => {
                    let start = (row * self.from_pitch) as usize;
                    write(space, to, &bytes[start..start + width])?;
                }
                Source::At(from) => line(space, to, from + row * self.from_pitch, width)?,
            }
        }
        Ok(())
    }
}

/// Bytes from the first of the first row to the last of the last.
fn reach(rows: u64, pitch: u64, width: u64) -> Result<u64> {
    let steps = rows.saturating_sub(1).checked_mul(pitch);
    if rows > 1 && pitch < width {
        return Err(Error::InvalidValue);
    }
    steps
        .and_then(|steps| steps.checked_add(width))
        .ok_or(Error::InvalidValue)
}

fn line(space: &mut Space, to: Pointer, from: Pointer, bytes: usize) -> Result<()> {
    match space.place_of(from, bytes as u64)? {
        Place::Host(from) => write(space, to, host_slice(from, bytes)?),
        Place::Device(address, offset) => {
            let start = offset as usize;
            match space.place_of(to, bytes as u64)? {
                Place::Host(to) => {
                    put_host_bytes(to, &space.memory.bytes(address)[start..start + bytes])
                }
                Place::Device(..) => {
                    let taken = space.memory.bytes(address)[start..start + bytes].to_vec();
                    write(space, to, &taken)
                }
            }
        }
    }
}

fn write(space: &mut Space, to: Pointer, bytes: &[u8]) -> Result<()> {
    match space.place_of(to, bytes.len() as u64)? {
        Place::Host(to) => put_host_bytes(to, bytes),
        Place::Device(address, offset) => {
            space.memory.write(address, offset, bytes);
            Ok(())
        }
    }
}

/// A value, again and again: in one row, or in those of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) to: Pointer,
    /// 1, 2 or 4 bytes.
    pub(crate) value: Vec<u8>,
    /// Bytes of a row, and from a row to the next.
    pub(crate) width: u64,
    pub(crate) pitch: u64,
    pub(crate) rows: u64,
}

impl Fill {
    /// # Errors
    /// [`Error::InvalidValue`] if any of the bytes are out of bounds.
    pub(crate) fn check(&self, space: &Space) -> Result<()> {
        if self.width == 0 || self.rows == 0 {
            return Ok(());
        }
        let bytes = reach(self.rows, self.pitch, self.width)?;
        space.place_of(self.to, bytes).map(drop)
    }

    pub(crate) fn run(&self, space: &mut Space) -> Result<()> {
        self.check(space)?;
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
