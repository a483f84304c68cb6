//! What the workgroups of a sample overwrote, so that memory can be what it was before them.

use crate::address::{offset_of, slot_start};
use crate::execute::{Access, Region};
use crate::memory::Memory;
use crate::shared::Shared;

/// The bytes that were there, in the order in which they were overwritten.
#[derive(Default)]
pub(super) struct Undo {
    /// Address, number of bytes, and the bytes themselves in the next eight at a time.
    overwritten: Vec<(u64, u32, u64)>,
}

impl Undo {
    /// Lanes are about to write where `access` says.
    pub(super) fn note(&mut self, memory: &Shared<'_>, access: &Access) {
        if access.region != Region::Global {
            return;
        }
        for lane in (0..64).filter(|lane| (access.mask >> lane) & 1 != 0) {
            let (start, end) = (0, access.bytes);
            for offset in (start..end).step_by(8) {
                let address = access.addresses[lane].wrapping_add(offset.into());
                let bytes = (end - offset).min(8);
                // An access outside of all allocations writes nothing.
                if let Some(place) = memory.get(address, bytes as usize) {
                    let before =
                        (0..bytes as usize).map(|byte| place.load::<1>(byte) << (8 * byte));
                    let before = before.fold(0, |all, byte| all | byte);
                    self.overwritten.push((address, bytes, before));
                }
            }
        }
    }

    /// Writes back what was there.
    pub(super) fn restore(self, memory: &mut Memory) {
        for (address, bytes, before) in self.overwritten.into_iter().rev() {
            let (start, offset) = (slot_start(address), offset_of(address));
            let place = memory.bytes_mut(start).get_mut(offset..);
            // The launch's own allocations are gone by now.
            if let Some(place) = place.and_then(|rest| rest.get_mut(..bytes as usize)) {
                place.copy_from_slice(&before.to_le_bytes()[..bytes as usize]);
            }
        }
    }
}
