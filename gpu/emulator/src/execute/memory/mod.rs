//! Loads, stores and atomics of global, private and buffer memory.
//!
//! An access computes 64 addresses first. If one allocation contains all of them, one check
//! covers them and consecutive addresses move as a block. All other accesses go lane by lane.

mod buffer;
mod global;
mod to_lds;

use super::access::{Region, beyond, bytes_of};
use super::lds;
use super::observer::{AccessOperands, ExecutionObserver};
use super::private::Private;
use super::stop::{FaultCause, WaveStop};
use super::transfer::move_data;
use super::wave::{APERTURE_PRIVATE, APERTURE_SHARED, Wave, WorkgroupContext};
use crate::instruction::{AddressingMode, MemoryAction, ScalarMemory, VECTOR_MASK};
use crate::operation::MemoryOperation;
use crate::operation::host::for_host;
use global::global;
pub(crate) use to_lds::WAY;
pub(super) use to_lds::load as load_lds;

fn writes(operation: MemoryOperation) -> bool {
    matches!(
        operation,
        MemoryOperation::Store { .. }
            | MemoryOperation::StorePart { .. }
            | MemoryOperation::Atomic { .. }
    )
}

/// Returns the operands of a vector memory instruction. The second operand of an atomic follows
/// the first one.
#[inline(always)]
fn moved(action: &MemoryAction) -> AccessOperands {
    let wide = matches!(action.operation, MemoryOperation::Atomic { wide: true, .. });
    let second = action.data + if wide { 2 } else { 1 };
    AccessOperands {
        operation: action.operation,
        data: [action.data, second],
        returns: action.returns,
    }
}

/// Executes a load, store or atomic.
#[inline(always)]
pub(super) fn access<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let exec = wave.exec();
    device.access.mask = exec;
    device.access.bytes = bytes_of(action.operation);
    device.access.region = Region::Global;
    if exec == 0 {
        return Ok(());
    }
    let addresses = &mut device.access.addresses;
    let vector = |register: u16| &wave.vector[usize::from(register) & VECTOR_MASK].0;
    match action.space {
        AddressingMode::Global => {
            // Inactive lanes get an address too: 64 sums without branches become vector
            // instructions.
            let (low, high) = (vector(action.address), vector(action.address + 1));
            pairs(addresses, low, high, action.offset);
            global(wave, device, action, watch)
        }
        AddressingMode::GlobalScalar { base } => {
            let base = wave
                .pair(base)
                .wrapping_add_signed(i64::from(action.offset));
            for (address, offset) in addresses.iter_mut().zip(vector(action.address)) {
                *address = base.wrapping_add(u64::from(*offset));
            }
            global(wave, device, action, watch)
        }
        AddressingMode::Flat => {
            let (low, high) = (vector(action.address), vector(action.address + 1));
            pairs(addresses, low, high, action.offset);
            flat(wave, device, action, watch)
        }
        AddressingMode::Scratch {
            vector: with_vector,
            scalar,
        } => {
            let scalar = scalar.map_or(0, |register| wave.scalar(register));
            let base = scalar.wrapping_add_signed(action.offset);
            let offsets = vector(action.address);
            for (lane, address) in addresses.iter_mut().enumerate() {
                let offset = if with_vector { offsets[lane] } else { 0 };
                *address = u64::from(base.wrapping_add(offset));
            }
            private(wave, device, action, exec, watch)
        }
        AddressingMode::Buffer { .. } => buffer::access(wave, device, action, watch),
    }
}

#[inline(always)]
fn pairs(addresses: &mut [u64; 64], low: &[u32; 64], high: &[u32; 64], offset: i32) {
    for (lane, address) in addresses.iter_mut().enumerate() {
        let pair = u64::from(low[lane]) | (u64::from(high[lane]) << 32);
        *address = pair.wrapping_add_signed(i64::from(offset));
    }
}

for_host! {
    /// Executes a flat access: the aperture of each lane's address selects the memory.
    fn flat[W: ExecutionObserver](
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        action: &MemoryAction,
        watch: &mut W,
    ) -> Result<(), WaveStop> {
        let exec = device.access.mask;
        let in_aperture = |aperture: u32, addresses: &[u64; 64]| {
            let lanes = addresses.iter().enumerate();
            exec & lanes.fold(0, |mask, (lane, address)| {
                mask | (u64::from((address >> 32) as u32 == aperture) << lane)
            })
        };
        let shared = in_aperture(APERTURE_SHARED, &device.access.addresses);
        let in_private = in_aperture(APERTURE_PRIVATE, &device.access.addresses);
        // Flat accesses in compiled kernels nearly always refer to global memory.
        if shared | in_private == 0 {
            return global(wave, device, action, watch);
        }
        // The low 32 bits of an address in an aperture are the offset in LDS or private memory.
        for address in &mut device.access.addresses {
            if matches!((*address >> 32) as u32, APERTURE_SHARED | APERTURE_PRIVATE) {
                *address &= 0xffff_ffff;
            }
        }
        if shared != 0 {
            device.access.mask = shared;
            device.access.region = Region::Lds;
            device.access.mask = watch.access(wave, device, &moved(action));
            lds::check(device)?;
            let (lds, access) = (&mut device.lds, &device.access);
            if access.mask != 0 {
                move_data(wave, lds, &access.addresses, access.mask, &moved(action));
            }
        }
        if in_private != 0 {
            private(wave, device, action, in_private, watch)?;
        }
        device.access.mask = exec & !shared & !in_private;
        if device.access.mask != 0 {
            device.access.region = Region::Global;
            global(wave, device, action, watch)?;
        }
        Ok(())
    }
}

for_host! {
    /// Accesses private memory. The addresses are offsets in each lane's part.
    fn private[W: ExecutionObserver](
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        action: &MemoryAction,
        mask: u64,
        watch: &mut W,
    ) -> Result<(), WaveStop> {
        device.access.region = Region::Private;
        device.access.mask = mask;
        let mask = watch.access(wave, device, &moved(action));
        device.access.mask = mask;
        let offsets = &device.access.addresses;
        if let Some(lane) = beyond(&device.access, u64::from(wave.scratch_bytes)) {
            return Err(WaveStop::Fault(Box::new(FaultCause::Scratch {
                lane: lane as u32,
                offset: offsets[lane],
                bytes: device.access.bytes,
            })));
        }
        if mask != 0 {
            // The move needs the wave and its private memory as two separate borrows.
            let mut memory = std::mem::replace(&mut wave.scratch, Private(Vec::new()));
            move_data(wave, &mut memory, offsets, mask, &moved(action));
            wave.scratch = memory;
        }
        Ok(())
    }
}

/// Executes a scalar load.
pub(super) fn scalar<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    load: &ScalarMemory,
    watch: &mut W,
) -> Result<(), WaveStop> {
    let register = load
        .offset_register
        .map_or(0, |register| u64::from(wave.scalar(register)));
    let offset = register.wrapping_add_signed(i64::from(load.offset));
    let bytes = 4 * u32::from(load.registers);
    let (base, limit) = if load.buffer {
        let words: [u32; 4] = std::array::from_fn(|index| wave.scalar(load.base + index as u8));
        let stride = u64::from((words[1] >> 16) & 0x3fff);
        let records = u64::from(words[2]);
        // With a stride of 0, the record count is a byte count (raw buffer).
        let size = if stride == 0 {
            records
        } else {
            records * stride
        };
        (
            u64::from(words[0]) | (u64::from(words[1] & 0xffff) << 32),
            Some(size),
        )
    } else {
        (wave.pair(load.base), None)
    };
    // The hardware ignores the two lowest address bits of whole registers (manual, 8.2.1.1).
    let (bytes, aligned) = match load.part {
        Some((bytes, _)) => (u32::from(bytes), u64::MAX),
        None => (bytes, !3),
    };
    let address = base.wrapping_add(offset) & aligned;
    device.bytes_read += u64::from(bytes);
    wave.side_effects += u64::from(device.memory.is_host(address));
    let (size, signed) = load
        .part
        .map_or((4, false), |(bytes, signed)| (u64::from(bytes), signed));
    let is_outside =
        // Loads check each word separately, so a partly outside load returns some words and
        // zeros.
        |index: u64| limit.is_some_and(|limit| offset.saturating_add(4 * index + size) > limit);
    let outside = (0..u64::from(load.registers))
        .filter(|&index| is_outside(index))
        .count() as u32;
    device.access.addresses[0] = address;
    device.access.mask = 1;
    device.access.bytes = bytes - (4 * outside).min(bytes);
    device.access.region = Region::Global;
    // An observer may suppress the load; the registers then become 0.
    let loads = device.access.bytes == 0 || watch.load_scalars(wave, device, load.to);
    for index in 0..usize::from(load.registers) {
        let outside = is_outside(index as u64);
        let place = address.wrapping_add(4 * index as u64);
        let value = match device.memory.get(place, size as usize) {
            _ if outside || !loads => 0,
            Some(place) => match (size, signed) {
                (4, _) => place.load::<4>(0) as u32,
                (2, false) => place.load::<2>(0) as u32,
                (2, true) => place.load::<2>(0) as i16 as u32,
                (_, false) => place.load::<1>(0) as u32,
                (_, true) => place.load::<1>(0) as i8 as u32,
            },
            None => {
                return Err(WaveStop::Fault(Box::new(FaultCause::OutOfBounds {
                    lane: 0,
                    action: "reads",
                    address,
                    bytes,
                })));
            }
        };
        wave.set_scalar_at(load.to, index, value);
    }
    Ok(())
}
