//! The facts that distinguish the encodings of instruction sets.

use super::{LITERAL, MatrixFacts};
use crate::instruction::NULL;

/// The facts about an instruction set and wave size that encodings and text depend on.
pub(in crate::families) struct EncodingFacts {
    /// Lanes of a wave.
    pub(in crate::families) lanes: u8,
    /// Number of general scalar registers; special ones follow up to VCC.
    pub(in crate::families) general: u32,
    /// The code of M0.
    pub(in crate::families) m0: u32,
    /// The code of the null register, which reads as 0 and discards writes.
    pub(in crate::families) null: Option<u32>,
    /// True if only LLVM knows the register of [`EncodingFacts::null`].
    pub(in crate::families) phantom_null: bool,
    /// The existing source codes of conditions and apertures (see [`super::operands`]).
    pub(in crate::families) specials: &'static [u32],
    /// The source codes that LLVM names without an emulation here.
    pub(in crate::families) unavailable: &'static [u32],
    /// True if short vector instructions have SDWA words.
    pub(in crate::families) sdwa: bool,
    /// True if DPP8 exists, and DPP16 can fetch from inactive lanes.
    pub(in crate::families) dpp8: bool,
    pub(in crate::families) lane_patterns: LanePatterns,
    /// True if register pairs have DPP words, for a lane of the row only.
    pub(in crate::families) lanes_of_pairs: bool,
    /// True if long vector instructions have literals.
    pub(in crate::families) long_literal: bool,
    /// True if long vector instructions have DPP words.
    pub(in crate::families) long_dpp: bool,
    /// True if 16-bit operands name halves of registers.
    pub(in crate::families) true16: bool,
    /// True if long conversions of 8-bit floats select a byte of their source and have no output
    /// modifiers.
    pub(in crate::families) byte_selections: bool,
    /// True if ranges of vector registers start at even registers.
    pub(in crate::families) aligned_vectors: bool,
    /// True if comparisons that set EXEC write nothing else.
    pub(in crate::families) cmpx_sets_exec_only: bool,
    /// Short instructions without a long encoding.
    pub(in crate::families) short_only: &'static [&'static str],
    /// The ranges of long numbers that belong to short instructions, first and last.
    pub(in crate::families) short_in_long: &'static [(u32, u32)],
    pub(in crate::families) matrix: MatrixFacts,
    /// The numbers and names of the hardware registers.
    pub(in crate::families) hardware_registers: &'static [(u32, &'static str)],
}

/// The meaning of the DPP16 controls from 0x130 on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum LanePatterns {
    /// Shifts and broadcasts across rows.
    Wave {
        /// True if 0x150 is a lane of the own row, for the whole row.
        row_lane: bool,
    },
    /// 0x150 is `row_share` and 0x160 is `row_xmask`; nothing crosses rows.
    Row,
}

impl EncodingFacts {
    pub(in crate::families) const SDWA: u32 = 249;
    pub(in crate::families) const DPP16: u32 = 250;
    pub(in crate::families) const DPP8: u32 = 233;
    pub(in crate::families) const DPP8_FETCH_INACTIVE: u32 = 234;

    /// Returns the facts for waves of 32 lanes, and the same for 64.
    pub(in crate::families) const fn of_both_sizes(wave32: EncodingFacts) -> [EncodingFacts; 2] {
        let wave64 = EncodingFacts {
            lanes: 64,
            ..wave32
        };
        [wave32, wave64]
    }

    /// Returns the number of scalar registers with one bit for each lane.
    pub(in crate::families) fn mask_registers(&self) -> u32 {
        u32::from(self.lanes) / 32
    }

    /// Returns true if a source code announces a lane pattern in the next word.
    pub(in crate::families) fn is_lane_pattern(&self, code: u32) -> bool {
        match code {
            EncodingFacts::DPP16 => true,
            EncodingFacts::DPP8 | EncodingFacts::DPP8_FETCH_INACTIVE => self.dpp8,
            _ => false,
        }
    }

    /// Returns true if the first source of a short vector instruction announces another word.
    pub(in crate::families) fn announces(&self, code: u32) -> bool {
        code == LITERAL || (code == EncodingFacts::SDWA && self.sdwa) || self.is_lane_pattern(code)
    }

    /// Returns the canonical index (see [`crate::instruction`]) of the first of `count` scalar
    /// registers, or [`NULL`] for the null register. The low bits of a range's number are
    /// ignored, and special registers form only pairs.
    pub(in crate::families) fn register(&self, code: u32, count: u32) -> Option<u8> {
        if Some(code) == self.null {
            return Some(NULL);
        }
        let first = aligned(code, count);
        let exists = match code {
            code if code < self.general => first + count <= 106,
            108..=123 => first + count <= 124,
            // Every family's M0 becomes number 124, so that execution needs no family.
            code if code == self.m0 => return (count == 1).then_some(124),
            0..=107 | 126 | 127 => count == 1 || (count == 2 && first == code),
            _ => false,
        };
        exists.then_some(first as u8)
    }

    /// Does the same as [`EncodingFacts::register`] for a register to read, which must exist.
    pub(in crate::families) fn base(&self, code: u32, count: u32) -> Option<u8> {
        self.register(code, count)
            .filter(|&register| register != NULL)
    }

    /// Returns the register of a lane mask.
    pub(in crate::families) fn mask(&self, code: u32) -> Option<u8> {
        self.register(code, self.mask_registers())
    }

    /// Returns Some if an operand of `count` vector registers may start at `first`.
    pub(in crate::families) fn has_vectors(&self, first: u32, count: u32) -> Option<()> {
        let even = !self.aligned_vectors || count < 2 || first.is_multiple_of(2);
        even.then_some(())
    }

    /// Returns true if a long number belongs to an instruction with a short encoding.
    pub(in crate::families) fn is_short_in_long(&self, number: u32) -> bool {
        self.short_in_long
            .iter()
            .any(|&(first, last)| (first..=last).contains(&number))
    }
}

/// Returns the first register of a range: the low bits of its number are ignored.
pub(in crate::families) fn aligned(code: u32, count: u32) -> u32 {
    match count {
        1 => code,
        2 => code & !1,
        _ => code & !3,
    }
}
