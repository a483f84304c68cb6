//! The data registers of an access, and their undefined bytes.

use super::lds::AccessMode;
use super::{Checker, WaveState};
use crate::execute::{
    AccessOperands, MemoryAccess, Region, Wave, WorkgroupContext, lanes, transpose,
};
use crate::instruction::VECTOR_MASK;
use crate::operation::memory::DestinationHalf;
use crate::operation::{AtomicOperation, Lanes, MemoryOperation};

/// Returns the access mode of an operation.
pub(super) fn use_of(operation: MemoryOperation) -> AccessMode {
    match operation {
        MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. } => AccessMode::Read,
        MemoryOperation::Store { .. } | MemoryOperation::StorePart { .. } => AccessMode::Write,
        MemoryOperation::Atomic {
            operation: AtomicOperation::CompareSwap | AtomicOperation::CompareSwapFloat,
            ..
        } => AccessMode::Compare,
        MemoryOperation::Atomic { .. } => AccessMode::Atomic,
    }
}

/// Returns start and length of the bytes, if consecutive lanes access consecutive bytes without
/// gaps.
pub(super) fn stretch(access: &MemoryAccess, mask: u64) -> Option<(u64, u64)> {
    let (first, count) = (
        mask.trailing_zeros() as usize & 63,
        mask.count_ones() as usize,
    );
    // A hole in the mask would be a hole in the bytes.
    if (mask >> first).trailing_ones() as usize != count {
        return None;
    }
    let (start, bytes) = (access.addresses[first], u64::from(access.bytes));
    let addresses = access.addresses[first..first + count].iter().zip(0u64..);
    let differing = addresses.fold(0, |all, (address, lane)| {
        all | (address ^ start.wrapping_add(lane * bytes))
    });
    (differing == 0).then_some((start, count as u64 * bytes))
}

/// Returns the data registers of a store or atomic, for each operand.
pub(super) fn data_registers(moved: &AccessOperands) -> impl Iterator<Item = u16> {
    let (each, second) = match moved.operation {
        MemoryOperation::Store { registers } => (u16::from(registers), false),
        MemoryOperation::StorePart { .. } => (1, false),
        MemoryOperation::Atomic { operation, wide } => {
            (1 + u16::from(wide), operation.has_second())
        }
        _ => (0, false),
    };
    let [first, other] = moved.data;
    let second = if second { each } else { 0 };
    (0..each)
        .map(move |index| (first + index) & VECTOR_MASK as u16)
        .chain((0..second).map(move |index| (other + index) & VECTOR_MASK as u16))
}

pub(super) fn data_is_dirty(state: &WaveState, moved: &AccessOperands, mask: u64) -> bool {
    data_registers(moved).any(|register| {
        state.registers.is_dirty(register) && state.registers.lanes(register) & mask != 0
    })
}

/// Returns the undefined bytes of a lane's stored value or atomic operand.
pub(super) fn stored(state: &WaveState, moved: &AccessOperands, lane: usize) -> u64 {
    let bits = |register: u16| {
        let bytes = state.registers.vector(register);
        (0..4).fold(0, |bits, byte| bits | (((bytes[byte] >> lane) & 1) << byte))
    };
    match moved.operation {
        MemoryOperation::StorePart { bytes, high } => {
            (bits(moved.data[0]) >> if high { 2 } else { 0 }) & ((1 << bytes) - 1)
        }
        _ => data_registers(moved)
            .enumerate()
            .fold(0, |all, (index, register)| {
                all | (bits(register) << (4 * index))
            }),
    }
}

/// Returns true if all lanes store one value.
pub(super) fn is_uniform(wave: &Wave, moved: &AccessOperands, mask: u64) -> bool {
    let first = mask.trailing_zeros() as usize & 63;
    data_registers(moved).all(|register| {
        let values = &wave.vector[usize::from(register)].0;
        lanes(mask).all(|lane| values[lane] == values[first])
    })
}

/// Returns true if a lane stores the present value of memory, in the bytes with a set bit.
pub(super) fn writes_same(
    wave: &Wave,
    device: &WorkgroupContext<'_>,
    moved: &AccessOperands,
    lane: usize,
    bytes: u64,
) -> bool {
    let access = &device.access;
    let (address, count) = (access.addresses[lane], access.bytes as usize);
    let mut new = [0u8; 16];
    // Four registers are the widest store: 16 bytes.
    for (index, register) in data_registers(moved).enumerate().take(4) {
        let word = wave.vector[usize::from(register)].0[lane];
        let word = match moved.operation {
            MemoryOperation::StorePart { high: true, .. } => word >> 16,
            _ => word,
        };
        new[4 * index..4 * index + 4].copy_from_slice(&word.to_le_bytes());
    }
    let new = &new[..count.min(16)];
    match access.region {
        Region::Lds => device.lds.get(address as usize..address as usize + count) == Some(new),
        _ => device.memory.get(address, new.len()).is_some_and(|old| {
            let same = |(index, byte): (usize, &u8)| {
                bytes >> index & 1 == 0 || old.load::<1>(index) as u8 == *byte
            };
            new.iter().enumerate().all(same)
        }),
    }
}

/// Records the loaded undefined bytes of the lanes: `bits` returns those of a lane.
pub(super) fn load(
    state: &mut WaveState,
    moved: &AccessOperands,
    mask: u64,
    bits: impl Fn(usize) -> u64,
) {
    let mut undefined = [[0u64; 4]; 4];
    let mut any = 0;
    for lane in lanes(mask) {
        let bits = bits(lane);
        any |= bits;
        if bits != 0 {
            for (byte, lanes) in undefined.as_flattened_mut().iter_mut().enumerate() {
                *lanes |= ((bits >> byte) & 1) << lane;
            }
        }
    }
    // Nearly all loads are of defined bytes; the registers are defined by now.
    if any == 0 {
        return;
    }
    match moved.operation {
        MemoryOperation::Load { registers } => {
            for (index, bytes) in undefined.into_iter().enumerate().take(registers.into()) {
                let register = (moved.data[0] + index as u16) & VECTOR_MASK as u16;
                state.registers.set_vector(register, mask, bytes);
            }
        }
        MemoryOperation::LoadPart {
            bytes,
            signed,
            into,
        } => {
            let [low, second, ..] = undefined[0];
            // A signed part extends the undefined sign over the rest of the register.
            let (last, beyond) = match (bytes, signed) {
                (1, true) => (low, low),
                (1, false) => (0, 0),
                (_, true) => (second, second),
                (_, false) => (second, 0),
            };
            let register = moved.data[0] & VECTOR_MASK as u16;
            let old = state.registers.vector(register);
            let bytes = match into {
                DestinationHalf::Whole => [low, last, beyond, beyond],
                DestinationHalf::Low => [low, last, old[2], old[3]],
                DestinationHalf::High => [old[0], old[1], low, last],
            };
            state.registers.set_vector(register, mask, bytes);
        }
        _ => {}
    }
}

/// Records the undefined bytes of an atomic's old value for a lane.
pub(super) fn returned(state: &mut WaveState, to: u16, bytes: u32, lane: usize, old: u64) {
    for index in 0..(bytes / 4) as u16 {
        let nibble = old >> (4 * index);
        let undefined = std::array::from_fn(|byte| ((nibble >> byte) & 1) << lane);
        state
            .registers
            .set_vector((to + index) & VECTOR_MASK as u16, 1 << lane, undefined);
    }
}

impl Checker<'_> {
    /// Moves undefined bytes between lanes as a transposing read moves its elements.
    pub(super) fn transpose_undefined(&mut self, wave: &Wave, to: u16, registers: u8, bits: u8) {
        let state = &mut self.waves[wave.number as usize].registers;
        let range = to..to + u16::from(registers);
        if !range.clone().any(|register| state.is_dirty(register)) {
            return;
        }
        let marks = |register: u16| {
            let bytes = state.vector(register);
            let of_lane = |lane: usize| bytes.map(|lanes| 0xff * ((lanes >> lane) & 1) as u8);
            Lanes(std::array::from_fn(|lane| {
                u32::from_le_bytes(of_lane(lane))
            }))
        };
        let mut marks: Vec<Lanes> = range.clone().map(marks).collect();
        let exec = wave.exec();
        transpose(&mut marks, bits.into(), exec);
        for (register, marks) in range.zip(marks) {
            let lanes_of = |byte: usize| {
                let marks = marks.0.iter().enumerate();
                marks.fold(0, |lanes, (lane, word)| {
                    lanes | (u64::from(word.to_le_bytes()[byte] != 0) << lane)
                })
            };
            state.set_vector(register, exec, std::array::from_fn(lanes_of));
        }
    }
}
