//! Gathering: many small writes to one buffer become a single copy.
//!
//! Where the rows of an input are not together, its elements come in pieces of a few bytes, of which each would be a
//! call of the driver.

use super::error::HipError;
use super::library::Hip;
use crate::device::Buffer;

/// Bytes of a write that is not small.
const SMALL: usize = 16 << 10;
/// Small writes to one buffer after which more are expected.
const FEW: u32 = 16;
/// Bytes of a buffer at most of which the host holds a copy.
const MOST: u64 = 256 << 20;

/// What has been written to a buffer, and not yet to the device.
#[derive(Default)]
pub(super) struct CoalescedWrites {
    /// The buffer of the last write, and how many small ones it got.
    streak: Option<(Buffer, u32)>,
    /// A buffer with all that it holds.
    open: Option<(Buffer, Vec<u8>)>,
}

impl CoalescedWrites {
    /// Writes to a buffer of `size` bytes, sooner or later.
    pub(super) fn write(
        &mut self,
        hip: &Hip,
        (buffer, size): (Buffer, u64),
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), HipError> {
        let is_small = bytes.len() < SMALL && size <= MOST;
        let count = match self.streak {
            Some((last, count)) if last == buffer && is_small => count + 1,
            _ => {
                self.flush(hip)?;
                u32::from(is_small)
            }
        };
        self.streak = Some((buffer, count));
        if count <= FEW {
            return hip.copy_in(buffer.0 + offset, bytes);
        }
        let (_, copy) = match &mut self.open {
            Some(open) => open,
            none => none.insert((buffer, hip.copy_out(buffer.0..buffer.0 + size)?)),
        };
        copy[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// All that a buffer holds, where the device has not got it yet.
    pub(super) fn held(&self, buffer: Buffer) -> Option<&[u8]> {
        let (open, copy) = self.open.as_ref()?;
        (*open == buffer).then_some(copy)
    }

    /// Writes to the device what is not there yet. Before anything else happens to the buffer.
    pub(super) fn flush(&mut self, hip: &Hip) -> Result<(), HipError> {
        self.streak = None;
        match self.open.take() {
            Some((buffer, copy)) => hip.copy_in(buffer.0, &copy),
            None => Ok(()),
        }
    }
}
