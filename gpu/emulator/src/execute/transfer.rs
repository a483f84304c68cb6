//! Data transfer between registers and the storage of lanes.

use super::lane_mask::{lanes, write};
use super::lane_storage::LaneStorage;
use super::observer::AccessOperands;
use super::wave::Wave;
use crate::instruction::VECTOR_MASK;
use crate::isa::EncodingFamily;
use crate::operation::host::for_host;
use crate::operation::memory::DestinationHalf;
use crate::operation::{AtomicOperation, Lanes, MemoryOperation};

for_host! {
    // Out of line: it is most of the code of an access, and knows no observer.
    /// Moves data between registers and `store` at `offsets`, which must lie within it.
    pub(super) fn move_data[S: LaneStorage](
        wave: &mut Wave,
        store: &mut S,
        offsets: &[u64; 64],
        mask: u64,
        moved: &AccessOperands,
    ) {
        let data = moved.data;
        match moved.operation {
            MemoryOperation::Load { registers: 1 } => load::<1, S>(wave, store, offsets, mask, data[0]),
            MemoryOperation::Load { registers: 2 } => load::<2, S>(wave, store, offsets, mask, data[0]),
            MemoryOperation::Load { registers: 4 } => load::<4, S>(wave, store, offsets, mask, data[0]),
            // Three is the only other number of registers.
            MemoryOperation::Load { .. } => load::<3, S>(wave, store, offsets, mask, data[0]),
            MemoryOperation::LoadPart {
                bytes,
                signed,
                into,
            } => load_part(wave, store, offsets, mask, data[0], bytes, signed, into),
            MemoryOperation::Store { registers: 1 } => {
                put::<1, S>(wave, store, offsets, mask, data[0]);
            }
            MemoryOperation::Store { registers: 2 } => {
                put::<2, S>(wave, store, offsets, mask, data[0]);
            }
            MemoryOperation::Store { registers: 4 } => {
                put::<4, S>(wave, store, offsets, mask, data[0]);
            }
            MemoryOperation::Store { .. } => put::<3, S>(wave, store, offsets, mask, data[0]),
            MemoryOperation::StorePart { bytes, high } => {
                let source = &wave.vector[usize::from(data[0]) & VECTOR_MASK].0;
                // `*_d16_hi` stores take the high half of the register.
                let shift = if high { 16 } else { 0 };
                for lane in lanes(mask) {
                    let value = u64::from(source[lane] >> shift);
                    if bytes == 1 {
                        store.store::<1>(lane, offsets[lane], value);
                    } else {
                        store.store::<2>(lane, offsets[lane], value);
                    }
                }
            }
            MemoryOperation::Atomic { operation, wide } => {
                let returns = moved.returns;
                if wide {
                    atomic::<8, S>(wave, store, offsets, mask, operation, data, returns);
                } else {
                    atomic::<4, S>(wave, store, offsets, mask, operation, data, returns);
                }
            }
        }
    }
}

/// Loads `N` words into each lane.
#[inline(always)]
fn load<const N: usize, S: LaneStorage>(
    wave: &mut Wave,
    store: &mut S,
    offsets: &[u64; 64],
    mask: u64,
    to: u16,
) {
    let first = usize::from(to) & VECTOR_MASK;
    // In a full wave no lane keeps its old value, so the registers need no temporary.
    if mask == u64::MAX
        && let Some(registers) = wave.vector[first..].first_chunk_mut::<N>()
        && store.load_rows(offsets, mask, registers)
    {
        return;
    }
    let mut values = [Lanes([0; 64]); N];
    if !store.load_rows(offsets, mask, &mut values) {
        for lane in lanes(mask) {
            let words = store.load_words::<N>(lane, offsets[lane]);
            for (register, word) in values.iter_mut().zip(words) {
                register.0[lane] = word;
            }
        }
    }
    for (word, values) in values.iter().enumerate() {
        write(&mut wave.vector[(first + word) & VECTOR_MASK], values, mask);
    }
}

/// Stores `N` words of each lane. If lanes write to one address, the highest lane wins.
#[inline(always)]
fn put<const N: usize, S: LaneStorage>(
    wave: &mut Wave,
    store: &mut S,
    offsets: &[u64; 64],
    mask: u64,
    from: u16,
) {
    let first = usize::from(from) & VECTOR_MASK;
    let registers: [&Lanes; N] =
        std::array::from_fn(|word| &wave.vector[(first + word) & VECTOR_MASK]);
    if store.store_rows(offsets, mask, registers) {
        return;
    }
    for lane in lanes(mask) {
        let mut words = [0; N];
        for (word, register) in words.iter_mut().zip(&registers) {
            *word = register.0[lane];
        }
        store.store_words(lane, offsets[lane], words);
    }
}

#[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
#[inline(always)]
fn load_part<S: LaneStorage>(
    wave: &mut Wave,
    store: &mut S,
    offsets: &[u64; 64],
    mask: u64,
    to: u16,
    bytes: u8,
    signed: bool,
    into: DestinationHalf,
) {
    let register = usize::from(to) & VECTOR_MASK;
    let old = wave.vector[register];
    // The error correction of the data centre parts makes gfx9 write whole registers.
    let keeps = wave.isa.family() > EncodingFamily::Gfx9;
    let mut values = Lanes([0; 64]);
    for lane in lanes(mask) {
        let value = if bytes == 1 {
            store.load::<1>(lane, offsets[lane]) as u32
        } else {
            store.load::<2>(lane, offsets[lane]) as u32
        };
        let value = match (bytes, signed) {
            (1, true) => value as u8 as i8 as u32,
            (_, true) => value as u16 as i16 as u32,
            _ => value,
        };
        let other = if keeps { old.0[lane] } else { 0 };
        values.0[lane] = match into {
            DestinationHalf::Whole => value,
            DestinationHalf::Low => (other & 0xffff_0000) | (value & 0xffff),
            DestinationHalf::High => (other & 0xffff) | (value << 16),
        };
    }
    write(&mut wave.vector[register], &values, mask);
}

#[inline(never)]
fn atomic<const N: usize, S: LaneStorage>(
    wave: &mut Wave,
    store: &mut S,
    offsets: &[u64; 64],
    mask: u64,
    operation: AtomicOperation,
    data: [u16; 2],
    returns: Option<u16>,
) {
    let wide = N == 8;
    let read = |wave: &Wave, register: u16, lane: usize| {
        let register = usize::from(register);
        let low = u64::from(wave.vector[register & VECTOR_MASK].0[lane]);
        let high = if wide {
            wave.vector[(register + 1) & VECTOR_MASK].0[lane]
        } else {
            0
        };
        low | (u64::from(high) << 32)
    };
    let mut old_values = [0u64; 64];
    let mut changed = false;
    // The lanes update in ascending order; each update is atomic for the other threads.
    for lane in lanes(mask) {
        let (first, second) = (read(wave, data[0], lane), read(wave, data[1], lane));
        let new = |old| operation.apply(wide, old, first, second);
        let old = store.update::<N>(lane, offsets[lane], new);
        // An atomic without a change wakes no waiting workgroup, so it is no progress.
        changed |= new(old) != old;
        old_values[lane] = old;
    }
    wave.side_effects += u64::from(changed);
    if let Some(to) = returns {
        let register = usize::from(to);
        for lane in lanes(mask) {
            wave.vector[register & VECTOR_MASK].0[lane] = old_values[lane] as u32;
            if wide {
                wave.vector[(register + 1) & VECTOR_MASK].0[lane] = (old_values[lane] >> 32) as u32;
            }
        }
    }
}
