//! Instruction sets: what the final stage has to know of a target, one row each.
//!
//! Immediate offsets: the ISA manuals' descriptions of global instructions (field OFFSET), and what LLVM's assembler
//! takes.

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
    /// Immediate offsets of global loads, in bytes.
    pub(crate) offsets: RangeInclusive<i64>,
    /// Whether kernel arguments can be in registers when a wave starts (AMDGPUUsage, "Preloaded Kernel Arguments").
    pub(crate) preloads_arguments: bool,
    /// Whether one instruction moves 64 bits to vector registers (v_mov_b64).
    pub(crate) moves_pairs: bool,
    /// Exchanges between lanes, for each subgroup size.
    pub(crate) cross_lane: &'static [CrossLane],
}

/// Signed offsets of 12, 13 and 24 bits.
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

    /// The instruction set of `target`, if there are native kernels for it.
    pub(crate) fn of(target: &Target) -> Option<&'static Isa> {
        ISAS.iter().find(|isa| isa.name == target.name)
    }

    /// The exchanges in subgroups of `size` lanes, if the target has such.
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
