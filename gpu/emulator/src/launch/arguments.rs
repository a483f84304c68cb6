//! The argument block with its hidden part, and the dispatch packet.

use super::KernelLaunch;
use crate::code_object::ArgumentKind;

/// The size of the dispatch packet, and of the queue behind it, in bytes.
pub(super) const PACKET_BYTES: usize = 64;
const QUEUE_BYTES: usize = 256;

/// The block's alignment in bytes. The compiler may load arguments past the last one, up to this
/// boundary.
const BLOCK_GRANULE: usize = 64;

/// Returns the argument block: the caller's bytes, and the hidden arguments of code object
/// version 5 (AMDGPUUsage, "Code Object V5 Metadata"). Hidden arguments for runtime services stay
/// zero.
pub(super) fn block(launch: &KernelLaunch<'_>) -> Vec<u8> {
    let mut block = launch.kernarg.to_vec();
    let size = block.len().max(launch.kernel.kernarg_bytes as usize);
    block.resize(size.next_multiple_of(BLOCK_GRANULE), 0);
    for argument in &launch.kernel.arguments {
        let ArgumentKind::Hidden(name) = &argument.kind else {
            continue;
        };
        let Some(value) = hidden(launch, name) else {
            continue;
        };
        // Hidden arguments are 2, 4 or 8 bytes of a little-endian number.
        let (start, size) = (argument.offset as usize, (argument.size as usize).min(8));
        if let Some(place) = block.get_mut(start..start + size) {
            place.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    block
}

fn hidden(launch: &KernelLaunch<'_>, name: &str) -> Option<u64> {
    let (kind, axis) = match name.strip_prefix("hidden_")? {
        "grid_dims" => {
            let used =
                |axis: &usize| launch.workgroups[*axis] > 1 || launch.workgroup_size[*axis] > 1;
            return Some((0..3).rev().find(used).unwrap_or(0) as u64 + 1);
        }
        "dynamic_lds_size" => return Some(u64::from(launch.dynamic_lds_bytes)),
        "shared_base" => return Some(u64::from(crate::execute::APERTURE_SHARED)),
        "private_base" => return Some(u64::from(crate::execute::APERTURE_PRIVATE)),
        other => {
            let (kind, axis) = other.rsplit_once('_')?;
            (kind, ["x", "y", "z"].iter().position(|name| *name == axis)?)
        }
    };
    match kind {
        "block_count" => Some(u64::from(launch.workgroups[axis])),
        "group_size" => Some(u64::from(launch.workgroup_size[axis])),
        // The grid consists of whole workgroups, so the remainder is 0; offsets are 0 too.
        "remainder" | "global_offset" => Some(0),
        _ => None,
    }
}

/// Returns the 64-byte dispatch packet (`hsa_kernel_dispatch_packet_t`) with the fields that
/// kernels read:
///
/// - the dimensions,
/// - the workgroup size from byte 4,
/// - the grid size from byte 12,
/// - the sizes of private and group memory from byte 24.
///
/// A queue of zeros follows it (`amd_queue_t`, 256 bytes).
pub(super) fn packet(launch: &KernelLaunch<'_>) -> [u8; PACKET_BYTES + QUEUE_BYTES] {
    let mut packet = [0; PACKET_BYTES + QUEUE_BYTES];
    // The setup field has the number of dimensions in its lowest bits; it is always 3 here.
    packet[2] = 3;
    for axis in 0..3 {
        let size = launch.workgroup_size[axis];
        packet[4 + 2 * axis..6 + 2 * axis].copy_from_slice(&(size as u16).to_le_bytes());
        let grid = size.wrapping_mul(launch.workgroups[axis]);
        packet[12 + 4 * axis..16 + 4 * axis].copy_from_slice(&grid.to_le_bytes());
    }
    packet[24..28].copy_from_slice(&launch.kernel.scratch_bytes.to_le_bytes());
    let lds = launch.lds_bytes();
    packet[28..32].copy_from_slice(&lds.to_le_bytes());
    packet
}
