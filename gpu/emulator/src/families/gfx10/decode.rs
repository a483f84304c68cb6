//! The decoder of gfx10: its own formats, and the format of a word.

use super::{NULL, memory};
use crate::families::DecodedInstruction;
use crate::families::encoding::{
    CommonFormat, EncodingFacts, LITERAL, LanePatterns, MatrixFacts, bit, bits,
};
use crate::families::flags::Flag;
use crate::families::opcodes;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::{Action, Wait, Words};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::matrix::MatrixLayout;

const WAVE32: EncodingFacts = EncodingFacts {
    lanes: 32,
    general: 106,
    m0: 124,
    null: Some(NULL),
    specials: &[235, 236, 237, 238, 251, 252, 253],
    unavailable: &[230, 231, 239, 254],
    phantom_null: false,
    sdwa: true,
    dpp8: true,
    lane_patterns: LanePatterns::Row,
    lanes_of_pairs: false,
    long_literal: true,
    long_dpp: false,
    true16: false,
    byte_selections: false,
    aligned_vectors: false,
    cmpx_sets_exec_only: true,
    short_only: opcodes::short_only(EncodingFamily::Gfx10),
    short_in_long: &[(0, 0x13f), (0x180, 0x1ff)],
    // RDNA 2 has no products of matrices, so nothing reads this.
    matrix: MatrixFacts::of(MatrixLayout::Replicated),
    hardware_registers: &[
        (1, "HW_REG_MODE"),
        (2, "HW_REG_STATUS"),
        (3, "HW_REG_TRAPSTS"),
        (5, "HW_REG_GPR_ALLOC"),
        (6, "HW_REG_LDS_ALLOC"),
        (7, "HW_REG_IB_STS"),
        (15, "HW_REG_SH_MEM_BASES"),
        (16, "HW_REG_TBA_LO"),
        (17, "HW_REG_TBA_HI"),
        (18, "HW_REG_TMA_LO"),
        (19, "HW_REG_TMA_HI"),
        (20, "HW_REG_FLAT_SCR_LO"),
        (21, "HW_REG_FLAT_SCR_HI"),
        (23, "HW_REG_HW_ID1"),
        (24, "HW_REG_HW_ID2"),
        (25, "HW_REG_POPS_PACKER"),
        (29, "HW_REG_SHADER_CYCLES"),
    ],
};

/// Returns the encoding facts for waves of `lanes` lanes.
pub(super) fn facts(lanes: u8) -> &'static EncodingFacts {
    static FACTS: [EncodingFacts; 2] = EncodingFacts::of_both_sizes(WAVE32);
    &FACTS[usize::from(lanes == 64)]
}

/// The encoding format of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gfx10Format {
    Common(CommonFormat),
    Smem,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Image,
    Interpolation,
    Export,
}

impl Gfx10Format {
    /// Returns the encoding of a word.
    fn of(word: u32) -> Option<Gfx10Format> {
        Some(match word >> 26 {
            0b110010 => Gfx10Format::Interpolation,
            0b110011 => Gfx10Format::Common(CommonFormat::Vop3p),
            0b110101 => Gfx10Format::Common(CommonFormat::Vop3),
            0b110110 => Gfx10Format::Ds,
            0b110111 => Gfx10Format::Flat,
            0b111000 => Gfx10Format::Mubuf,
            0b111010 => Gfx10Format::Mtbuf,
            0b111100 => Gfx10Format::Image,
            0b111101 => Gfx10Format::Smem,
            0b111110 => Gfx10Format::Export,
            _ => Gfx10Format::Common(CommonFormat::of(word)?),
        })
    }

    /// Returns the table entry of an instruction.
    fn line(self, isa: Isa, words: Words) -> Option<&'static OpcodeEntry> {
        let word = words[0];
        match self {
            Gfx10Format::Common(CommonFormat::Vop3p) if bits(word, 25, 23) != 0 => None,
            Gfx10Format::Common(common) => opcodes::common(isa, common, common.number(word)),
            Gfx10Format::Smem => opcodes::smem(isa, bits(word, 25, 18)),
            Gfx10Format::Ds => opcodes::ds(isa, bits(word, 25, 18)),
            Gfx10Format::Flat => opcodes::flat(isa, memory::segment(word)?, bits(word, 24, 18)),
            Gfx10Format::Mubuf => opcodes::mubuf(isa, bits(word, 25, 18)),
            Gfx10Format::Mtbuf => {
                opcodes::mtbuf(isa, bits(word, 18, 16) | (bits(words[1], 21, 21) << 3))
            }
            Gfx10Format::Image => opcodes::mimg(isa, bits(word, 24, 18) | (bits(word, 0, 0) << 7)),
            Gfx10Format::Interpolation => opcodes::interpolation(isa, bits(word, 17, 16)),
            Gfx10Format::Export => opcodes::export(isa, 0),
        }
    }

    fn length(self, facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> u8 {
        match self {
            Gfx10Format::Common(common) => common.length(facts, line, words),
            Gfx10Format::Interpolation => 1,
            // Addresses in separate registers need up to three more words.
            Gfx10Format::Image => 2 + bits(words[0], 2, 1) as u8,
            Gfx10Format::Mubuf | Gfx10Format::Mtbuf if bits(words[1], 31, 24) == LITERAL => 3,
            _ => 2,
        }
    }

    fn action(self, facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<Action> {
        match (self, &line.entry) {
            (_, Semantics::Wait) => wait(line, words[0]),
            (Gfx10Format::Common(common), _) => common.action(facts, line, words),
            (_, Semantics::Refused) => {
                Some(Action::Refused(format!("{} is not emulated", line.name)))
            }
            (Gfx10Format::Ds, Semantics::Nothing) if bit(words[0], 17) => None,
            (Gfx10Format::Ds, Semantics::Nothing) => memory::lds(words).nothing(),
            (Gfx10Format::Mubuf, Semantics::Nothing) => {
                // Invalidations have none of these fields.
                let zero = words[0] & 0x1_f000 == 0 && !bit(words[1], 23);
                zero.then_some(Action::Nothing)
            }
            (_, Semantics::Nothing) => Some(Action::Nothing),
            // Scalar loads cannot write M0 or EXEC.
            (Gfx10Format::Smem, _) if matches!(bits(words[0], 12, 6), 124 | 126 | 127) => None,
            (Gfx10Format::Smem, _) => memory::scalar_memory(words).action(facts, line),
            (Gfx10Format::Ds, _) => memory::lds(words).action(line),
            (Gfx10Format::Flat, _) => memory::flat_action(facts, line, words),
            (Gfx10Format::Mubuf, _) => memory::buffer_action(facts, line, words),
            _ => None,
        }
    }
}

/// Returns the format and the table entry of an instruction.
pub(super) fn find(isa: Isa, words: Words) -> Option<(Gfx10Format, &'static OpcodeEntry)> {
    let format = Gfx10Format::of(words[0])?;
    Some((format, format.line(isa, words)?))
}

/// Decodes an instruction: see [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: Words) -> Option<DecodedInstruction> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words)?;
    let length = format.length(facts, line, words);
    Some(DecodedInstruction::new(
        length,
        line,
        format.action(facts, line, words),
    ))
}

/// Returns the counters of `s_waitcnt`: vector loads, exports, and LDS with scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    let vector = bits(word, 3, 0) | (bits(word, 15, 14) << 4);
    (vector, bits(word, 6, 4), bits(word, 13, 8))
}

fn wait(line: &OpcodeEntry, word: u32) -> Option<Action> {
    // The largest value of a counter means no wait.
    let remaining = |value: u32| value.try_into().unwrap_or(Wait::ANY);
    let limited = |value: u32| if value >= 63 { Wait::ANY } else { value as u8 };
    let mut wait = Wait {
        load: Wait::ANY,
        store: Wait::ANY,
        lds: Wait::ANY,
        scalar: Wait::ANY,
    };
    if line.is(Flag::WaitsForFields) {
        let (vector, _, other) = wait_fields(word);
        wait.load = limited(vector);
        // One counter covers LDS and scalar memory.
        (wait.lds, wait.scalar) = (limited(other), limited(other));
        return Some(Action::Wait(wait));
    }
    if line.is(Flag::ZeroImmediate) {
        // `s_wait_idle` waits for all counters.
        let none = bits(word, 15, 0) == 0;
        return none.then_some(Action::Wait(Wait {
            load: 0,
            store: 0,
            lds: 0,
            scalar: 0,
        }));
    }
    let register = bits(word, 22, 16);
    if register != NULL {
        WAVE32.register(register, 1)?;
        let reason = format!("{} with a number from a register", line.name);
        return Some(Action::Refused(reason));
    }
    let value = remaining(word & 0xffff);
    // Exports are not emulated, so none is outstanding.
    if line.is(Flag::WaitsForStores) {
        wait.store = value;
    } else if line.is(Flag::WaitsForLoads) {
        wait.load = value;
    } else if line.is(Flag::WaitsForLds) {
        (wait.lds, wait.scalar) = (value, value);
    }
    Some(Action::Wait(wait))
}
