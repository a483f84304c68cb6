//! From words to instructions: gfx11's own formats, and which format a word has.

use super::tables;
use crate::families::Decoded;
use crate::families::encoding::{
    BufferFields, Common, Facts, FlatFields, LanePatterns, ScalarMemoryFields, Segment,
    ShareFields, bit, bits, signed,
};
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, Wait};
use crate::isa::Isa;

const WAVE32: Facts = Facts {
    lanes: 32,
    general: 106,
    m0: 125,
    null: Some(124),
    specials: &[235, 236, 237, 238, 251, 252, 253],
    unavailable: &[],
    phantom_null: false,
    sdwa: false,
    dpp8: true,
    lane_patterns: LanePatterns::Row,
    long_literal: true,
    long_dpp: true,
    true16: true,
    half_low: false,
    aligned_vectors: false,
    cmpx_sets_exec_only: true,
    short_only: &[],
    short_in_long: &[(0, 0x1ff)],
    hardware_registers: &[
        (1, "HW_REG_MODE"),
        (2, "HW_REG_STATUS"),
        (3, "HW_REG_TRAPSTS"),
        (5, "HW_REG_GPR_ALLOC"),
        (6, "HW_REG_LDS_ALLOC"),
        (7, "HW_REG_IB_STS"),
        (15, "HW_REG_SH_MEM_BASES"),
        (18, "HW_REG_PERF_SNAPSHOT_PC_LO"),
        (19, "HW_REG_PERF_SNAPSHOT_PC_HI"),
        (20, "HW_REG_FLAT_SCR_LO"),
        (21, "HW_REG_FLAT_SCR_HI"),
        (23, "HW_REG_HW_ID1"),
        (24, "HW_REG_HW_ID2"),
        (27, "HW_REG_PERF_SNAPSHOT_DATA"),
        (29, "HW_REG_SHADER_CYCLES"),
    ],
};

/// What the encodings are like in waves of so many lanes.
pub(super) fn facts(lanes: u8) -> &'static Facts {
    static FACTS: [Facts; 2] = [
        WAVE32,
        Facts {
            lanes: 64,
            ..WAVE32
        },
    ];
    &FACTS[usize::from(lanes == 64)]
}

/// The encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Common(Common),
    Interpolation,
    LdsDirect,
    Smem,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Image,
    Export,
}

impl Format {
    /// The encoding of a word.
    pub(super) fn of(word: u32) -> Option<Format> {
        Some(match word >> 26 {
            0b110011 => match bits(word, 25, 23) {
                0b000 => Format::Common(Common::Vop3p),
                0b010 => Format::Interpolation,
                0b100 | 0b101 => Format::LdsDirect,
                _ => return None,
            },
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
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static Line> {
        match self {
            Format::Common(common) => tables::common(isa, common, common.number(word)),
            Format::Interpolation => tables::interpolation(isa, bits(word, 22, 16)),
            Format::LdsDirect => tables::lds_direct(isa, bits(word, 21, 20)),
            Format::Smem => tables::smem(isa, bits(word, 25, 18)),
            Format::Ds => tables::ds(isa, bits(word, 25, 18)),
            Format::Flat => tables::flat(isa, bits(word, 17, 16), bits(word, 24, 18)),
            Format::Mubuf => tables::mubuf(isa, bits(word, 25, 18)),
            Format::Mtbuf => tables::mtbuf(isa, bits(word, 18, 15)),
            Format::Image => tables::image(isa, bits(word, 25, 18)),
            Format::Export => tables::export(isa, 0),
        }
    }

    fn length(self, facts: &Facts, line: &Line, words: [u32; 3]) -> u8 {
        match self {
            Format::Common(common) => common.length(facts, line, words),
            Format::LdsDirect => 1,
            // With addresses in separate registers.
            Format::Image if bit(words[0], 0) => 3,
            _ => 2,
        }
    }

    fn action(self, facts: &Facts, line: &Line, words: [u32; 3]) -> Option<Action> {
        match (self, &line.entry) {
            (_, Entry::Refused) => Some(Action::Refused(format!("{} is not emulated", line.name))),
            (_, Entry::Nothing) => Some(Action::Nothing),
            (_, Entry::Wait) => Some(Action::Wait(wait(line, facts, words[0])?)),
            (Format::Common(common), _) => common.action(facts, line, words),
            (Format::Smem, _) => scalar_memory(words).action(facts, line),
            (Format::Ds, _) => share(line, words).action(line),
            (Format::Flat, _) => flat(words)?.action(facts, line),
            (Format::Mubuf, _) => buffer(words).action(facts, line),
            _ => None,
        }
    }
}

/// The format and the table line of an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<(Format, &'static Line)> {
    let format = Format::of(word)?;
    Some((format, format.line(isa, word)?))
}

/// See [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: [u32; 3]) -> Option<Decoded> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words[0])?;
    let length = format.length(facts, line, words);
    Some(Decoded::new(
        length,
        line,
        format.action(facts, line, words),
    ))
}

/// The counters of `s_waitcnt`: vector memory, exports, LDS and scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    (bits(word, 15, 10), bits(word, 2, 0), bits(word, 9, 4))
}

fn wait(line: &Line, facts: &Facts, word: u32) -> Option<Wait> {
    const NONE: Wait = Wait {
        load: Wait::ANY,
        store: Wait::ANY,
        share: Wait::ANY,
        scalar: Wait::ANY,
    };
    // The largest value of a counter means that it is not waited for.
    let remaining = |value: u32| if value >= 63 { Wait::ANY } else { value as u8 };
    let (vector, _, other) = wait_fields(word);
    // A register that is not null makes the number of SOPK's forms unknown: everything is waited for.
    let register = bits(word, 22, 16);
    let single = || {
        let known = Some(register) == facts.null;
        facts.register(register, 1)?;
        Some(if known {
            remaining(bits(word, 15, 0))
        } else {
            0
        })
    };
    Some(match line.name {
        "s_waitcnt" => Wait {
            load: remaining(vector),
            share: remaining(other),
            scalar: remaining(other),
            ..NONE
        },
        "s_waitcnt_vmcnt" => Wait {
            load: single()?,
            ..NONE
        },
        "s_waitcnt_vscnt" => Wait {
            store: single()?,
            ..NONE
        },
        "s_waitcnt_lgkmcnt" => {
            let most = single()?;
            Wait {
                share: most,
                scalar: most,
                ..NONE
            }
        }
        "s_waitcnt_expcnt" => {
            single()?;
            NONE
        }
        // s_wait_idle
        _ => Wait {
            load: 0,
            store: 0,
            share: 0,
            scalar: 0,
        },
    })
}

pub(super) fn scalar_memory(words: [u32; 3]) -> ScalarMemoryFields {
    let (word, second) = (words[0], words[1]);
    let (offset, register) = (signed(second, 21), bits(second, 31, 25));
    let null = Some(register) == WAVE32.null;
    ScalarMemoryFields {
        to: bits(word, 12, 6),
        base: bits(word, 5, 0) << 1,
        // LLVM writes no offset of 0, and no null beside an offset.
        offset: (offset != 0).then_some(offset),
        offset_register: (offset == 0 || !null).then_some(register),
    }
}

pub(super) fn share(line: &Line, words: [u32; 3]) -> ShareFields {
    let (word, second) = (words[0], words[1]);
    let (first, more) = (bits(second, 15, 8), bits(second, 23, 16));
    ShareFields {
        offset: bits(word, 15, 0),
        global: bit(word, 17),
        accumulation: false,
        address: bits(second, 7, 0),
        // The new value comes before the one that is compared.
        data: if line.name.starts_with("ds_cmpstore") {
            [more, first]
        } else {
            [first, more]
        },
        to: bits(second, 31, 24),
    }
}

pub(super) fn flat(words: [u32; 3]) -> Option<FlatFields> {
    let (word, second) = (words[0], words[1]);
    let segment = match bits(word, 17, 16) {
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
        has_address: bit(second, 23),
        data: bits(second, 15, 8),
        scalar: (scalar != 124).then_some(scalar),
        to: bits(second, 31, 24),
        accumulation: false,
        to_share: false,
        returns: bit(word, 14),
        policy: policy(bit(word, 14), bit(word, 15), bit(word, 13)),
    })
}

pub(super) fn buffer(words: [u32; 3]) -> BufferFields {
    let (word, second) = (words[0], words[1]);
    BufferFields {
        offset: bits(word, 11, 0),
        index: bit(second, 23),
        has_offset: bit(second, 22),
        address: bits(second, 7, 0),
        data: bits(second, 15, 8),
        resource: bits(second, 20, 16) << 2,
        scalar: bits(second, 31, 24),
        accumulation: false,
        to_share: false,
        returns: bit(word, 14),
        policy: policy(bit(word, 14), bit(word, 12), bit(word, 13)),
    }
}

/// The words of the cache policy.
fn policy(glc: bool, slc: bool, dlc: bool) -> String {
    let parts = [(glc, " glc"), (slc, " slc"), (dlc, " dlc")];
    parts
        .into_iter()
        .filter(|(set, _)| *set)
        .map(|(_, text)| text)
        .collect()
}
