//! Accesses to allocations.

use super::super::observer::ExecutionObserver;
use super::super::stop::{FaultCause, WaveStop};
use super::super::transfer::move_data;
use super::super::wave::{Wave, WorkgroupContext};
use super::{moved, writes};
use crate::instruction::MemoryAction;
use crate::operation::MemoryOperation;

/// Accesses allocations through the addresses and the mask in `device.access`.
#[inline(always)]
pub(super) fn global<W: ExecutionObserver>(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
    watch: &mut W,
) -> Result<(), WaveStop> {
    device.access.mask = watch.access(wave, device, &moved(action));
    if device.access.mask == 0 {
        return Ok(());
    }
    let WorkgroupContext {
        memory,
        access,
        bytes_read,
        bytes_written,
        observed: watched,
        ..
    } = device;
    let mask = access.mask;
    let size = u64::from(access.bytes);
    let total = size * u64::from(mask.count_ones());
    let (reads, writes) = match action.operation {
        MemoryOperation::Atomic { .. } => (total, total),
        operation if writes(operation) => {
            // A store may change what another workgroup waits for, so the wave is not at a
            // standstill.
            wave.side_effects += 1;
            (0, total)
        }
        _ => (total, 0),
    };
    *bytes_read += reads;
    *bytes_written += writes;
    let first = access.addresses[mask.trailing_zeros() as usize & 63];
    let start = first & !((1 << crate::address::SLOT_BITS) - 1);
    // Atomics count as both: the guard must see the write.
    if writes > 0 {
        memory.will_write(first);
    }
    // The host may change its memory at any time, so even a load may differ next time.
    if memory.is_host(first) {
        wave.side_effects += 1;
    }
    let Some(mut slot) = memory.slot(first) else {
        return Err(outside(device, action.operation));
    };
    // The access temporarily contains offsets. Inactive lanes copy the first active lane, so that
    // one comparison of the highest offset checks all lanes.
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
    if fits {
        move_data(wave, &mut slot, &access.addresses, mask, &moved(action));
    }
    // Observers need addresses, and the slow path does too.
    if !fits || *watched {
        for address in &mut access.addresses {
            *address = address.wrapping_add(start);
        }
    }
    if fits {
        Ok(())
    } else {
        one_by_one(wave, device, action)
    }
}

/// Accesses memory lane by lane, for lanes in different allocations or outside all of them.
#[cold]
#[inline(never)]
fn one_by_one(
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &MemoryAction,
) -> Result<(), WaveStop> {
    let mask = device.access.mask;
    for lane in (0..64).filter(|lane| (mask >> lane) & 1 != 0) {
        let address = device.access.addresses[lane];
        if writes(action.operation) {
            device.memory.will_write(address);
        }
        wave.side_effects += u64::from(device.memory.is_host(address));
        let Some(mut bytes) = device.memory.get(address, device.access.bytes as usize) else {
            return Err(outside(device, action.operation));
        };
        // The offset is 0 because `bytes` begins at the lane's address.
        move_data(wave, &mut bytes, &[0; 64], 1 << lane, &moved(action));
    }
    Ok(())
}

/// Returns the fault of the first lane outside every allocation.
#[cold]
#[inline(never)]
fn outside(device: &WorkgroupContext<'_>, operation: MemoryOperation) -> WaveStop {
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
    WaveStop::Fault(Box::new(FaultCause::OutOfBounds {
        lane: lane as u32,
        action: if writes(operation) { "writes" } else { "reads" },
        address: access.addresses[lane],
        bytes: access.bytes,
    }))
}
