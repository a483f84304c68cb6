//! Loads, stores and atomics of global, private and buffer memory.
//!
//! An access computes the 64 addresses first. Where all of them lie in one allocation, one check covers them, and
//! consecutive addresses move as a block; everything else goes lane by lane.

use super::scalar::unsupported;
use super::vector::write;
use super::wave::{APERTURE_PRIVATE, APERTURE_SHARED, Device, Stop, Trouble, Wave};
use crate::instruction::{MemoryAction, Operand, ScalarMemory, Space};
use crate::operation::memory::Part;
use crate::operation::{Lanes, MemoryOperation};

/// The addresses of a memory access.
pub(crate) struct Access {
    /// Of each lane; those outside of `mask` mean nothing.
    pub(crate) addresses: [u64; 64],
    /// Lanes that access memory.
    pub(crate) mask: u64,
    /// Bytes that each of them accesses.
    pub(crate) bytes: u32,
    /// Where the addresses point to.
    pub(crate) region: Region,
}

/// A kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    Global,
    Share,
    Private,
}

impl Access {
    pub(crate) fn new() -> Access {
        Access {
            addresses: [0; 64],
            mask: 0,
            bytes: 0,
            region: Region::Global,
        }
    }
}

/// Bytes that a lane accesses.
pub(super) fn bytes_of(operation: MemoryOperation) -> u32 {
    match operation {
        MemoryOperation::Load { registers } | MemoryOperation::Store { registers } => {
            4 * u32::from(registers)
        }
        MemoryOperation::LoadPart { bytes, .. } | MemoryOperation::StorePart { bytes, .. } => {
            bytes.into()
        }
        MemoryOperation::Atomic { wide, .. } => {
            if wide {
                8
            } else {
                4
            }
        }
        MemoryOperation::Nothing => 0,
    }
}

fn writes(operation: MemoryOperation) -> bool {
    matches!(
        operation,
        MemoryOperation::Store { .. }
            | MemoryOperation::StorePart { .. }
            | MemoryOperation::Atomic { .. }
    )
}

/// Executes a load, store or atomic.
#[inline(always)]
pub(super) fn access(
    wave: &mut Wave,
    device: &mut Device<'_>,
    action: &MemoryAction,
) -> Result<(), Stop> {
    let exec = wave.exec();
    device.access.mask = exec;
    device.access.bytes = bytes_of(action.operation);
    device.access.region = Region::Global;
    if exec == 0 {
        return Ok(());
    }
    let addresses = &mut device.access.addresses;
    let vector = |register: u16| &wave.vector[usize::from(register) & 511].0;
    match action.space {
        Space::Global => {
            let (low, high) = (vector(action.address), vector(action.address + 1));
            pairs(addresses, low, high, action.offset);
            global(wave, device, action)
        }
        Space::GlobalScalar { base } => {
            let base = wave
                .pair(base)
                .wrapping_add_signed(i64::from(action.offset));
            for (address, offset) in addresses.iter_mut().zip(vector(action.address)) {
                *address = base.wrapping_add(u64::from(*offset));
            }
            global(wave, device, action)
        }
        Space::Flat => {
            let (low, high) = (vector(action.address), vector(action.address + 1));
            pairs(addresses, low, high, action.offset);
            flat(wave, device, action)
        }
        Space::Scratch {
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
            private(wave, device, action, exec)
        }
        Space::Buffer {
            resource,
            scalar,
            index,
            offset,
        } => buffer(wave, device, action, resource, scalar, index, offset),
    }
}

#[inline(always)]
fn pairs(addresses: &mut [u64; 64], low: &[u32; 64], high: &[u32; 64], offset: i32) {
    for (lane, address) in addresses.iter_mut().enumerate() {
        let pair = u64::from(low[lane]) | (u64::from(high[lane]) << 32);
        *address = pair.wrapping_add_signed(i64::from(offset));
    }
}

/// An access to allocations, through the addresses and the mask in `device.access`.
#[inline(always)]
fn global(wave: &mut Wave, device: &mut Device<'_>, action: &MemoryAction) -> Result<(), Stop> {
    let Device {
        memory,
        access,
        bytes_read,
        bytes_written,
        ..
    } = device;
    let mask = access.mask;
    let size = u64::from(access.bytes);
    let moved = size * u64::from(mask.count_ones());
    let (reads, writes) = match action.operation {
        MemoryOperation::Atomic { .. } => (moved, moved),
        operation if writes(operation) => (0, moved),
        _ => (moved, 0),
    };
    *bytes_read += reads;
    *bytes_written += writes;
    let first = access.addresses[mask.trailing_zeros() as usize & 63];
    let start = first & !((1 << crate::memory::SLOT_BITS) - 1);
    let Some(slot) = memory.slot_mut(first) else {
        return Err(outside(device, action.operation));
    };
    // The offsets are left in the access for the moment; inactive lanes count as the first one.
    let mut last = 0;
    if mask == u64::MAX {
        for address in &mut access.addresses {
            *address = address.wrapping_sub(start);
            last = last.max(*address);
        }
    } else {
        for (lane, address) in access.addresses.iter_mut().enumerate() {
            *address = if (mask >> lane) & 1 != 0 {
                *address
            } else {
                first
            }
            .wrapping_sub(start);
            last = last.max(*address);
        }
    }
    let fits = last
        .checked_add(size)
        .is_some_and(|end| end <= slot.len() as u64);
    let result = if fits {
        transfer(wave, slot, &access.addresses, mask, action);
        Ok(())
    } else {
        Err(())
    };
    for address in &mut access.addresses {
        *address = address.wrapping_add(start);
    }
    match result {
        Ok(()) => Ok(()),
        Err(()) => one_by_one(wave, device, action),
    }
}

/// Lanes that access different allocations, or none.
#[cold]
#[inline(never)]
fn one_by_one(wave: &mut Wave, device: &mut Device<'_>, action: &MemoryAction) -> Result<(), Stop> {
    let mask = device.access.mask;
    for lane in (0..64).filter(|lane| (mask >> lane) & 1 != 0) {
        let address = device.access.addresses[lane];
        let Some(bytes) = device.memory.get_mut(address, device.access.bytes as usize) else {
            return Err(outside(device, action.operation));
        };
        transfer(wave, bytes, &[0; 64], 1 << lane, action);
    }
    Ok(())
}

/// The fault of the first lane that is outside of every allocation.
#[cold]
#[inline(never)]
fn outside(device: &Device<'_>, operation: MemoryOperation) -> Stop {
    let access = &device.access;
    let lane = (0..64)
        .filter(|lane| (access.mask >> lane) & 1 != 0)
        .find(|&lane| {
            device
                .memory
                .get(access.addresses[lane], access.bytes as usize)
                .is_none()
        })
        .unwrap_or(0);
    Stop::Fault(Box::new(Trouble::OutOfBounds {
        lane: lane as u32,
        action: if writes(operation) { "writes" } else { "reads" },
        address: access.addresses[lane],
        bytes: access.bytes,
    }))
}

/// Moves data between registers and `memory` at `offsets`, which lie within it.
#[inline(always)]
pub(super) fn transfer(
    wave: &mut Wave,
    memory: &mut [u8],
    offsets: &[u64; 64],
    mask: u64,
    action: &MemoryAction,
) {
    // In the vector memory formats the second operand of an atomic follows the first.
    let wide = matches!(action.operation, MemoryOperation::Atomic { wide: true, .. });
    let second = action.data + if wide { 2 } else { 1 };
    move_data(
        wave,
        memory,
        offsets,
        mask,
        action.operation,
        [action.data, second],
        action.returns,
    );
}

/// As [`transfer`], with the two data registers of an LDS atomic given separately.
#[inline(always)]
pub(super) fn move_data(
    wave: &mut Wave,
    memory: &mut [u8],
    offsets: &[u64; 64],
    mask: u64,
    operation: MemoryOperation,
    data: [u16; 2],
    returns: Option<u16>,
) {
    match operation {
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
            atomic(wave, memory, offsets, mask, operation, wide, data, returns);
        }
        MemoryOperation::Nothing => {}
    }
}

fn lanes(mask: u64) -> impl Iterator<Item = usize> {
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
        let mut words = [[0u32; N]; 64];
        for (word, bytes) in words
            .as_flattened_mut()
            .iter_mut()
            .zip(block.as_chunks::<4>().0)
        {
            *word = u32::from_le_bytes(*bytes);
        }
        for index in 0..N {
            let lanes = &mut wave.vector[register(index)].0;
            for (value, words) in lanes.iter_mut().zip(&words) {
                *value = words[index];
            }
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
    operation: crate::operation::AtomicOperation,
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

/// A flat access: each lane by the aperture of its address.
#[inline(never)]
fn flat(wave: &mut Wave, device: &mut Device<'_>, action: &MemoryAction) -> Result<(), Stop> {
    let exec = device.access.mask;
    let in_aperture = |aperture: u32, addresses: &[u64; 64]| {
        lanes(exec).fold(0, |mask, lane| {
            mask | (u64::from((addresses[lane] >> 32) as u32 == aperture) << lane)
        })
    };
    let shared = in_aperture(APERTURE_SHARED, &device.access.addresses);
    let in_private = in_aperture(APERTURE_PRIVATE, &device.access.addresses);
    if shared | in_private == 0 {
        return global(wave, device, action);
    }
    for address in &mut device.access.addresses {
        if matches!((*address >> 32) as u32, APERTURE_SHARED | APERTURE_PRIVATE) {
            *address &= 0xffff_ffff;
        }
    }
    if shared != 0 {
        device.access.mask = shared;
        device.access.region = Region::Share;
        super::share::check(device)?;
        let (lds, offsets) = (&mut device.lds, &device.access.addresses);
        transfer(wave, lds, offsets, shared, action);
    }
    if in_private != 0 {
        private(wave, device, action, in_private)?;
    }
    device.access.mask = exec & !shared & !in_private;
    if device.access.mask != 0 {
        device.access.region = Region::Global;
        global(wave, device, action)?;
    }
    Ok(())
}

/// Private memory: the addresses are offsets in the lane's part.
#[inline(never)]
fn private(
    wave: &mut Wave,
    device: &mut Device<'_>,
    action: &MemoryAction,
    mask: u64,
) -> Result<(), Stop> {
    device.access.region = Region::Private;
    device.access.mask = mask;
    let (limit, bytes) = (u64::from(wave.scratch_bytes), device.access.bytes);
    let mut offsets = [0; 64];
    for lane in lanes(mask) {
        let offset = device.access.addresses[lane];
        if offset + u64::from(bytes) > limit {
            return Err(Stop::Fault(Box::new(Trouble::Scratch {
                lane: lane as u32,
                offset,
                bytes,
            })));
        }
        offsets[lane] = lane as u64 * limit + offset;
    }
    let mut memory = std::mem::take(&mut wave.scratch);
    transfer(wave, &mut memory, &offsets, mask, action);
    wave.scratch = memory;
    Ok(())
}

/// An access through a resource: what is out of its range reads 0 or is not written.
#[inline(never)]
fn buffer(
    wave: &mut Wave,
    device: &mut Device<'_>,
    action: &MemoryAction,
    resource: u8,
    scalar: Operand,
    with_index: bool,
    with_offset: bool,
) -> Result<(), Stop> {
    let words: [u32; 4] = std::array::from_fn(|index| wave.scalar(resource + index as u8));
    let stride = u64::from((words[1] >> 16) & 0x3fff);
    let records = u64::from(words[2]);
    if words[1] >> 31 != 0 || words[3] & (1 << 23) != 0 {
        let reason = format!("swizzled buffer resource {words:08x?}");
        return Err(unsupported(reason));
    }
    let base = u64::from(words[0]) | (u64::from(words[1] & 0xffff) << 32);
    let base = base.wrapping_add(wave.read(scalar, false));
    let exec = device.access.mask;
    let size = u64::from(device.access.bytes);
    // Words of an access are checked one by one, smaller accesses and atomics as a whole.
    let words_each = match action.operation {
        MemoryOperation::Load { registers } | MemoryOperation::Store { registers } => {
            u64::from(registers)
        }
        _ => 1,
    };
    let unit = size / words_each;
    let mut inside = [0u64; 4];
    let register = |index: usize| wave.vector[(usize::from(action.address) + index) & 511].0;
    let indices = if with_index { register(0) } else { [0; 64] };
    let offsets = if with_offset {
        register(usize::from(with_index))
    } else {
        [0; 64]
    };
    for lane in 0..64 {
        let offset = u64::from(offsets[lane]) + action.offset as u64;
        let index = u64::from(indices[lane]);
        device.access.addresses[lane] = base.wrapping_add(index * stride).wrapping_add(offset);
        for (word, mask) in inside.iter_mut().enumerate().take(words_each as usize) {
            let end = offset + unit * (word as u64 + 1);
            let valid = if with_index && stride != 0 {
                index < records
            } else {
                end <= records
            };
            *mask |= u64::from(valid) << lane;
        }
    }
    for mask in &mut inside {
        *mask &= exec;
    }
    let loads = matches!(
        action.operation,
        MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
    );
    if loads {
        for word in 0..words_each as usize {
            let to = (usize::from(action.data) + word) & 511;
            write(&mut wave.vector[to], &Lanes([0; 64]), exec & !inside[word]);
        }
    }
    if let Some(to) = action.returns {
        for index in 0..(size / 4) as usize {
            let to = (usize::from(to) + index) & 511;
            write(&mut wave.vector[to], &Lanes([0; 64]), exec & !inside[0]);
        }
    }
    let used = &inside[..words_each as usize];
    if used.iter().all(|mask| *mask == used[0]) {
        return masked(wave, device, action, inside[0]);
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
        masked(wave, device, &single, mask)?;
    }
    Ok(())
}

fn masked(
    wave: &mut Wave,
    device: &mut Device<'_>,
    action: &MemoryAction,
    mask: u64,
) -> Result<(), Stop> {
    device.access.mask = mask;
    if mask == 0 {
        Ok(())
    } else {
        global(wave, device, action)
    }
}

/// A scalar load.
pub(super) fn scalar(
    wave: &mut Wave,
    device: &mut Device<'_>,
    load: &ScalarMemory,
) -> Result<(), Stop> {
    let register = load
        .offset_register
        .map_or(0, |register| u64::from(wave.scalar(register)));
    let offset = register.wrapping_add_signed(i64::from(load.offset));
    let bytes = 4 * u32::from(load.registers);
    let (base, limit) = if load.buffer {
        let words: [u32; 4] = std::array::from_fn(|index| wave.scalar(load.base + index as u8));
        let stride = u64::from((words[1] >> 16) & 0x3fff);
        let records = u64::from(words[2]);
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
    // The two lowest bits of the address are ignored (manual, 8.2.1.1).
    let address = base.wrapping_add(offset) & !3;
    device.bytes_read += u64::from(bytes);
    device.access.addresses[0] = address;
    device.access.mask = 1;
    device.access.bytes = bytes;
    device.access.region = Region::Global;
    for index in 0..usize::from(load.registers) {
        let outside = limit.is_some_and(|limit| offset + 4 * index as u64 + 4 > limit);
        let value = match device.memory.get(address + 4 * index as u64, 4) {
            _ if outside => 0,
            Some(bytes) => word(bytes, 0),
            None => {
                return Err(Stop::Fault(Box::new(Trouble::OutOfBounds {
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
