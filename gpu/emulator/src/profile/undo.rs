//! The bytes that a sample overwrites, for restoring memory afterwards.

use std::collections::HashMap;

use crate::address::{offset_of, slot_start};
use crate::concurrent_memory::ConcurrentMemory;
use crate::execute::{MemoryAccess, Region, lanes};
use crate::memory::EmulatedMemory;

/// The granule of recorded bytes. A whole launch overwrites most of a buffer, so pages cost less
/// than bytes.
const PAGE_BYTES: u64 = 4096;

/// The overwritten bytes with their old values.
#[derive(Default)]
pub(super) struct Undo {
    /// Pages of the device's own memory, by number.
    pages: HashMap<u64, Vec<u8>>,
    /// Single bytes of host memory by address, in the order of the writes. A page could contain
    /// bytes that the host writes meanwhile.
    bytes: Vec<(u64, u8)>,
    /// The last recorded page.
    recent: Option<u64>,
}

impl Undo {
    /// Records the bytes of an access before it writes.
    pub(super) fn note(&mut self, memory: &ConcurrentMemory<'_>, access: &MemoryAccess) {
        if access.region != Region::Global {
            return;
        }
        for lane in lanes(access.mask) {
            let first = access.addresses[lane];
            // Host memory has no pages here: the host may write the neighbouring bytes meanwhile.
            if memory.is_host(first) {
                self.keep_bytes(memory, first, access.bytes);
                continue;
            }
            let last = first.saturating_add(u64::from(access.bytes.max(1)) - 1);
            for page in first / PAGE_BYTES..=last / PAGE_BYTES {
                if self.recent != Some(page) {
                    self.keep(memory, page);
                }
            }
        }
    }

    fn keep_bytes(&mut self, memory: &ConcurrentMemory<'_>, address: u64, count: u32) {
        let Some(place) = memory.get(address, count as usize) else {
            return;
        };
        let bytes = (0..count).map(|at| {
            let before = place.load::<1>(at as usize) as u8;
            (address + u64::from(at), before)
        });
        self.bytes.extend(bytes);
    }

    fn keep(&mut self, memory: &ConcurrentMemory<'_>, page: u64) {
        self.recent = Some(page);
        let address = page * PAGE_BYTES;
        // An access outside all allocations writes nothing.
        let Some(slot) = memory.slot(address) else {
            return;
        };
        let offset = offset_of(address);
        let length = slot.len().saturating_sub(offset).min(PAGE_BYTES as usize);
        self.pages.entry(page).or_insert_with(|| {
            let mut bytes = Vec::with_capacity(length);
            while length - bytes.len() >= 8 {
                let word = slot.load::<8>(offset + bytes.len());
                bytes.extend(word.to_le_bytes());
            }
            let rest = bytes.len()..length;
            bytes.extend(rest.map(|byte| slot.load::<1>(offset + byte) as u8));
            bytes
        });
    }

    /// Restores the old bytes.
    pub(super) fn restore(self, memory: &mut EmulatedMemory) {
        for (page, before) in self.pages {
            let address = page * PAGE_BYTES;
            let offset = offset_of(address);
            let place = memory.bytes_mut(slot_start(address)).get_mut(offset..);
            // The launch's own allocations no longer exist.
            if let Some(place) = place.and_then(|rest| rest.get_mut(..before.len())) {
                place.copy_from_slice(&before);
            }
        }
        // Reverse order restores the oldest value of a byte that was written repeatedly.
        for (address, before) in self.bytes.into_iter().rev() {
            let place = memory.bytes_mut(slot_start(address));
            if let Some(place) = place.get_mut(offset_of(address)) {
                *place = before;
            }
        }
    }
}
