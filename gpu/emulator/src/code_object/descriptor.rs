//! The 64-byte kernel descriptor (AMDGPUUsage, "Kernel Descriptor" and the tables of
//! `compute_pgm_rsrc1` to 3).

use crate::isa::{EncodingFamily, Isa};

/// The private memory per lane for callees that the compiler does not know (USES_DYNAMIC_STACK),
/// in bytes. A runtime chooses the size (HIP: `hipLimitStackSize`). A larger one would cost more
/// poisoning at the start of each wave.
const DYNAMIC_STACK_BYTES: u32 = 1024;

/// The decoded fields of a descriptor.
pub(super) struct Descriptor {
    pub(super) lds_bytes: u32,
    pub(super) scratch_bytes: u32,
    pub(super) kernarg_bytes: u32,
    /// The entry of the code, relative to the descriptor.
    pub(super) entry_offset: i64,
    /// The number of vector registers allocated per lane, both kinds together.
    pub(super) vector_registers: u32,
    /// The number of registers before the accumulation registers, on sets with that kind.
    pub(super) accumulation_offset: Option<u32>,
    pub(super) float_mode: FloatMode,
    pub(super) user: UserRegisters,
    pub(super) wave32: bool,
    /// WGP mode of gfx10 and later; older sets reserve the bit.
    pub(super) spans_units: bool,
}

/// The MODE register at the start of a wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatMode {
    /// Bits 3:0 rounding, 7:4 denormals, 8 DX10_CLAMP, 9 IEEE, 23 FP16_OVFL.
    pub bits: u32,
}

/// The scalar registers that the dispatcher fills before a wave starts, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRegisters {
    /// The number of registers before the workgroup IDs.
    pub count: u32,
    /// Four registers: the buffer resource of private memory.
    pub private_segment_buffer: bool,
    /// Two registers: the address of the dispatch packet.
    pub dispatch_pointer: bool,
    /// Two registers: the address of the queue.
    pub queue_pointer: bool,
    /// Two registers: the address of the arguments.
    pub kernarg_pointer: bool,
    /// Two registers: the number of the dispatch.
    pub dispatch_id: bool,
    /// Two registers: flat scratch initialization.
    pub flat_scratch: bool,
    /// One register: bytes of private memory per lane.
    pub private_segment_size: bool,
    /// Number of registers with arguments that the firmware copies.
    pub preload_dwords: u32,
    /// The first argument dword that the firmware copies.
    pub preload_offset_dwords: u32,
    /// True if the wave has private memory.
    pub private_segment: bool,
    /// The workgroup IDs that follow the user registers, one register each.
    pub workgroup_id: [bool; 3],
    /// True if a register with wave number and wave count follows.
    pub workgroup_info: bool,
    /// The number of dimensions with a work-item number per lane: x, y, z.
    pub workitem_ids: u32,
}

impl Descriptor {
    pub(super) fn read(isa: Isa, bytes: &[u8; 64]) -> Descriptor {
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
        // Older sets reserve this bit: their waves always have 64 lanes.
        let wave32 = bit(properties, 10) && isa.family() >= EncodingFamily::Gfx10;
        Descriptor {
            lds_bytes: word(0),
            scratch_bytes: word(4).saturating_add(if bit(properties, 11) {
                DYNAMIC_STACK_BYTES
            } else {
                0
            }),
            kernarg_bytes: word(8),
            entry_offset: (u64::from(word(16)) | (u64::from(word(20)) << 32)) as i64,
            vector_registers: vector_registers(isa, wave32, rsrc1 & 0x3f),
            accumulation_offset: has_accumulation(isa).then_some(((rsrc3 & 0x3f) + 1) * 4),
            float_mode: FloatMode {
                bits: ((rsrc1 >> 12) & 0xff)
                    | if isa.family() >= EncodingFamily::Gfx12 {
                        // The MODE of gfx12 lacks both bits: saturation maps NaN to 0, and
                        // minimum and maximum exist in both kinds.
                        1 << 8
                    } else {
                        (u32::from(bit(rsrc1, 21)) << 8) | (u32::from(bit(rsrc1, 23)) << 9)
                    }
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
                // The value 3 is undefined; three dimensions are the most.
                workitem_ids: ((rsrc2 >> 11) & 3).min(2) + 1,
            },
            wave32,
            spans_units: bit(rsrc1, 29),
        }
    }
}

/// Returns true if the lanes have accumulation registers in the same file.
fn has_accumulation(isa: Isa) -> bool {
    matches!(isa, Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950)
}

/// Returns the number of vector registers allocated per lane. The descriptor counts granules of
/// the encoding, and the hardware rounds up to its own granule (LLVM, `getVGPREncodingGranule`
/// and `getVGPRAllocGranule`).
fn vector_registers(isa: Isa, wave32: bool, granules: u32) -> u32 {
    // These are for waves of 64 lanes; waves of 32 lanes have twice as many.
    let (encoded, allocated) = match isa {
        Isa::Gfx906 => (4, 4),
        Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => (8, 8),
        Isa::Gfx1030 => (4, 8),
        Isa::Gfx1100 | Isa::Gfx1151 | Isa::Gfx1201 => (4, 12),
    };
    let scale = 1 + u32::from(wave32);
    ((granules + 1) * encoded * scale).next_multiple_of(allocated * scale)
}

#[cfg(test)]
mod tests {
    use super::vector_registers;
    use crate::isa::Isa::{self, *};

    #[track_caller]
    fn check(isa: Isa, wave32: bool, granules: u32, expected: u32) {
        assert_eq!(vector_registers(isa, wave32, granules), expected, "{isa}");
    }

    #[test]
    fn registers_come_in_granules() {
        // llc reports these VGPRBlocks for a kernel with 80 registers.
        check(Gfx906, false, 19, 80);
        check(Gfx90a, false, 9, 80);
        check(Gfx1030, true, 9, 80);
        check(Gfx1100, true, 9, 96);
        check(Gfx1201, false, 19, 84);
        check(Gfx1030, false, 0, 8);
        check(Gfx1151, true, 0, 24);
    }
}
