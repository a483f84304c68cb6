//! LDS accesses, and the lane permutations of its crossbar.

use super::access::{Region, beyond, bytes_of};
use super::lane_mask::write;
use super::observer::{AccessOperands, ExecutionObserver};
use super::stop::{FaultCause, WaveStop};
use super::transfer::move_data;
use super::wave::{Wave, WorkgroupContext};
use crate::instruction::{LdsAction, LdsOperation, VECTOR_MASK};
use crate::isa::EncodingFamily;
use crate::operation::host::for_host;
use crate::operation::{AtomicOperation, Lanes, MemoryOperation};

/// Executes an LDS instruction.
pub(super) fn access<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &LdsAction,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let exec = wave.exec();
    device.access.mask = exec;
    device.access.region = Region::Lds;
    device.access.bytes = 4;
    // The copy precedes the first register write, because a result register may hold the address.
    let addresses = wave.vector[usize::from(action.address) & VECTOR_MASK];
    let mut at = |wave: &mut Wave, which: usize, moved: AccessOperands| {
        let offset = action.offsets[which];
        at_addresses(wave, device, &addresses, offset, &moved, watch)
    };
    let (to, from) = (action.to, action.data);
    let plain = |operation: MemoryOperation, register: u16| AccessOperands {
        operation,
        data: [register; 2],
        returns: None,
    };
    match action.operation {
        LdsOperation::Access(operation) | LdsOperation::Return(operation) => {
            let returning = matches!(action.operation, LdsOperation::Return(_));
            let moved = AccessOperands {
                operation,
                data: data(wave.isa.family(), action, operation),
                returns: returning.then_some(to),
            };
            at(wave, 0, moved)
        }
        LdsOperation::ReadTransposed { registers, bits } => {
            at(wave, 0, plain(MemoryOperation::Load { registers }, to))?;
            let first = usize::from(to) & VECTOR_MASK;
            let loaded = &mut wave.vector[first..first + usize::from(registers)];
            transpose(loaded, bits.into(), exec);
            watch.transposed(wave, to, registers, bits);
            Ok(())
        }
        LdsOperation::ReadTwo { registers } => {
            let load = MemoryOperation::Load { registers };
            at(wave, 0, plain(load, to))?;
            // The second result follows the registers of the first one.
            at(wave, 1, plain(load, to + u16::from(registers)))
        }
        LdsOperation::WriteTwo { registers } => {
            let store = MemoryOperation::Store { registers };
            at(wave, 0, plain(store, from[0]))?;
            // Two equal offsets write only the first value (Vega and RDNA 2 manuals; later ones
            // do not mention it).
            if action.offsets[0] == action.offsets[1] && wave.isa.family() < EncodingFamily::Gfx11 {
                return Ok(());
            }
            at(wave, 1, plain(store, from[1]))
        }
        LdsOperation::ExchangeTwo { registers } => {
            let swap = |data: u16, returns: u16| AccessOperands {
                operation: MemoryOperation::Atomic {
                    operation: AtomicOperation::Swap,
                    wide: registers == 2,
                },
                data: [data; 2],
                returns: Some(returns),
            };
            let saved: [Lanes; 2] = std::array::from_fn(|index| {
                wave.vector[(usize::from(from[1]) + index) & VECTOR_MASK]
            });
            at(wave, 0, swap(from[0], to))?;
            // The first result may overwrite the second source.
            // The registers of the second result are a safe temporary: the instruction overwrites
            // them anyway.
            let scratch = to + u16::from(registers);
            for (index, value) in saved.iter().enumerate().take(usize::from(registers)) {
                write(
                    &mut wave.vector[(usize::from(scratch) + index) & VECTOR_MASK],
                    value,
                    exec,
                );
            }
            at(wave, 1, swap(scratch, scratch))
        }
        LdsOperation::Permute
        | LdsOperation::PermuteBackward
        | LdsOperation::PermuteBackwardInactive
        | LdsOperation::Swizzle => {
            permute(wave, action, exec);
            device.access.mask = 0;
            Ok(())
        }
        LdsOperation::ReadLaneAddress | LdsOperation::WriteLaneAddress => {
            // M0 (scalar register 124) holds the base address in its low 16 bits.
            let base = wave.scalar(124) & 0xffff;
            let addresses = Lanes(std::array::from_fn(|lane| base + 4 * lane as u32));
            let moved = if action.operation == LdsOperation::ReadLaneAddress {
                plain(MemoryOperation::Load { registers: 1 }, to)
            } else {
                plain(MemoryOperation::Store { registers: 1 }, from[0])
            };
            at_addresses(wave, device, &addresses, action.offsets[0], &moved, watch)
        }
        LdsOperation::Append { subtract } => append(wave, device, action, exec, subtract),
    }
}

/// Returns the data registers of an operation. The comparison value is the first one of DS_CMPST
/// but the second one of DS_CMPSTORE, from gfx11 on. Source: RDNA 3 manual, "the order of src and
/// cmp agree with the MUBUF_ATOMIC_CMPSWAP opcode".
fn data(family: EncodingFamily, action: &LdsAction, operation: MemoryOperation) -> [u16; 2] {
    match operation {
        MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. } => [action.to; 2],
        MemoryOperation::Atomic {
            operation: AtomicOperation::CompareSwap | AtomicOperation::CompareSwapFloat,
            ..
        } if family < EncodingFamily::Gfx11 => [action.data[1], action.data[0]],
        MemoryOperation::Atomic { .. } => action.data,
        _ => [action.data[0]; 2],
    }
}

for_host! {
    fn at_addresses[W: ExecutionObserver](
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        addresses: &Lanes,
        offset: u32,
        moved: &AccessOperands,
        watch: &mut W,
    ) -> Result<(), WaveStop> {
        device.access.mask = wave.exec();
        device.access.bytes = bytes_of(moved.operation);
        if device.access.mask == 0 {
            return Ok(());
        }
        for (to, from) in device.access.addresses.iter_mut().zip(&addresses.0) {
            // The sum has 32 bits: compilers rely on an address below 0 that the offset makes
            // positive again.
            *to = u64::from(from.wrapping_add(offset));
        }
        device.access.mask = watch.access(wave, device, moved);
        if device.access.mask == 0 {
            return Ok(());
        }
        check(device)?;
        let (lds, access) = (&mut device.lds, &device.access);
        move_data(wave, lds, &access.addresses, access.mask, moved);
        Ok(())
    }
}

/// Checks that all active lanes are within the workgroup's LDS.
#[inline(always)]
pub(super) fn check(device: &WorkgroupContext<'_>) -> Result<(), WaveStop> {
    match beyond(&device.access, device.lds.len() as u64) {
        None => Ok(()),
        Some(lane) => Err(WaveStop::Fault(Box::new(FaultCause::Lds {
            lane: lane as u32,
            offset: device.access.addresses[lane],
            bytes: device.access.bytes,
        }))),
    }
}

/// Transposes the elements of each row of 16 lanes. Before, the lanes have 16 elements of the
/// matrix row after matrix row; afterwards, each lane has the elements of one column. Inactive
/// lanes keep their registers and give zeros.
///
/// Source: CDNA 4 manual, "LDS transpose loads". Triton's kernels confirm the order of lanes.
pub(crate) fn transpose(registers: &mut [Lanes], bits: usize, exec: u64) {
    let active = |lane: usize| (exec >> lane) & 1 != 0;
    let held = 32 * registers.len() / bits;
    let mask = (1 << bits) - 1;
    // An element of 6 bits may span two registers.
    let element = |registers: &[Lanes], lane: usize, index: usize| {
        let (word, bit) = (index * bits / 32, index * bits % 32);
        let high = registers.get(word + 1).map_or(0, |one| one.0[lane]);
        let both = u64::from(registers[word].0[lane]) | (u64::from(high) << 32);
        (both >> bit) & mask
    };
    let before = registers.to_vec();
    for lane in (0..64).filter(|&lane| active(lane)) {
        let (row, column) = (lane & !15, lane & 15);
        let mut bytes = 0_u128;
        for index in 0..held {
            // The elements of a matrix row are in 16 / held consecutive lanes.
            let number = 16 * index + column;
            let from = row + number / held;
            if active(from) {
                let value = element(&before, from, number % held);
                bytes |= u128::from(value) << (bits * index);
            }
        }
        for (word, register) in registers.iter_mut().enumerate() {
            register.0[lane] = (bytes >> (32 * word)) as u32;
        }
    }
}

/// Returns the number of lanes that exchange values: the whole wave, or 32 on gfx10 and gfx11.
/// Source: manuals, DS_PERMUTE_B32, "in wave64 mode each set of 32 lanes operates separately".
fn permute_lanes(wave: &Wave) -> usize {
    match wave.isa.family() {
        EncodingFamily::Gfx10 | EncodingFamily::Gfx11 => 32,
        _ => wave.lanes(),
    }
}

for_host! {
    fn permute(wave: &mut Wave, action: &LdsAction, exec: u64) {
        let addresses = &wave.vector[usize::from(action.address) & VECTOR_MASK].0;
        let data = &wave.vector[usize::from(action.data[0]) & VECTOR_MASK].0;
        let active = |lane: usize| (exec >> lane) & 1 != 0;
        // The group has a power of two of lanes, so the number wraps by a mask.
        let reach = permute_lanes(wave) - 1;
        let target = |lane: usize| {
            let named = (addresses[lane].wrapping_add(action.offsets[0]) / 4) as usize;
            (lane & 63 & !reach) | (named & reach)
        };
        let mut result = Lanes([0; 64]);
        match action.operation {
            // If several lanes write to one lane, the highest lane wins.
            LdsOperation::Permute => {
                for lane in (0..64).filter(|&lane| active(lane)) {
                    result.0[target(lane)] = data[lane];
                }
            }
            // The source of a swizzle is the address operand.
            LdsOperation::Swizzle => {
                for (lane, value) in result.0.iter_mut().enumerate() {
                    let from = swizzled(action.offsets[0], lane);
                    *value = if active(from) { addresses[from] } else { 0 };
                }
            }
            operation => {
                let inactive = operation == LdsOperation::PermuteBackwardInactive;
                for (lane, value) in result.0.iter_mut().enumerate() {
                    let from = target(lane);
                    *value = if inactive || active(from) { data[from] } else { 0 };
                }
            }
        }
        let to = usize::from(action.to) & VECTOR_MASK;
        write(&mut wave.vector[to], &result, exec);
    }
}

/// Returns the lane that `lane` reads under the pattern of `ds_swizzle_b32` (manual,
/// DS_SWIZZLE_B32).
fn swizzled(pattern: u32, lane: usize) -> usize {
    let group = lane & !31;
    let within = (lane & 31) as u32;
    if pattern & 0x8000 == 0 {
        let (and, or, xor) = (pattern & 31, (pattern >> 5) & 31, (pattern >> 10) & 31);
        return group | (((within & and) | or) ^ xor) as usize;
    }
    if pattern >= 0xe000 {
        // Bit reversal for Fourier transforms: the set bits of the mask keep their value.
        let mask = pattern & 31;
        let bits = 5 - mask.count_ones();
        if bits == 0 {
            return lane;
        }
        let low = within & ((1 << bits) - 1);
        return group | ((within & mask) | (low.reverse_bits() >> (32 - bits))) as usize;
    }
    // Patterns from 0xc000 on rotate, with bit 10 for the direction.
    if pattern >= 0xc000 {
        let (mask, by) = (pattern & 31, (pattern >> 5) & 31);
        let by = if pattern & 0x400 != 0 { 32 - by } else { by };
        return group | ((within & mask) | (within.wrapping_add(by) & 31 & !mask)) as usize;
    }
    (lane & !3) | ((pattern >> (2 * (lane & 3))) & 3) as usize
}

/// Executes one atomic for the whole wave; every lane receives the old value.
fn append(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &LdsAction,
    exec: u64,
    subtract: bool,
) -> Result<(), WaveStop> {
    device.access.addresses = [u64::from(action.offsets[0]); 64];
    check(device)?;
    let start = action.offsets[0] as usize;
    let Some(place) = device.lds.get_mut(start..start + 4) else {
        return Ok(());
    };
    let old = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
    let count = exec.count_ones();
    // The count is the number of active lanes, not one per lane access.
    let new = if subtract {
        old.wrapping_sub(count)
    } else {
        old.wrapping_add(count)
    };
    place.copy_from_slice(&new.to_le_bytes());
    write(
        &mut wave.vector[usize::from(action.to) & VECTOR_MASK],
        &Lanes([old; 64]),
        exec,
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::transpose;
    use crate::operation::Lanes;

    #[test]
    fn rows_become_columns() {
        for (registers, bits) in [(2, 4), (3, 6), (2, 8), (2, 16)] {
            let held = 32 * registers / bits;
            // Each row of lanes has a matrix of `held` rows and 16 columns.
            let element = |matrix: usize, row: usize, column: usize| {
                ((5 * matrix + 37 * row + 11 * column + 3) % (1 << bits)) as u128
            };
            let packed = |element: &dyn Fn(usize) -> u128| {
                (0..held).fold(0, |word, index| word | (element(index) << (bits * index)))
            };
            let mut data = vec![Lanes([0; 64]); registers];
            for lane in 0..64 {
                let word = packed(&|index| {
                    let number = lane % 16 * held + index;
                    element(lane / 16, number / 16, number % 16)
                });
                for (part, register) in data.iter_mut().enumerate() {
                    register.0[lane] = (word >> (32 * part)) as u32;
                }
            }
            let before = data.clone();
            // Lane 63 is inactive: it keeps its registers and gives zeros.
            transpose(&mut data, bits, u64::MAX >> 1);
            for lane in 0..63 {
                let expected = packed(&|row| {
                    let is_given = lane < 48 || (row * 16 + lane % 16) / held != 15;
                    u128::from(is_given) * element(lane / 16, row, lane % 16)
                });
                let found = (data.iter().rev()).fold(0_u128, |word, register| {
                    (word << 32) | u128::from(register.0[lane])
                });
                assert_eq!(found, expected, "{bits} bits, lane {lane}");
            }
            for (register, before) in data.iter().zip(before) {
                assert_eq!(register.0[63], before.0[63]);
            }
        }
    }
}
