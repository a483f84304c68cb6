//! Accesses to memory: bounds, undefined bytes, races and shared writes.

use super::Checker;
use super::data_registers::use_of;
use super::finding::{Allocation, FindingKind, FindingMemory, MemorySpace};
use super::lds::AccessMode;
use crate::execute::{AccessOperands, MemoryAccess, Region, Wave, WorkgroupContext, lanes};
use crate::instruction::{Action, VECTOR_MASK};
use crate::operation::MemoryOperation;

pub(super) fn verb(how: AccessMode) -> &'static str {
    match how {
        AccessMode::Read => "reads",
        AccessMode::Write => "writes",
        AccessMode::Atomic | AccessMode::Compare => "changes",
    }
}

impl Checker<'_> {
    /// Checks a vector access before it happens; returns the lanes that may perform it.
    pub(super) fn vector_access(
        &mut self,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        moved: &AccessOperands,
    ) -> u64 {
        let how = use_of(moved.operation);
        // A lane with an undefined address was reported already; its address has no meaning.
        let mask = device.access.mask & !self.undefined_address_lanes;
        let outside = outside(wave, device) & mask;
        if outside != 0 {
            self.report_outside(wave, device, outside, how);
        }
        let absent = device.access.mask & !mask | outside;
        // A lane that does not load still needs a defined result, so that the run goes on.
        if absent != 0 {
            clear(wave, moved, absent);
        }
        let mask = mask & !outside;
        if mask == 0 {
            return 0;
        }
        if how.is_atomic() {
            self.check_alignment(wave, device, mask);
        }
        match device.access.region {
            Region::Global => self.global(wave, device, moved, mask, how),
            Region::Lds => self.lds(wave, device, moved, mask, how),
            Region::Private => self.private(wave, device, moved, mask),
        }
        mask
    }

    fn check_alignment(&mut self, wave: &Wave, device: &WorkgroupContext<'_>, mask: u64) {
        let access = &device.access;
        let bytes = access.bytes;
        let unit = u64::from(bytes.max(1));
        let is_misaligned = |lane: &usize| !access.addresses[*lane].is_multiple_of(unit);
        let Some(lane) = lanes(mask).find(is_misaligned) else {
            return;
        };
        let address = access.addresses[lane];
        let accessed = accessed(device, lane as u32);
        self.report(
            FindingKind::Misaligned,
            wave,
            Some(lane as u32),
            Some(accessed),
            || format!("changes {bytes} bytes at {address:#x}, which is no multiple of {bytes}"),
        );
    }

    /// Checks a load into scalar registers before it happens; returns true if it may happen.
    pub(super) fn scalar_access(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        to: u8,
    ) -> bool {
        let access = &device.access;
        let (address, bytes) = (access.addresses[0], access.bytes);
        if self.undefined_address_lanes != 0 {
            return false;
        }
        if device.memory.get(address, bytes as usize).is_none() {
            self.report_outside(wave, device, 1, AccessMode::Read);
            return false;
        }
        self.check_scalar_author(wave, device);
        // An allocation without undefined bytes has no record, so the usual load costs one
        // look-up.
        if let Some(undefined) = device.memory.undefined(address) {
            let bits = undefined.get(offset(address), bytes);
            let registers = &mut self.state(wave).registers;
            for word in 0..bytes.div_ceil(4) {
                let nibble = bits >> (4 * word);
                let undefined = (0..4).fold(0, |all, byte| {
                    all | (((nibble >> byte) as u32 & 1) * 0xff) << (8 * byte)
                });
                registers.set_scalar(usize::from(to) + word as usize, undefined);
            }
        }
        true
    }

    /// Checks a scalar load against writes of other waves and workgroups. No fence makes the
    /// scalar cache see them.
    fn check_scalar_author(&mut self, wave: &Wave, device: &WorkgroupContext<'_>) {
        let access = &device.access;
        let (address, bytes) = (access.addresses[0], access.bytes);
        if !self.writes.has(address) {
            return;
        }
        let own = (self.linear, wave.number as u8);
        let mut other = None;
        self.writes.authors(address, bytes.into(), |author| {
            // A loop of compare-and-swap begins with any value that the word had.
            let is_store = author.by == AccessMode::Write;
            if is_store && (author.workgroup, author.wave) != own {
                other = other.or(Some(*author));
            }
        });
        let Some(author) = other else { return };
        let what = self.describe(author.step);
        let [x, y, z] = self.position(author.workgroup);
        let accessed = accessed(device, 0);
        self.report(FindingKind::MissingFence, wave, None, Some(accessed), || {
            format!(
                "a scalar load reads {bytes} bytes at {address:#x}, some of which workgroup ({x}, {y}, {z}) wrote ({what}, \
                 wave {}): the scalar cache does not see stores of the launch",
                author.wave
            )
        });
    }

    fn report_outside(
        &mut self,
        wave: &Wave,
        device: &WorkgroupContext<'_>,
        outside: u64,
        how: AccessMode,
    ) {
        let lane = outside.trailing_zeros();
        let access = &device.access;
        let (address, bytes) = (access.addresses[lane as usize], access.bytes);
        let accessed = accessed(device, lane);
        let (reads, count) = (verb(how), outside.count_ones());
        let more = move || match count {
            1 => String::new(),
            count => format!(" ({count} lanes are)"),
        };
        let size = match access.region {
            Region::Global => None,
            Region::Lds => Some((device.lds.len() as u64, "the workgroup")),
            Region::Private => Some((u64::from(wave.scratch_bytes), "a lane")),
        };
        // A scalar load belongs to no lane.
        let scalar = matches!(self.action(wave), Some(Action::ScalarMemory(_)));
        let lane = (!scalar).then_some(lane);
        self.report(FindingKind::OutOfBounds, wave, lane, Some(accessed), || match (size, accessed.allocation) {
            (Some((size, who)), _) => format!(
                "{reads} {bytes} bytes at {} offset {address}; {who} has {size}{}",
                accessed.space.name(),
                more()
            ),
            (None, Some(one)) => format!(
                "{reads} {bytes} bytes at {address:#x}, offset {} of an allocation of {} bytes{}",
                one.offset,
                one.bytes,
                more()
            ),
            (None, None) => format!("{reads} {bytes} bytes at {address:#x}, outside of every allocation{}", more()),
        });
    }
}

/// Returns the lanes of an access that are outside the existing memory.
fn outside(wave: &Wave, device: &WorkgroupContext<'_>) -> u64 {
    let access = &device.access;
    let (mask, bytes) = (access.mask, u64::from(access.bytes));
    let limit = match access.region {
        Region::Global => return outside_of_memory(device),
        Region::Lds => device.lds.len() as u64,
        Region::Private => u64::from(wave.scratch_bytes),
    };
    // This vector loop covers the usual case: the furthest lane is inside.
    if furthest(access, mask, 0) + bytes <= limit {
        return 0;
    }
    let outside = |lane: &usize| access.addresses[*lane] + bytes > limit;
    lanes(mask)
        .filter(outside)
        .fold(0, |all, lane| all | (1 << lane))
}

/// Returns the largest distance of the lanes' addresses from `base`.
fn furthest(access: &MemoryAccess, mask: u64, base: u64) -> u64 {
    let addresses = access.addresses.iter().enumerate();
    addresses.fold(0, |most: u64, (lane, address)| {
        let active = (mask >> lane) & 1;
        most.max(address.wrapping_sub(base) & active.wrapping_neg())
    })
}

fn outside_of_memory(device: &WorkgroupContext<'_>) -> u64 {
    let access = &device.access;
    let (mask, bytes) = (access.mask, u64::from(access.bytes));
    let first = access.addresses[mask.trailing_zeros() as usize & 63];
    let base = first & !((1 << crate::address::SLOT_BITS) - 1);
    let size = device.memory.slot_bytes(first);
    // Usually one allocation contains all lanes.
    let last = furthest(access, mask, base);
    if last.checked_add(bytes).is_some_and(|end| end <= size) {
        return 0;
    }
    let outside = |lane: &usize| {
        device
            .memory
            .get(access.addresses[*lane], bytes as usize)
            .is_none()
    };
    lanes(mask)
        .filter(outside)
        .fold(0, |all, lane| all | (1 << lane))
}

/// Returns the memory that a lane accesses, for a finding.
pub(super) fn accessed(device: &WorkgroupContext<'_>, lane: u32) -> FindingMemory {
    let access = &device.access;
    let address = access.addresses[lane as usize];
    let allocation = match access.region {
        Region::Global => device.memory.slot(address).map(|slot| Allocation {
            address: address - offset(address),
            bytes: slot.len() as u64,
            offset: offset(address),
        }),
        _ => None,
    };
    FindingMemory {
        space: match access.region {
            Region::Global => MemorySpace::Global,
            Region::Lds => MemorySpace::Lds,
            Region::Private => MemorySpace::Private,
        },
        address,
        bytes: access.bytes,
        allocation,
    }
}

/// Returns the offset of an address in its allocation.
pub(super) fn offset(address: u64) -> u64 {
    address & ((1 << crate::address::SLOT_BITS) - 1)
}

/// Clears the registers that the `absent` lanes would load.
fn clear(wave: &mut Wave, moved: &AccessOperands, absent: u64) {
    let (to, count) = match moved.operation {
        MemoryOperation::Load { registers } => (moved.data[0], u16::from(registers)),
        MemoryOperation::LoadPart { .. } => (moved.data[0], 1),
        MemoryOperation::Atomic { wide, .. } => match moved.returns {
            Some(to) => (to, 1 + u16::from(wide)),
            None => return,
        },
        _ => return,
    };
    for register in (0..count).map(|index| usize::from(to + index) & VECTOR_MASK) {
        for lane in lanes(absent) {
            wave.vector[register].0[lane] = 0;
        }
    }
}
