//! From words to instructions: gfx10's own formats, and which format a word has.

use super::{NULL, memory, tables};
use crate::families::Decoded;
use crate::families::encoding::{Common, Facts, LITERAL, LanePatterns, bit, bits};
use crate::families::flags::Flag;
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, Wait, Words};
use crate::isa::Isa;

const WAVE32: Facts = Facts {
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
    short_only: tables::SHORT_ONLY,
    short_in_long: &[(0, 0x13f), (0x180, 0x1ff)],
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

/// What the encodings are like in waves of so many lanes.
pub(super) fn facts(lanes: u8) -> &'static Facts {
    static FACTS: [Facts; 2] = Facts::of_both_sizes(WAVE32);
    &FACTS[usize::from(lanes == 64)]
}

/// The encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Common(Common),
    Smem,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Image,
    Interpolation,
    Export,
}

impl Format {
    /// The encoding of a word.
    fn of(word: u32) -> Option<Format> {
        Some(match word >> 26 {
            0b110010 => Format::Interpolation,
            0b110011 => Format::Common(Common::Vop3p),
            0b110101 => Format::Common(Common::Vop3),
            0b110110 => Format::Ds,
            0b110111 => Format::Flat,
            0b111000 => Format::Mubuf,
            0b111010 => Format::Mtbuf,
            0b111100 => Format::Image,
            0b111101 => Format::Smem,
            0b111110 => Format::Export,
            _ => Format::Common(Common::of(word)?),
        })
    }

    /// The table line of an instruction.
    fn line(self, isa: Isa, words: Words) -> Option<&'static Line> {
        let word = words[0];
        match self {
            Format::Common(Common::Vop3p) if bits(word, 25, 23) != 0 => None,
            Format::Common(common) => tables::common(isa, common, common.number(word)),
            Format::Smem => tables::smem(isa, bits(word, 25, 18)),
            Format::Ds => tables::ds(isa, bits(word, 25, 18)),
            Format::Flat => tables::flat(isa, memory::segment(word)?, bits(word, 24, 18)),
            Format::Mubuf => tables::mubuf(isa, bits(word, 25, 18)),
            Format::Mtbuf => tables::mtbuf(isa, bits(word, 18, 16) | (bits(words[1], 21, 21) << 3)),
            Format::Image => tables::mimg(isa, bits(word, 24, 18) | (bits(word, 0, 0) << 7)),
            Format::Interpolation => tables::vintrp(isa, bits(word, 17, 16)),
            Format::Export => tables::export(isa, 0),
        }
    }

    fn length(self, facts: &Facts, line: &Line, words: Words) -> u8 {
        match self {
            Format::Common(common) => common.length(facts, line, words),
            Format::Interpolation => 1,
            // Addresses in separate registers take up to three words more.
            Format::Image => 2 + bits(words[0], 2, 1) as u8,
            Format::Mubuf | Format::Mtbuf if bits(words[1], 31, 24) == LITERAL => 3,
            _ => 2,
        }
    }

    fn action(self, facts: &Facts, line: &Line, words: Words) -> Option<Action> {
        match (self, &line.entry) {
            (_, Entry::Wait) => wait(line, words[0]),
            (Format::Common(common), _) => common.action(facts, line, words),
            (_, Entry::Refused) => Some(Action::Refused(format!("{} is not emulated", line.name))),
            (Format::Ds, Entry::Nothing) if bit(words[0], 17) => None,
            (Format::Ds, Entry::Nothing) => memory::lds(words).nothing(),
            (Format::Mubuf, Entry::Nothing) => {
                // The invalidations have none of these fields.
                let zero = words[0] & 0x1_f000 == 0 && !bit(words[1], 23);
                zero.then_some(Action::Nothing)
            }
            (_, Entry::Nothing) => Some(Action::Nothing),
            // Neither M0 nor EXEC is loaded into.
            (Format::Smem, _) if matches!(bits(words[0], 12, 6), 124 | 126 | 127) => None,
            (Format::Smem, _) => memory::scalar_memory(words).action(facts, line),
            (Format::Ds, _) => memory::lds(words).action(line),
            (Format::Flat, _) => memory::flat_action(facts, line, words),
            (Format::Mubuf, _) => memory::buffer_action(facts, line, words),
            _ => None,
        }
    }
}

/// The format and the table line of an instruction.
pub(super) fn find(isa: Isa, words: Words) -> Option<(Format, &'static Line)> {
    let format = Format::of(words[0])?;
    Some((format, format.line(isa, words)?))
}

/// See [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: Words) -> Option<Decoded> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words)?;
    let length = format.length(facts, line, words);
    Some(Decoded::new(
        length,
        line,
        format.action(facts, line, words),
    ))
}

/// The counters of `s_waitcnt`: vector loads, exports, and LDS and scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    let vector = bits(word, 3, 0) | (bits(word, 15, 14) << 4);
    (vector, bits(word, 6, 4), bits(word, 13, 8))
}

fn wait(line: &Line, word: u32) -> Option<Action> {
    // The largest value of a counter means that it is not waited for.
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
        (wait.lds, wait.scalar) = (limited(other), limited(other));
        return Some(Action::Wait(wait));
    }
    if line.is(Flag::ZeroImmediate) {
        // s_wait_idle
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
    // Exports are not emulated.
    if line.is(Flag::WaitsForStores) {
        wait.store = value;
    } else if line.is(Flag::WaitsForLoads) {
        wait.load = value;
    } else if line.is(Flag::WaitsForLds) {
        (wait.lds, wait.scalar) = (value, value);
    }
    Some(Action::Wait(wait))
}
