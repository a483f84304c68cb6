//! Data between registers and bytes of memory.

use super::super::vector::write;
use super::super::watch::Moved;
use super::super::wave::Wave;
use crate::operation::memory::Part;
use crate::operation::{AtomicOperation, Lanes, MemoryOperation};

/// Moves data between registers and `memory` at `offsets`, which lie within it.
#[inline(always)]
pub(in crate::execute) fn move_data(
    wave: &mut Wave,
    memory: &mut [u8],
    offsets: &[u64; 64],
    mask: u64,
    moved: &Moved,
) {
    let data = moved.data;
    match moved.operation {
        MemoryOperation::Load { registers: 1 } => load::<1>(wave, memory, offsets, mask, data[0]),
        MemoryOperation::Load { registers: 2 } => load::<2>(wave, memory, offsets, mask, data[0]),
        MemoryOperation::Load { registers: 4 } => load::<4>(wave, memory, offsets, mask, data[0]),
        MemoryOperation::Load { .. } => load::<3>(wave, memory, offsets, mask, data[0]),
        MemoryOperation::LoadPart {
            bytes,
            signed,
            into,
        } => {
            load_part(wave, memory, offsets, mask, data[0], bytes, signed, into);
        }
        MemoryOperation::Store { registers } => {
            for lane in lanes(mask) {
                let start = offsets[lane] as usize;
                for index in 0..usize::from(registers) {
                    let value = wave.vector[(usize::from(data[0]) + index) & 511].0[lane];
                    memory[start + 4 * index..start + 4 * index + 4]
                        .copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        MemoryOperation::StorePart { bytes, high } => {
            let source = &wave.vector[usize::from(data[0]) & 511].0;
            for lane in lanes(mask) {
                let value = if high {
                    source[lane] >> 16
                } else {
                    source[lane]
                };
                let start = offsets[lane] as usize;
                let count = usize::from(bytes);
                memory[start..start + count].copy_from_slice(&value.to_le_bytes()[..count]);
            }
        }
        MemoryOperation::Atomic { operation, wide } => {
            atomic(
                wave,
                memory,
                offsets,
                mask,
                operation,
                wide,
                data,
                moved.returns,
            );
        }
    }
}

pub(super) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

#[inline(always)]
fn word(memory: &[u8], start: usize) -> u32 {
    match memory.get(start..start + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Loads `N` words into each lane.
#[inline(always)]
fn load<const N: usize>(wave: &mut Wave, memory: &[u8], offsets: &[u64; 64], mask: u64, to: u16) {
    let register = |index: usize| (usize::from(to) + index) & 511;
    let start = offsets[0] as usize;
    if mask == u64::MAX && consecutive(offsets, 4 * N as u64) {
        let block = &memory[start..start + 256 * N];
        let (words, _) = block.as_chunks::<4>();
        let mut columns = [Lanes([0; 64]); N];
        // One loop over the lanes, so that it becomes shuffles of whole vectors.
        for lane in 0..64 {
            for (index, column) in columns.iter_mut().enumerate() {
                column.0[lane] = u32::from_le_bytes(words[N * lane + index]);
            }
        }
        for (index, column) in columns.iter().enumerate() {
            wave.vector[register(index)] = *column;
        }
        return;
    }
    for lane in lanes(mask) {
        let start = offsets[lane] as usize;
        for index in 0..N {
            wave.vector[register(index)].0[lane] = word(memory, start + 4 * index);
        }
    }
}

#[inline(always)]
fn consecutive(offsets: &[u64; 64], stride: u64) -> bool {
    let first = offsets[0];
    let mut difference = 0;
    for (lane, offset) in offsets.iter().enumerate() {
        difference |= offset ^ (first.wrapping_add(lane as u64 * stride));
    }
    difference == 0
}

#[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
#[inline(always)]
fn load_part(
    wave: &mut Wave,
    memory: &[u8],
    offsets: &[u64; 64],
    mask: u64,
    to: u16,
    bytes: u8,
    signed: bool,
    into: Part,
) {
    let mut values = Lanes([0; 64]);
    for lane in lanes(mask) {
        let start = offsets[lane] as usize;
        let low = u32::from(memory[start]);
        let value = match (bytes, signed) {
            (1, false) => low,
            (1, true) => low as u8 as i8 as i32 as u32,
            (_, false) => low | (u32::from(memory[start + 1]) << 8),
            (_, true) => (low | (u32::from(memory[start + 1]) << 8)) as u16 as i16 as i32 as u32,
        };
        values.0[lane] = match into {
            Part::Whole => value,
            Part::Low => value & 0xffff,
            Part::High => value << 16,
        };
    }
    write(&mut wave.vector[usize::from(to) & 511], &values, mask);
}

#[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
#[inline(never)]
fn atomic(
    wave: &mut Wave,
    memory: &mut [u8],
    offsets: &[u64; 64],
    mask: u64,
    operation: AtomicOperation,
    wide: bool,
    data: [u16; 2],
    returns: Option<u16>,
) {
    let size = if wide { 8 } else { 4 };
    let read = |wave: &Wave, register: u16, lane: usize| {
        let register = usize::from(register);
        let low = u64::from(wave.vector[register & 511].0[lane]);
        let high = if wide {
            wave.vector[(register + 1) & 511].0[lane]
        } else {
            0
        };
        low | (u64::from(high) << 32)
    };
    let mut old_values = [0u64; 64];
    for lane in lanes(mask) {
        let start = offsets[lane] as usize;
        let place = &mut memory[start..start + size];
        let mut word = [0; 8];
        word[..size].copy_from_slice(place);
        let old = u64::from_le_bytes(word);
        let value = operation.apply(
            wide,
            old,
            read(wave, data[0], lane),
            read(wave, data[1], lane),
        );
        place.copy_from_slice(&value.to_le_bytes()[..size]);
        old_values[lane] = old;
    }
    if let Some(to) = returns {
        for lane in lanes(mask) {
            let register = usize::from(to);
            wave.vector[register & 511].0[lane] = old_values[lane] as u32;
            if wide {
                wave.vector[(register + 1) & 511].0[lane] = (old_values[lane] >> 32) as u32;
            }
        }
    }
}
