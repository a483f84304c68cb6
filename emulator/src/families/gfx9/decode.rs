//! From words to instructions: gfx9's own formats, and which format a word has.

use super::tables;
use crate::families::encoding::{
    BufferFields, Common, Facts, FlatFields, LanePatterns, ScalarMemoryFields, Segment,
    ShareFields, bit, bits, signed,
};
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, Instruction, Wait};
use crate::isa::Isa;

/// What all members share.
const GFX9: Facts = Facts {
    lanes: 64,
    general: 102,
    m0: 124,
    null: None,
    specials: &[235, 236, 237, 238, 251, 252, 253],
    sdwa: true,
    dpp8: false,
    lane_patterns: LanePatterns::Wave { row_lane: true },
    long_literal: false,
    long_dpp: false,
    true16: false,
    aligned_vectors: true,
    cmpx_sets_exec_only: false,
    short_in_long: &[(0, 0x1bf)],
    hardware_registers: HARDWARE_REGISTERS,
};

const HARDWARE_REGISTERS: &[(u32, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (4, "HW_REG_HW_ID"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
    (20, "HW_REG_XCC_ID"),
    (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

/// What the encodings of `isa` are like.
pub(super) fn facts(_isa: Isa) -> &'static Facts {
    static FACTS: Facts = GFX9;
    &FACTS
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
}

impl Format {
    /// The encoding of a word.
    pub(super) fn of(word: u32) -> Option<Format> {
        if word >> 23 == 0b1_1010_0111 {
            return Some(Format::Common(Common::Vop3p));
        }
        Some(match word >> 26 {
            0b110000 => Format::Smem,
            0b110100 => Format::Common(Common::Vop3),
            0b110110 => Format::Ds,
            0b110111 => Format::Flat,
            0b111000 => Format::Mubuf,
            0b111010 => Format::Mtbuf,
            _ => Format::Common(Common::of(word)?),
        })
    }

    /// The table line of an instruction.
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static Line> {
        match self {
            Format::Common(common) => tables::common(isa, common, common.number(word)),
            Format::Smem => tables::smem(isa, bits(word, 25, 18)),
            Format::Ds => tables::ds(isa, bits(word, 24, 17)),
            Format::Flat => tables::flat(isa, bits(word, 15, 14), bits(word, 24, 18)),
            Format::Mubuf => tables::mubuf(isa, bits(word, 24, 18)),
            Format::Mtbuf => tables::mtbuf(isa, bits(word, 18, 15)),
        }
    }

    fn length(self, facts: &Facts, line: &Line, words: [u32; 3]) -> u8 {
        match self {
            Format::Common(common) => common.length(facts, line, words),
            _ => 2,
        }
    }

    fn action(self, facts: &Facts, line: &Line, words: [u32; 3]) -> Option<Action> {
        match (self, &line.entry) {
            (_, Entry::Refused) => Some(Action::Refused(format!("{} is not emulated", line.name))),
            (_, Entry::Nothing) => Some(Action::Nothing),
            (_, Entry::Wait) => Some(Action::Wait(wait(words[0]))),
            (Format::Common(common), _) => common.action(facts, line, words),
            (Format::Smem, _) => scalar_memory(words).action(facts, line),
            (Format::Ds, _) => share(words).action(line),
            (Format::Flat, _) => flat(words)?.action(facts, line),
            (Format::Mubuf, _) => buffer(words).action(facts, line),
            (Format::Mtbuf, _) => None,
        }
    }
}

/// See [`crate::families::decode`].
pub(crate) fn decode(isa: Isa, address: u64, words: [u32; 3]) -> Instruction {
    let facts = facts(isa);
    let found = Format::of(words[0]).and_then(|format| Some((format, format.line(isa, words[0])?)));
    let Some((format, line)) = found else {
        return crate::families::unknown(isa, address, words);
    };
    let length = format.length(facts, line, words);
    let action = format.action(facts, line, words).unwrap_or_else(|| {
        Action::Refused(format!("{} with operands that are not valid", line.name))
    });
    Instruction {
        address,
        isa,
        words: if length == 2 {
            [words[0], words[1], 0]
        } else {
            [words[0], 0, 0]
        },
        length,
        name: line.name,
        action,
    }
}

/// The counters of `s_waitcnt`: vector memory, exports, LDS and scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    let vector = bits(word, 3, 0) | (bits(word, 15, 14) << 4);
    (vector, bits(word, 6, 4), bits(word, 11, 8))
}

fn wait(word: u32) -> Wait {
    // The largest value of a counter means that it is not waited for.
    let remaining = |value: u32, most: u32| {
        if value == most {
            Wait::ANY
        } else {
            value as u8
        }
    };
    let (vector, _, other) = wait_fields(word);
    let (vector, other) = (remaining(vector, 63), remaining(other, 15));
    Wait {
        load: vector,
        store: vector,
        share: other,
        scalar: other,
    }
}

pub(super) fn scalar_memory(words: [u32; 3]) -> ScalarMemoryFields {
    let (word, second) = (words[0], words[1]);
    let (immediate, with_register) = (bit(word, 17), bit(word, 14));
    ScalarMemoryFields {
        to: bits(word, 12, 6),
        base: bits(word, 5, 0) << 1,
        offset: immediate.then_some(signed(second, 21)),
        offset_register: match (immediate, with_register) {
            (_, true) => Some(bits(second, 31, 25)),
            (false, false) => Some(bits(second, 6, 0)),
            (true, false) => None,
        },
    }
}

pub(super) fn share(words: [u32; 3]) -> ShareFields {
    let (word, second) = (words[0], words[1]);
    ShareFields {
        offset: bits(word, 15, 0),
        global: bit(word, 16),
        accumulation: bit(word, 25),
        address: bits(second, 7, 0),
        data: [bits(second, 15, 8), bits(second, 23, 16)],
        to: bits(second, 31, 24),
    }
}

pub(super) fn flat(words: [u32; 3]) -> Option<FlatFields> {
    let (word, second) = (words[0], words[1]);
    let segment = match bits(word, 15, 14) {
        0 => Segment::Flat,
        1 => Segment::Scratch,
        2 => Segment::Global,
        _ => return None,
    };
    let scalar = bits(second, 22, 16);
    Some(FlatFields {
        segment,
        offset: if segment == Segment::Flat {
            bits(word, 11, 0) as i32
        } else {
            signed(word, 13)
        },
        address: bits(second, 7, 0),
        has_address: bit(word, 13),
        data: bits(second, 15, 8),
        scalar: (scalar != 0x7f).then_some(scalar),
        to: bits(second, 31, 24),
        accumulation: bit(second, 23),
        returns: bit(word, 16),
        policy: policy(bit(word, 16), bit(word, 17), bit(word, 25)),
    })
}

pub(super) fn buffer(words: [u32; 3]) -> BufferFields {
    let (word, second) = (words[0], words[1]);
    BufferFields {
        offset: bits(word, 11, 0),
        index: bit(word, 13),
        has_offset: bit(word, 12),
        address: bits(second, 7, 0),
        data: bits(second, 15, 8),
        resource: bits(second, 20, 16) << 2,
        scalar: bits(second, 31, 24),
        accumulation: bit(second, 23),
        to_share: bit(word, 16),
        returns: bit(word, 14),
        policy: policy(bit(word, 14), bit(word, 17), bit(word, 15)),
    }
}

/// The words of the cache policy.
fn policy(sc0: bool, nt: bool, sc1: bool) -> String {
    let parts = [(sc0, " sc0"), (nt, " nt"), (sc1, " sc1")];
    parts
        .into_iter()
        .filter(|(set, _)| *set)
        .map(|(_, text)| text)
        .collect()
}
