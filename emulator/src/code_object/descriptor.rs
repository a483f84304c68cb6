//! The 64-byte kernel descriptor (AMDGPUUsage, "Kernel Descriptor" and the tables of `compute_pgm_rsrc1` to 3).

use super::kernel::{FloatMode, UserRegisters};

/// What a descriptor says.
pub(super) struct Descriptor {
    pub(super) lds_bytes: u32,
    pub(super) scratch_bytes: u32,
    pub(super) kernarg_bytes: u32,
    /// Entry of the code, relative to the descriptor.
    pub(super) entry_offset: i64,
    /// Vector registers that are allocated for a lane, both kinds together.
    pub(super) vector_registers: u32,
    /// Registers before the accumulation registers.
    pub(super) accumulation_offset: u32,
    pub(super) float_mode: FloatMode,
    pub(super) user: UserRegisters,
    pub(super) wave32: bool,
}

impl Descriptor {
    pub(super) fn read(bytes: &[u8; 64]) -> Descriptor {
        let word = |offset: usize| {
            u32::from_le_bytes([
                bytes[offset],
                bytes[offset + 1],
                bytes[offset + 2],
                bytes[offset + 3],
            ])
        };
        let (rsrc3, rsrc1, rsrc2) = (word(44), word(48), word(52));
        let properties = word(56) & 0xffff;
        let preload = word(56) >> 16;
        let bit = |value: u32, index: u32| (value >> index) & 1 != 0;
        Descriptor {
            lds_bytes: word(0),
            scratch_bytes: word(4),
            kernarg_bytes: word(8),
            entry_offset: (u64::from(word(16)) | (u64::from(word(20)) << 32)) as i64,
            vector_registers: ((rsrc1 & 0x3f) + 1) * 8,
            accumulation_offset: ((rsrc3 & 0x3f) + 1) * 4,
            float_mode: FloatMode {
                bits: ((rsrc1 >> 12) & 0xff)
                    | (u32::from(bit(rsrc1, 21)) << 8)
                    | (u32::from(bit(rsrc1, 23)) << 9)
                    | (u32::from(bit(rsrc1, 26)) << 23),
            },
            user: UserRegisters {
                count: (rsrc2 >> 1) & 0x1f,
                private_segment_buffer: bit(properties, 0),
                dispatch_pointer: bit(properties, 1),
                queue_pointer: bit(properties, 2),
                kernarg_pointer: bit(properties, 3),
                dispatch_id: bit(properties, 4),
                flat_scratch: bit(properties, 5),
                private_segment_size: bit(properties, 6),
                preload_dwords: preload & 0x7f,
                preload_offset_dwords: preload >> 7,
                private_segment: bit(rsrc2, 0),
                workgroup_id: [bit(rsrc2, 7), bit(rsrc2, 8), bit(rsrc2, 9)],
                workgroup_info: bit(rsrc2, 10),
            },
            wave32: bit(properties, 10),
        }
    }
}
