//! Accesses through a buffer resource.

use super::super::lane_mask::write;
use super::super::observer::ExecutionObserver;
use super::super::stop::{WaveStop, unsupported};
use super::super::wave::{PRIVATE_RESOURCE, Wave, WorkgroupContext};
use super::{global, private};
use crate::instruction::{AddressingMode, MemoryAction, VECTOR_MASK};
use crate::isa::EncodingFamily;
use crate::operation::host::for_host;
use crate::operation::{Lanes, MemoryOperation};

/// The range check of a buffer (manuals, "Range Checking"). On gfx9 the kind of the buffer
/// determines it, later OOB_SELECT in the resource.
#[derive(Clone, Copy)]
enum Range {
    /// The index must be below this number of records.
    Index(u64),
    /// The access must end at or below this offset.
    Bytes(u64),
    /// Both limits, with the stride as the limit of the offset.
    Record { records: u64, stride: u64 },
}

impl Range {
    /// Returns true if an access to record `index` that ends at offset `end` is in range.
    fn holds(self, index: u64, end: u64) -> bool {
        match self {
            Range::Index(records) => index < records,
            Range::Bytes(bytes) => end <= bytes,
            Range::Record { records, stride } => index < records && end <= stride,
        }
    }
}

for_host! {
    /// Accesses memory through a resource. A load outside its range returns 0, and a store
    /// outside has no effect.
    pub(super) fn access[W: ExecutionObserver](
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        action: &MemoryAction,
        watch: &mut W,
    ) -> Result<(), WaveStop> {
        let AddressingMode::Buffer {
            resource,
            scalar,
            index: with_index,
            offset: with_offset,
        } = action.space
        else {
            return Ok(());
        };
        // The four words of a resource: base low, base high with the stride, records, flags.
        let words: [u32; 4] = std::array::from_fn(|index| wave.scalar(resource + index as u8));
        let stride = u64::from((words[1] >> 16) & 0x3fff);
        let records = u64::from(words[2]);
        if words[1] >> 31 != 0 && words[..2] == PRIVATE_RESOURCE[..2] {
            let scalar = wave.read(scalar, false) as u32;
            return interleaved(wave, device, action, scalar, with_offset, watch);
        }
        // Swizzling interleaves records; only the private resource above is emulated that way.
        if words[1] >> 31 != 0 || words[3] & (1 << 23) != 0 {
            let reason = format!("swizzled buffer resource {words:08x?}");
            return Err(unsupported(reason));
        }
        let base = u64::from(words[0]) | (u64::from(words[1] & 0xffff) << 32);
        let scalar = wave.read(scalar, false);
        let base = base.wrapping_add(scalar);
        // OOB_SELECT has bits 28 and 29 of the fourth word.
        let range = match (wave.isa.family(), (words[3] >> 28) & 3) {
            (EncodingFamily::Gfx9, _) if with_index && stride != 0 => Range::Index(records),
            (EncodingFamily::Gfx9, _) => Range::Bytes(records),
            (_, 0) => Range::Record { records, stride },
            (_, 1) => Range::Index(records),
            (_, 2) if records == 0 => Range::Bytes(0),
            (_, 2) => Range::Bytes(u64::MAX),
            _ => Range::Bytes(records.saturating_sub(scalar)),
        };
        let exec = device.access.mask;
        let size = u64::from(device.access.bytes);
        // The hardware checks the words of an access one by one, but smaller accesses and atomics
        // as a whole.
        let words_each = match action.operation {
            MemoryOperation::Load { registers } | MemoryOperation::Store { registers } => {
                u64::from(registers)
            }
            _ => 1,
        };
        let unit = size / words_each;
        let mut inside = [0u64; 4];
        let register = |index: usize| wave.vector[(usize::from(action.address) + index) & VECTOR_MASK].0;
        let indices = if with_index { register(0) } else { [0; 64] };
        let offsets = if with_offset {
            register(usize::from(with_index))
        } else {
            [0; 64]
        };
        for lane in 0..64 {
            // The sum wraps at 32 bits before the range check. LLVM relies on this if it folds
            // offsets into the immediate: `splitBufferOffsets` requires no unsigned wrap on
            // gfx1250 only. IREE's i8 kernels start at -2 + 2.
            let offset = u64::from(offsets[lane].wrapping_add(action.offset as u32));
            let index = u64::from(indices[lane]);
            device.access.addresses[lane] = base.wrapping_add(index * stride).wrapping_add(offset);
            for (word, mask) in inside.iter_mut().enumerate().take(words_each as usize) {
                let end = offset + unit * (word as u64 + 1);
                *mask |= u64::from(range.holds(index, end)) << lane;
            }
        }
        for mask in &mut inside {
            *mask &= exec;
        }
        let loads = matches!(
            action.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        );
        // Words outside the range read as 0; the access below then loads only the words inside.
        if loads {
            for (word, mask) in inside.iter().enumerate().take(words_each as usize) {
                let to = (usize::from(action.data) + word) & VECTOR_MASK;
                write(&mut wave.vector[to], &Lanes([0; 64]), exec & !mask);
            }
        }
        if let Some(to) = action.returns {
            for index in 0..(size / 4) as usize {
                let to = (usize::from(to) + index) & VECTOR_MASK;
                write(&mut wave.vector[to], &Lanes([0; 64]), exec & !inside[0]);
            }
        }
        let used = &inside[..words_each as usize];
        // The usual case: all words of each lane have the same result, so one access suffices.
        if used.iter().all(|mask| *mask == used[0]) {
            return masked(wave, device, action, inside[0], watch);
        }
        let addresses = device.access.addresses;
        for (word, &mask) in used.iter().enumerate() {
            let single = MemoryAction {
                operation: if loads {
                    MemoryOperation::Load { registers: 1 }
                } else {
                    MemoryOperation::Store { registers: 1 }
                },
                data: action.data + word as u16,
                ..action.clone()
            };
            for (address, first) in device.access.addresses.iter_mut().zip(&addresses) {
                *address = first.wrapping_add(4 * word as u64);
            }
            device.access.bytes = 4;
            masked(wave, device, &single, mask, watch)?;
        }
        Ok(())
    }
}

/// Accesses private memory through its resource. The scalar offset counts bytes of the whole
/// wave, because the lanes' bytes are interleaved; dividing it by the lanes gives a lane's
/// offset.
fn interleaved<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    scalar: u32,
    with_offset: bool,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let base = (scalar / wave.lanes() as u32).wrapping_add_signed(action.offset);
    let offsets = &wave.vector[usize::from(action.address) & VECTOR_MASK].0;
    for (address, offset) in device.access.addresses.iter_mut().zip(offsets) {
        let offset = if with_offset { *offset } else { 0 };
        *address = u64::from(base.wrapping_add(offset));
    }
    let mask = device.access.mask;
    private(wave, device, action, mask, watch)
}

fn masked<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    mask: u64,
    watch: &mut W,
) -> Result<(), WaveStop> {
    device.access.mask = mask;
    if mask == 0 {
        Ok(())
    } else {
        global(wave, device, action, watch)
    }
}
