//! Accesses to allocations: undefined bytes, and writes of other waves and workgroups in this
//! launch.

use super::access::{accessed, offset, verb};
use super::data_registers::{data_is_dirty, is_uniform, load, stored, stretch, writes_same};
use super::finding::FindingKind;
use super::global_writes::StoreAuthor;
use super::lds::AccessMode;
use super::{Checker, WaveState};
use crate::concurrent_memory::ConcurrentMemory;
use crate::effects::{CacheEffect, name};
use crate::execute::{AccessOperands, Wave, WorkgroupContext, lanes};
use crate::operation::{AtomicOperation, MemoryOperation};

impl Checker<'_> {
    pub(super) fn global(
        &mut self,
        wave: &mut Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        mask: u64,
        how: AccessMode,
    ) {
        let (memory, access) = (device.memory, &device.access);
        let bytes = access.bytes;
        let state = &mut self.waves[wave.number as usize];
        let dirty = data_is_dirty(state, moved, mask);
        let first = access.addresses[mask.trailing_zeros() as usize & 63];
        // The exclusive-or has slot bits if and only if the lanes access different allocations.
        let elsewhere = lanes(mask).fold(0, |all, lane| all | (access.addresses[lane] ^ first));
        let marked = if elsewhere >> crate::address::SLOT_BITS == 0 {
            memory.undefined(first).is_some()
        } else {
            lanes(mask).any(|lane| memory.undefined(access.addresses[lane]).is_some())
        };
        let whole = stretch(access, mask);
        let mut wrong = None;
        match how {
            AccessMode::Read if marked => {
                let bits = |lane: usize| {
                    let address = access.addresses[lane];
                    memory
                        .undefined(address)
                        .map_or(0, |one| one.get(offset(address), bytes))
                };
                load(state, moved, mask, bits);
            }
            AccessMode::Read => {}
            // The usual store is one defined range, so one call covers all lanes.
            AccessMode::Write if marked && !dirty && whole.is_some() => {
                if let (Some(place), Some((start, length))) = (memory.undefined(first), whole) {
                    let start = offset(start);
                    place.set_all(start..start + length, false);
                }
            }
            AccessMode::Write if marked || dirty => {
                for lane in lanes(mask) {
                    let address = access.addresses[lane];
                    let bits = if dirty { stored(state, moved, lane) } else { 0 };
                    if is_value(bits, bytes) && wrong.is_none() {
                        wrong = Some((lane, "the stored value was never written"));
                    }
                    mark(memory, address, bytes, bits);
                }
            }
            AccessMode::Write => {}
            AccessMode::Atomic | AccessMode::Compare => {
                let swaps = matches!(
                    moved.operation,
                    MemoryOperation::Atomic {
                        operation: AtomicOperation::Swap,
                        ..
                    }
                );
                for lane in lanes(mask) {
                    let address = access.addresses[lane];
                    let old = memory
                        .undefined(address)
                        .map_or(0, |one| one.get(offset(address), bytes));
                    if dirty && stored(state, moved, lane) != 0 {
                        wrong =
                            wrong.or(Some((lane, "an operand of the atomic was never written")));
                    }
                    // A swap ignores the old value, so it may initialize memory.
                    if old != 0 && !swaps {
                        wrong = wrong.or(Some((
                            lane,
                            "the memory that the atomic changes was never written",
                        )));
                    }
                    mark(memory, address, bytes, 0);
                }
            }
        }
        if let Some((lane, reason)) = wrong {
            let accessed = accessed(device, lane as u32);
            let data = name(moved.data[0]);
            self.report(
                FindingKind::Uninitialized,
                wave,
                Some(lane as u32),
                Some(accessed),
                || format!("{reason} ({data})"),
            );
        }
        self.authors(wave, device, moved, (mask, whole), how);
    }

    /// Checks the access against writes of other waves and workgroups, then records it. `whole`
    /// is the range of the lanes, if they access one.
    fn authors(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        (mask, whole): (u64, Option<(u64, u64)>),
        how: AccessMode,
    ) {
        let access = &device.access;
        let first = access.addresses[mask.trailing_zeros() as usize & 63];
        let own = StoreAuthor {
            workgroup: self.linear,
            epoch: self.epoch,
            wave: wave.number as u8,
            by: how,
            step: wave.current as u32,
            generation: match how {
                AccessMode::Write => self.handover.store(wave.number as usize),
                _ => 0,
            },
        };
        let past = self.effects.scope(wave.current) == CacheEffect::Bypass;
        match how {
            // A load past the caches is a flag, and a later store to a flag is no mistake.
            AccessMode::Read if !past => self.note_read(device, (mask, whole), own),
            AccessMode::Write => self.report_readers(wave, device, moved, (mask, whole), &own),
            _ => {}
        }
        // Most launches never read what they write; this check makes reads cheap.
        if how == AccessMode::Read && !self.writes.has(first) {
            return;
        }
        // A load past the caches may observe an atomic that publishes other stores.
        if how == AccessMode::Read && past {
            self.look(wave, device, mask);
        }
        let size = |address: u64| device.memory.slot_bytes(address);
        // Without a clash in the whole range, no lane needs its own look-up.
        if let Some((start, length)) = whole
            && !self.is_others(&own, start, length)
        {
            if how != AccessMode::Read {
                let author = self.writes.author(own);
                self.writes.write(start, length, size(start), author);
            }
        } else {
            self.report_others(wave, device, moved, (mask, whole), &own);
            if how != AccessMode::Read {
                let author = self.writes.author(own);
                for lane in lanes(mask) {
                    let (address, bytes) = (access.addresses[lane], access.bytes.into());
                    self.writes.write(address, bytes, size(address), author);
                }
            }
        }
        if how.is_atomic() {
            let returns = moved.returns.is_some();
            for lane in lanes(mask) {
                self.handover
                    .atomic(wave.number as usize, access.addresses[lane], returns);
            }
            self.released.insert(self.linear);
            self.acquired |= moved.returns.is_some();
            self.note_atomic(wave, moved);
        }
    }

    /// Returns true if some of the bytes have a writer that clashes with `own`.
    fn is_others(&self, own: &StoreAuthor, start: u64, length: u64) -> bool {
        let mut any = false;
        self.writes
            .authors(start, length, |author| any |= own.clashes(author));
        any
    }

    /// Reports the first lane that accesses bytes of a clashing writer.
    fn report_others(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        (mask, whole): (u64, Option<(u64, u64)>),
        own: &StoreAuthor,
    ) {
        let access = &device.access;
        self.handed_over(wave, device, (mask, whole), own);
        // Handed-over bytes rarely clash, and one look covers all lanes.
        if let Some((start, length)) = whole {
            let mut any = false;
            self.writes.authors(start, length, |author| {
                any |= own.clashes(author) && !own.reads_of_other(author);
            });
            if !any {
                return;
            }
        }
        for lane in lanes(mask) {
            let mut other = None;
            let (address, bytes) = (access.addresses[lane], access.bytes.into());
            self.writes.authors(address, bytes, |author| {
                if own.clashes(author) && !own.reads_of_other(author) {
                    other = other.or(Some(*author));
                }
            });
            let Some(author) = other.filter(|author| !self.ordered(wave, author)) else {
                continue;
            };
            // Many workgroups may set a flag. Values that differ between lanes are no flags.
            let harmless = own.by == AccessMode::Write
                && writes_same(
                    wave,
                    device,
                    moved,
                    lane,
                    self.clashing(own, address, bytes),
                )
                && (author.workgroup == own.workgroup || is_uniform(wave, moved, mask));
            if !harmless {
                self.report_author(wave, device, lane, author, own.by);
                return;
            }
        }
    }

    /// Returns the bytes of an access that have a clashing writer, one bit each.
    fn clashing(&self, own: &StoreAuthor, address: u64, bytes: u64) -> u64 {
        let clashes = |byte: &u64| {
            let mut clashes = false;
            self.writes.authors(address + byte, 1, |author| {
                clashes |= own.clashes(author) && !own.reads_of_other(author);
            });
            clashes
        };
        (0..bytes)
            .filter(clashes)
            .fold(0, |all, byte| all | 1 << byte)
    }

    pub(super) fn note_atomic(&mut self, wave: &Wave, moved: &AccessOperands) {
        let epoch = self.epoch;
        let state = self.state(wave);
        state.released = epoch;
        if moved.returns.is_some() {
            state.acquired = epoch;
        }
    }

    /// Returns true if atomics may have ordered an author's write before the wave's current
    /// access.
    fn ordered(&self, wave: &Wave, author: &StoreAuthor) -> bool {
        // The checker does not track the variables here: any released atomic may be the one.
        if author.workgroup != self.linear {
            return self.acquired && self.released.contains(&author.workgroup);
        }
        self.ordered_waves(wave, Some(author.wave))
    }

    pub(super) fn ordered_waves(&self, wave: &Wave, other: Option<u8>) -> bool {
        let released = |state: &WaveState| state.released == self.epoch;
        let other = match other {
            Some(other) => self.waves.get(usize::from(other)).is_some_and(released),
            None => true,
        };
        other && self.waves[wave.number as usize].acquired == self.epoch
    }

    /// Returns the three-dimensional ID of a workgroup.
    pub(super) fn position(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.workgroups;
        [linear % x, linear / x % y, linear / x / y]
    }

    fn report_author(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        lane: usize,
        author: StoreAuthor,
        how: AccessMode,
    ) {
        let accessed = accessed(device, lane as u32);
        // The texts precede the closure, because `report` borrows the checker.
        let (what, reads) = (self.describe(author.step), verb(how));
        let (address, bytes) = (accessed.address, accessed.bytes);
        if author.workgroup == self.linear {
            self.report(FindingKind::Race, wave, Some(lane as u32), Some(accessed), || {
                format!(
                    "{reads} {bytes} bytes at {address:#x}, some of which wave {} wrote ({what}) with no barrier in between",
                    author.wave
                )
            });
        } else {
            let [x, y, z] = self.position(author.workgroup);
            self.report(FindingKind::SharedWrite, wave, Some(lane as u32), Some(accessed), || {
                format!(
                    "{reads} {bytes} bytes at {address:#x}, some of which workgroup ({x}, {y}, {z}) wrote too ({what}, wave {})",
                    author.wave
                )
            });
        }
    }
}

/// Returns true if the undefined bytes that a lane stores are a value, not padding. Compilers
/// copy padding with the members of a structure: it follows a member in its word, or fills whole
/// words beside others.
fn is_value(undefined: u64, bytes: u32) -> bool {
    let all = (1u64 << bytes) - 1;
    let words = (0..bytes.div_ceil(4))
        .map(|word| ((undefined >> (4 * word)) & 0xf, (all >> (4 * word)) & 0xf));
    undefined == all
        || words
            .into_iter()
            .any(|(undefined, all)| undefined & 1 != 0 && undefined != all)
}

fn mark(memory: &ConcurrentMemory<'_>, address: u64, bytes: u32, undefined: u64) {
    let place = match memory.undefined(address) {
        None if undefined != 0 => memory.undefined_or_new(address),
        place => place,
    };
    if let Some(place) = place {
        place.set(offset(address), bytes, undefined);
    }
}

#[cfg(test)]
mod tests {
    use super::is_value;

    #[test]
    fn padding_is_no_value() {
        for (undefined, bytes, expected) in [
            (0b1111, 4, true),
            (0b0001, 4, true),
            (0b0011, 4, true),
            (0b1110, 4, false),
            (0b1100, 4, false),
            (0b1111_0000, 8, false),
            (0b1110_0000, 8, false),
            (0b0000_1111, 8, false),
            (0b0000_0011, 8, true),
            (0b1111_1111, 8, true),
            (0xf000, 16, false),
            (0xffff, 16, true),
            (0b01, 2, true),
            (0b10, 2, false),
            (1, 1, true),
            (0, 16, false),
        ] {
            assert_eq!(is_value(undefined, bytes), expected, "{undefined:#b}");
        }
    }
}
