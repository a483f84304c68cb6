//! Instruction sets: the facts of each target that the final stage needs.
//!
//! Sources of immediate offsets: the ISA manuals' descriptions of global instructions (field
//! OFFSET), and LLVM's assembler.

pub(crate) mod cross_lane;

use std::ops::RangeInclusive;

use configgen::Target;

use self::cross_lane::CrossLane;
use self::cross_lane::gfx9::{GFX9, GFX950};
use self::cross_lane::rdna::{GFX10_WAVE64, WAVE32, WAVE64};

/// An instruction set with native kernels.
#[derive(Debug)]
pub(crate) struct Isa {
    /// LLVM's processor name.
    pub(crate) name: &'static str,
    /// Bytes of the widest load of one lane.
    pub(crate) load_bytes: u32,
    /// The immediate offsets of global loads, in bytes.
    pub(crate) offsets: RangeInclusive<i64>,
    /// True if kernel arguments can be in registers when a wave starts (AMDGPUUsage, "Preloaded
    /// Kernel Arguments").
    pub(crate) preloads_arguments: bool,
    /// True if one instruction moves 64 bits to vector registers (v_mov_b64).
    pub(crate) moves_pairs: bool,
    /// The cross-lane table of each subgroup size.
    pub(crate) cross_lane: &'static [CrossLane],
}

/// The ranges of signed offsets of 12, 13 and 24 bits.
const BITS12: RangeInclusive<i64> = -2048..=2047;
const BITS13: RangeInclusive<i64> = -4096..=4095;
const BITS24: RangeInclusive<i64> = -0x80_0000..=0x7f_ffff;

/// Every instruction set.
pub(crate) static ISAS: [Isa; 8] = [
    isa("gfx906", BITS13, &[GFX9]),
    isa("gfx90a", BITS13, &[GFX9]).preloading(),
    isa("gfx942", BITS13, &[GFX9]).preloading().moving_pairs(),
    isa("gfx950", BITS13, &[GFX950]).preloading().moving_pairs(),
    isa("gfx1030", BITS12, &[WAVE32, GFX10_WAVE64]),
    isa("gfx1100", BITS13, &[WAVE32, WAVE64]),
    isa("gfx1151", BITS13, &[WAVE32, WAVE64]),
    isa("gfx1201", BITS24, &[WAVE32, WAVE64]),
];

const fn isa(
    name: &'static str,
    offsets: RangeInclusive<i64>,
    cross_lane: &'static [CrossLane],
) -> Isa {
    Isa {
        name,
        // global_load_dwordx4, the widest on every target of the table.
        load_bytes: 16,
        offsets,
        preloads_arguments: false,
        moves_pairs: false,
        cross_lane,
    }
}

impl Isa {
    const fn preloading(self) -> Isa {
        Isa {
            preloads_arguments: true,
            ..self
        }
    }

    const fn moving_pairs(self) -> Isa {
        Isa {
            moves_pairs: true,
            ..self
        }
    }

    /// Returns the instruction set of `target`, if native kernels support it.
    pub(crate) fn of(target: &Target) -> Option<&'static Isa> {
        ISAS.iter().find(|isa| isa.name == target.name)
    }

    /// Returns the cross-lane table of subgroups of `size` lanes, if the target supports that
    /// size.
    pub(crate) fn cross_lane(&self, size: u32) -> Option<&'static CrossLane> {
        self.cross_lane
            .iter()
            .find(|table| table.subgroup_size == size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_and_subgroup_size_has_a_table() {
        for target in &configgen::TARGETS {
            let isa = Isa::of(target).unwrap();
            let sizes: Vec<u32> = isa.cross_lane.iter().map(|t| t.subgroup_size).collect();
            assert_eq!(sizes, target.subgroup_sizes, "{target}");
        }
    }
}
