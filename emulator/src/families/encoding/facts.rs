//! What tells the encodings of one instruction set from those of another.

use super::LITERAL;
use crate::instruction::NULL;

/// The facts about an instruction set (and a wave size) that encodings and text depend on.
pub(in crate::families) struct EncodingFacts {
    /// Lanes of a wave.
    pub(in crate::families) lanes: u8,
    /// General scalar registers; the special ones follow up to VCC.
    pub(in crate::families) general: u32,
    /// The code of M0.
    pub(in crate::families) m0: u32,
    /// The code of the register that reads as 0 and forgets what is written.
    pub(in crate::families) null: Option<u32>,
    /// [`Facts::null`] is known to LLVM only.
    pub(in crate::families) phantom_null: bool,
    /// Source codes of conditions and apertures (see [`super::operands`]) that exist.
    pub(in crate::families) specials: &'static [u32],
    /// Source codes that LLVM names but that are not emulated.
    pub(in crate::families) unavailable: &'static [u32],
    /// Short vector instructions take an SDWA word.
    pub(in crate::families) sdwa: bool,
    /// DPP8 exists, and DPP16 can fetch from inactive lanes.
    pub(in crate::families) dpp8: bool,
    pub(in crate::families) lane_patterns: LanePatterns,
    /// Pairs of registers take a DPP word, of a lane of the row only.
    pub(in crate::families) lanes_of_pairs: bool,
    /// Long vector instructions take a literal.
    pub(in crate::families) long_literal: bool,
    /// Long vector instructions take a DPP word.
    pub(in crate::families) long_dpp: bool,
    /// 16-bit operands name halves of registers.
    pub(in crate::families) true16: bool,
    /// Long conversions of 8-bit floats select a byte of their source, and have no output modifiers.
    pub(in crate::families) byte_selections: bool,
    /// Runs of vector registers start at even registers.
    pub(in crate::families) aligned_vectors: bool,
    /// Comparisons that set EXEC write nothing else.
    pub(in crate::families) cmpx_sets_exec_only: bool,
    /// Short instructions without a long encoding.
    pub(in crate::families) short_only: &'static [&'static str],
    /// Numbers of the long encoding that short instructions have, first and last.
    pub(in crate::families) short_in_long: &'static [(u32, u32)],
    /// Numbers and names of the hardware registers.
    pub(in crate::families) hardware_registers: &'static [(u32, &'static str)],
}

/// What the DPP16 controls from 0x130 on are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum LanePatterns {
    /// Shifts and broadcasts across rows.
    Wave {
        /// 0x150: a lane of the own row, for all of it.
        row_lane: bool,
    },
    /// 0x150: `row_share`, 0x160: `row_xmask`; nothing crosses rows.
    Row,
}

impl EncodingFacts {
    pub(in crate::families) const SDWA: u32 = 249;
    pub(in crate::families) const DPP16: u32 = 250;
    pub(in crate::families) const DPP8: u32 = 233;
    pub(in crate::families) const DPP8_FETCH_INACTIVE: u32 = 234;

    /// Of waves of 32 lanes, and the same of 64.
    pub(in crate::families) const fn of_both_sizes(wave32: EncodingFacts) -> [EncodingFacts; 2] {
        let wave64 = EncodingFacts {
            lanes: 64,
            ..wave32
        };
        [wave32, wave64]
    }

    /// Scalar registers that hold a bit for each lane.
    pub(in crate::families) fn mask_registers(&self) -> u32 {
        u32::from(self.lanes) / 32
    }

    /// Whether a source code says that the next word is a pattern of lanes.
    pub(in crate::families) fn is_lane_pattern(&self, code: u32) -> bool {
        match code {
            EncodingFacts::DPP16 => true,
            EncodingFacts::DPP8 | EncodingFacts::DPP8_FETCH_INACTIVE => self.dpp8,
            _ => false,
        }
    }

    /// Whether the first source of a short vector instruction says that another word follows.
    pub(in crate::families) fn announces(&self, code: u32) -> bool {
        code == LITERAL || (code == EncodingFacts::SDWA && self.sdwa) || self.is_lane_pattern(code)
    }

    /// The canonical index (see [`crate::instruction`]) of the first of `count` scalar registers, [`NULL`] for the
    /// register that there is not. The low bits of a run's number are ignored; special registers form pairs only.
    pub(in crate::families) fn register(&self, code: u32, count: u32) -> Option<u8> {
        if Some(code) == self.null {
            return Some(NULL);
        }
        let first = aligned(code, count);
        let exists = match code {
            code if code < self.general => first + count <= 106,
            108..=123 => first + count <= 124,
            code if code == self.m0 => return (count == 1).then_some(124),
            0..=107 | 126 | 127 => count == 1 || (count == 2 && first == code),
            _ => false,
        };
        exists.then_some(first as u8)
    }

    /// As [`Facts::register`], of registers that are read and exist.
    pub(in crate::families) fn base(&self, code: u32, count: u32) -> Option<u8> {
        self.register(code, count)
            .filter(|&register| register != NULL)
    }

    /// A register for a bit of each lane.
    pub(in crate::families) fn mask(&self, code: u32) -> Option<u8> {
        self.register(code, self.mask_registers())
    }

    /// Some if an operand of `count` vector registers may start at `first`.
    pub(in crate::families) fn has_vectors(&self, first: u32, count: u32) -> Option<()> {
        let even = !self.aligned_vectors || count < 2 || first.is_multiple_of(2);
        even.then_some(())
    }

    /// Whether a number of the long encoding belongs to an instruction that has a short one.
    pub(in crate::families) fn is_short_in_long(&self, number: u32) -> bool {
        self.short_in_long
            .iter()
            .any(|&(first, last)| (first..=last).contains(&number))
    }
}

/// The first register of a run: the low bits of its number are ignored.
pub(in crate::families) fn aligned(code: u32, count: u32) -> u32 {
    match count {
        1 => code,
        2 => code & !1,
        _ => code & !3,
    }
}
