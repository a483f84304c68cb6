//! The addresses of a memory access, and the bytes of each lane.

use super::lane_mask::lanes;
use crate::operation::MemoryOperation;

/// The addresses of a memory access.
pub(crate) struct MemoryAccess {
    /// The address of each lane; undefined for lanes outside `mask`.
    pub(crate) addresses: [u64; 64],
    /// Lanes that access memory.
    pub(crate) mask: u64,
    /// Bytes that each lane accesses.
    pub(crate) bytes: u32,
    /// The memory that the addresses refer to.
    pub(crate) region: Region,
}

/// A memory region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    Global,
    Lds,
    Private,
}

impl MemoryAccess {
    pub(crate) fn new() -> MemoryAccess {
        MemoryAccess {
            addresses: [0; 64],
            mask: 0,
            bytes: 0,
            region: Region::Global,
        }
    }
}

/// Returns the bytes that a lane accesses.
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
    }
}

/// Returns the first lane with an access that ends after `limit`. The addresses have 32 bits.
#[inline(always)]
pub(super) fn beyond(access: &MemoryAccess, limit: u64) -> Option<usize> {
    // This vectorized loop covers the usual case: the highest address is within the limit.
    let mut last = 0;
    for (lane, address) in access.addresses.iter().enumerate() {
        let active = 0u32.wrapping_sub(((access.mask >> lane) & 1) as u32);
        last = last.max(*address as u32 & active);
    }
    let bytes = u64::from(access.bytes);
    if access.mask == 0 || u64::from(last) + bytes <= limit {
        return None;
    }
    // Addresses of 32 bits cannot overflow this 64-bit sum.
    lanes(access.mask).find(|&lane| access.addresses[lane] + bytes > limit)
}
