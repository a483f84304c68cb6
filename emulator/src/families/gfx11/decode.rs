//! From words to instructions: gfx11's own formats, and which format a word has.

use super::{memory, tables};
use crate::families::Decoded;
use crate::families::encoding::{Common, DualFields, Facts, LITERAL, LanePatterns, bit, bits};
use crate::families::flags::Flag;
use crate::families::tables::{Entry, Line};
use crate::families::text::delay;
use crate::instruction::{Action, Wait, Words};
use crate::isa::Isa;

const WAVE32: Facts = Facts {
    lanes: 32,
    general: 106,
    m0: 125,
    null: Some(124),
    specials: &[235, 236, 237, 238, 253],
    // What the manual does not have: the base of private memory, pixel ordering, VCCZ, EXECZ and direct loads.
    unavailable: &[230, 231, 239, 251, 252, 254],
    phantom_null: false,
    sdwa: false,
    dpp8: true,
    lane_patterns: LanePatterns::Row,
    lanes_of_pairs: false,
    long_literal: true,
    long_dpp: true,
    true16: true,
    byte_selections: false,
    short_only: &["v_dot2acc_f32_f16", "v_pk_fmac_f16"],
    aligned_vectors: false,
    cmpx_sets_exec_only: true,
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

/// The code of a direct load from LDS.
const DIRECT: u32 = 254;

/// What the encodings are like in waves of so many lanes.
pub(super) fn facts(lanes: u8) -> &'static Facts {
    static FACTS: [Facts; 2] = Facts::of_both_sizes(WAVE32);
    &FACTS[usize::from(lanes == 64)]
}

/// The encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Common(Common),
    Dual,
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
            0b110010 => Format::Dual,
            0b110011 => match bits(word, 25, 23) {
                0b000 => Format::Common(Common::Vop3p),
                0b010 | 0b011 => Format::Interpolation,
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

    /// The table line of an instruction; of a dual one, of its first.
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static Line> {
        match self {
            Format::Common(common) => tables::common(isa, common, common.number(word)),
            Format::Dual => dual_lines(isa, word).map(|[first, _]| first),
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

    fn length(self, facts: &Facts, isa: Isa, line: &Line, words: Words) -> u8 {
        match self {
            // Not even a DPP word follows.
            Format::Common(Common::Vop1) if line.is(Flag::NoOperands) => 1,
            Format::Common(common) => common.length(facts, line, words),
            Format::Dual => {
                dual_lines(isa, words[0]).map_or(2, |lines| DualFields::of(words).length(lines))
            }
            Format::LdsDirect => 1,
            // With addresses in separate registers.
            Format::Image if bit(words[0], 0) => 3,
            Format::Mubuf | Format::Mtbuf if bits(words[1], 31, 24) == LITERAL => 3,
            _ => 2,
        }
    }

    fn action(self, facts: &Facts, isa: Isa, line: &Line, words: Words) -> Option<Action> {
        let refused = |why: &str| Some(Action::Refused(format!("{}{why}", line.name)));
        match (self, &line.entry) {
            (_, Entry::Refused) => refused(" is not emulated"),
            (_, Entry::Nothing | Entry::Wait | Entry::End | Entry::Barrier)
                if !self.has_zeros(line, words) =>
            {
                None
            }
            (_, Entry::Nothing) if line.is(Flag::Delay) => delay(words[0]).map(|_| Action::Nothing),
            (_, Entry::Nothing) => Some(Action::Nothing),
            (_, Entry::Wait) => Some(Action::Wait(wait(line, facts, words[0])?)),
            (Format::Common(common), _) => common.action(facts, line, words),
            (Format::Dual, _) => DualFields::of(words).action(facts, dual_lines(isa, words[0])?),
            (Format::Smem, Entry::ScalarLoad { .. })
                if bits(words[0], 5, 0) << 1 == memory::NULL =>
            {
                refused(" without an address is not emulated")
            }
            // Neither M0 nor EXEC is loaded into.
            (Format::Smem, Entry::ScalarLoad { .. })
                if (125..=127).contains(&bits(words[0], 12, 6)) =>
            {
                None
            }
            (Format::Smem, _) => memory::scalar_memory(words).action(facts, line),
            (Format::Ds, _) => memory::lds(words).action(line),
            // Thirteen bits, of which the hardware ignores one.
            (Format::Flat, _) if bits(words[0], 17, 16) == 0 && bit(words[0], 12) => {
                refused(" with an offset of 13 bits is not emulated")
            }
            (Format::Flat, _) => memory::flat(words)?.action(facts, line),
            (Format::Mubuf, _) if bits(words[1], 31, 24) == DIRECT => None,
            (Format::Mubuf, _) if bit(words[1], 21) => refused(" with tfe is not emulated"),
            (Format::Mubuf, _) if bits(words[1], 20, 16) << 2 == memory::NULL => {
                refused(" without a resource is not emulated")
            }
            (Format::Mubuf, _) if bits(words[1], 31, 24) == LITERAL => {
                refused(" with a literal offset is not emulated")
            }
            (Format::Mubuf, _) => memory::buffer(words).action(facts, line),
            _ => None,
        }
    }

    /// Whether an instruction without operands has nothing in their place.
    fn has_zeros(self, line: &Line, words: Words) -> bool {
        let (word, second) = (words[0], words[1]);
        match self {
            Format::Ds => bits(word, 15, 0) == 0 && !bit(word, 17) && second == 0,
            Format::Smem => bits(word, 14, 13) == 0,
            Format::Mubuf => bits(word, 14, 13) == 0 && bits(second, 23, 21) == 0,
            Format::Common(Common::Vop1) => bits(word, 24, 17) == 0,
            Format::Common(Common::Vop3) => word & 0x87ff == 0 && bits(second, 31, 27) == 0,
            Format::Common(Common::Sopp) => !line.is(Flag::ZeroImmediate) || bits(word, 15, 0) == 0,
            _ => true,
        }
    }
}

/// The lines of both halves of a dual instruction.
pub(super) fn dual_lines(isa: Isa, word: u32) -> Option<[&'static Line; 2]> {
    // The first has a field of 4 bits.
    Some([
        tables::dual(isa, bits(word, 25, 22))?,
        tables::dual(isa, bits(word, 21, 17))?,
    ])
}

/// The format and the table line of an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<(Format, &'static Line)> {
    let format = Format::of(word)?;
    Some((format, format.line(isa, word)?))
}

/// See [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: Words) -> Option<Decoded> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words[0])?;
    let length = format.length(facts, isa, line, words);
    Some(Decoded::new(
        length,
        line,
        format.action(facts, isa, line, words),
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
        lds: Wait::ANY,
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
    Some(match line {
        _ if line.is(Flag::WaitsForFields) => Wait {
            load: remaining(vector),
            lds: remaining(other),
            scalar: remaining(other),
            ..NONE
        },
        _ if line.is(Flag::WaitsForLoads) => Wait {
            load: single()?,
            ..NONE
        },
        _ if line.is(Flag::WaitsForStores) => Wait {
            store: single()?,
            ..NONE
        },
        _ if line.is(Flag::WaitsForLds) => {
            let most = single()?;
            Wait {
                lds: most,
                scalar: most,
                ..NONE
            }
        }
        _ if line.is(Flag::WaitsForExports) => {
            single()?;
            NONE
        }
        // s_wait_idle
        _ => Wait {
            load: 0,
            store: 0,
            lds: 0,
            scalar: 0,
        },
    })
}
