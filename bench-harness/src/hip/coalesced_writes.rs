//! Coalesced writes: many small writes to one buffer become a single copy.
//!
//! If the rows of an input are not contiguous, its elements arrive in pieces of a few bytes. Each
//! would be a call of the driver.

use super::error::HipError;
use super::library::Hip;
use crate::device::Buffer;

/// The size in bytes from which a write is not small.
const SMALL: usize = 16 << 10;
/// The number of small writes to one buffer after which more are expected.
const FEW: u32 = 16;
/// The maximum size in bytes of a buffer that the host copies.
const MOST: u64 = 256 << 20;

/// The writes that have not reached the device.
#[derive(Default)]
pub(super) struct CoalescedWrites {
    /// The buffer of the last write, with the number of its small writes.
    streak: Option<(Buffer, u32)>,
    /// A buffer with all of its contents.
    open: Option<(Buffer, Vec<u8>)>,
}

impl CoalescedWrites {
    /// Writes to a buffer of `size` bytes, at once or on a later flush.
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
            // The host copies the whole buffer, because the gaps between the pieces must keep
            // their contents.
            none => none.insert((buffer, hip.copy_out(buffer.0..buffer.0 + size)?)),
        };
        copy[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Returns the contents of a buffer, if the device does not have them yet.
    pub(super) fn held(&self, buffer: Buffer) -> Option<&[u8]> {
        let (open, copy) = self.open.as_ref()?;
        (*open == buffer).then_some(copy)
    }

    /// Flushes outstanding writes to the device. Callers do so before any other use of the
    /// buffer.
    pub(super) fn flush(&mut self, hip: &Hip) -> Result<(), HipError> {
        self.streak = None;
        match self.open.take() {
            Some((buffer, copy)) => hip.copy_in(buffer.0, &copy),
            None => Ok(()),
        }
    }
}
