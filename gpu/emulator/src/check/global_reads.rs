//! The readers of global memory, for writes that follow without an order.
//!
//! A race has two orders. The writes of the launch show a read after another's write. This record
//! shows a write after another's read.

use super::Checker;
use super::access::accessed;
use super::data_registers::{is_uniform, writes_same};
use super::finding::FindingKind;
use super::global_writes::{GlobalWrites, StoreAuthor};
use super::happens_before::MissingOrdering;
use crate::execute::{AccessOperands, Wave, WorkgroupContext, lanes};

/// The number of workgroups with all reads recorded. Later ones record reads of the
/// allocations that the launch has written: an input stays cheap.
const RECORDED: u32 = 64;

/// The last two readers of each byte, in different waves or epochs.
#[derive(Default)]
pub(super) struct GlobalReads {
    latest: GlobalWrites,
    /// A wave usually reads a byte before it writes it, so the reader before it matters.
    earlier: GlobalWrites,
}

/// Returns true if a barrier or the order of the wave separates the two accesses.
fn is_apart(one: &StoreAuthor, other: &StoreAuthor) -> bool {
    one.workgroup == other.workgroup && (one.wave == other.wave || one.epoch != other.epoch)
}

impl GlobalReads {
    fn note(&mut self, start: u64, bytes: u64, size: u64, reader: StoreAuthor) {
        let mut others = false;
        self.latest
            .authors(start, bytes, |known| others |= !is_apart(&reader, known));
        let mut at = start;
        while others && at < start + bytes {
            // Words begin at multiples of four.
            let length = (4 - at % 4).min(start + bytes - at);
            let mut known = None;
            self.latest.authors(at, length, |author| {
                if !is_apart(&reader, author) {
                    known = Some(*author);
                }
            });
            if let Some(known) = known {
                let number = self.earlier.author(known);
                self.earlier.write(at, length, size, number);
            }
            at += length;
        }
        let number = self.latest.author(reader);
        self.latest.write(start, bytes, size, number);
    }

    /// Returns a reader of these bytes that nothing separates from `writer`.
    fn clash(&self, start: u64, bytes: u64, writer: &StoreAuthor) -> Option<StoreAuthor> {
        let mut found = None;
        for readers in [&self.latest, &self.earlier] {
            readers.authors(start, bytes, |reader| {
                if !is_apart(writer, reader) {
                    found = found.or(Some(*reader));
                }
            });
        }
        found
    }
}

impl Checker<'_> {
    /// Records a read of the lanes in `mask`. `whole` is their range, if they read one.
    pub(super) fn note_read(
        &mut self,
        device: &WorkgroupContext<'_>,
        (mask, whole): (u64, Option<(u64, u64)>),
        reader: StoreAuthor,
    ) {
        let access = &device.access;
        let first = access.addresses[mask.trailing_zeros() as usize & 63];
        if self.linear >= RECORDED && !self.writes.has(first) {
            return;
        }
        let size = |address: u64| device.memory.slot_bytes(address);
        if let Some((start, bytes)) = whole {
            self.reads.note(start, bytes, size(start), reader);
            return;
        }
        for lane in lanes(mask) {
            let address = access.addresses[lane];
            self.reads
                .note(address, access.bytes.into(), size(address), reader);
        }
    }

    /// Reports the first lane that writes bytes which another wave has read, without an order
    /// between the two.
    pub(super) fn report_readers(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        moved: &AccessOperands,
        (mask, whole): (u64, Option<(u64, u64)>),
        own: &StoreAuthor,
    ) {
        let access = &device.access;
        if let Some((start, bytes)) = whole
            && self.reads.clash(start, bytes, own).is_none()
        {
            return;
        }
        for lane in lanes(mask) {
            let (address, bytes) = (access.addresses[lane], access.bytes);
            let Some(reader) = self.reads.clash(address, bytes.into(), own) else {
                continue;
            };
            let same = reader.workgroup == own.workgroup;
            // A write of the present value changes nothing for the reader.
            let all = (1u64 << bytes) - 1;
            let is_harmless = writes_same(wave, device, moved, lane, all)
                && (same || is_uniform(wave, moved, mask));
            if is_harmless || self.follows(wave, &reader) {
                continue;
            }
            let what = self.describe(reader.step);
            let accessed = accessed(device, lane as u32);
            let (kind, who, lacks) = match same {
                true => (
                    FindingKind::Race,
                    format!("wave {}", reader.wave),
                    "with no barrier in between",
                ),
                false => {
                    let [x, y, z] = self.position(reader.workgroup);
                    let who = format!("workgroup ({x}, {y}, {z})");
                    (
                        FindingKind::MissingFence,
                        who,
                        "and no atomic connects the two",
                    )
                }
            };
            self.report(kind, wave, Some(lane as u32), Some(accessed), || {
                format!(
                    "writes {bytes} bytes at {address:#x}, some of which {who} read before ({what}) {lacks}"
                )
            });
            return;
        }
    }

    /// Returns true if atomics or flags may have ordered a read before the wave's current access.
    fn follows(&self, wave: &Wave, reader: &StoreAuthor) -> bool {
        if reader.workgroup == self.linear {
            return self.ordered_waves(wave, Some(reader.wave));
        }
        let by = (reader.workgroup, usize::from(reader.wave));
        let missing = (self.handover).check(wave.number as usize, by, reader.generation);
        missing != MissingOrdering::Order
            || self.acquired && self.released.contains(&reader.workgroup)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lds::AccessMode;
    use super::*;
    use crate::address::SLOT_BITS;

    const BASE: u64 = 16 << SLOT_BITS;

    fn by(workgroup: u32, wave: u8, epoch: u32) -> StoreAuthor {
        StoreAuthor {
            workgroup,
            epoch,
            wave,
            by: AccessMode::Read,
            step: 3,
            generation: 0,
        }
    }

    /// Checks the workgroup and wave that read bytes before `writer` writes bytes 4 to 7.
    #[track_caller]
    fn check(reads: &[(StoreAuthor, u64, u64)], writer: StoreAuthor, expected: Option<(u32, u8)>) {
        let mut all = GlobalReads::default();
        for &(reader, offset, bytes) in reads {
            all.note(BASE + offset, bytes, 4096, reader);
        }
        let found = all.clash(BASE + 4, 4, &writer);
        assert_eq!(
            found.map(|reader| (reader.workgroup, reader.wave)),
            expected
        );
    }

    #[test]
    fn a_reader_clashes_with_another_writer() {
        check(&[], by(1, 0, 0), None);
        check(&[(by(0, 0, 0), 4, 4)], by(1, 0, 0), Some((0, 0)));
        check(&[(by(0, 0, 0), 4, 4)], by(0, 1, 0), Some((0, 0)));
        // Other bytes, the same wave, and a barrier in between.
        check(&[(by(0, 0, 0), 8, 4)], by(1, 0, 0), None);
        check(&[(by(0, 0, 0), 4, 4)], by(0, 0, 0), None);
        check(&[(by(0, 0, 0), 4, 4)], by(0, 1, 1), None);
    }

    #[test]
    fn a_writer_that_has_read_too_hides_no_reader() {
        let own = by(1, 0, 0);
        check(&[(by(0, 0, 0), 0, 64), (own, 4, 4)], own, Some((0, 0)));
        check(&[(by(0, 0, 0), 6, 1), (own, 0, 64)], own, Some((0, 0)));
        check(&[(by(0, 0, 0), 8, 4), (own, 0, 64)], own, None);
        // Two reads of its own do not hide it either.
        check(
            &[(by(0, 0, 0), 4, 4), (own, 4, 4), (own, 4, 4)],
            own,
            Some((0, 0)),
        );
    }
}
