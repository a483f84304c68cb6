//! The decoder of gfx11: its own formats, and the format of a word.

use super::memory;
use crate::families::DecodedInstruction;
use crate::families::encoding::{
    CommonFormat, DualFields, EncodingFacts, LITERAL, LanePatterns, MatrixFacts, Segment, bit, bits,
};
use crate::families::flags::Flag;
use crate::families::opcodes;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::delay;
use crate::instruction::{Action, Wait, Words};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::matrix::MatrixLayout;

const WAVE32: EncodingFacts = EncodingFacts {
    lanes: 32,
    general: 106,
    m0: 125,
    null: Some(124),
    specials: &[235, 236, 237, 238, 253],
    // The manual lacks these: the base of private memory, pixel ordering, VCCZ, EXECZ and direct
    // loads.
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
    short_only: opcodes::short_only(EncodingFamily::Gfx11),
    aligned_vectors: false,
    cmpx_sets_exec_only: true,
    short_in_long: &[(0, 0x1ff)],
    matrix: MatrixFacts::of(MatrixLayout::Replicated),
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

/// Returns the encoding facts for waves of `lanes` lanes.
pub(super) fn facts(lanes: u8) -> &'static EncodingFacts {
    static FACTS: [EncodingFacts; 2] = EncodingFacts::of_both_sizes(WAVE32);
    &FACTS[usize::from(lanes == 64)]
}

/// The encoding format of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gfx11Format {
    Common(CommonFormat),
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

impl Gfx11Format {
    /// Returns the encoding of a word.
    pub(super) fn of(word: u32) -> Option<Gfx11Format> {
        Some(match word >> 26 {
            0b110010 => Gfx11Format::Dual,
            0b110011 => match bits(word, 25, 23) {
                0b000 => Gfx11Format::Common(CommonFormat::Vop3p),
                0b010 | 0b011 => Gfx11Format::Interpolation,
                0b100 | 0b101 => Gfx11Format::LdsDirect,
                _ => return None,
            },
            0b110101 => Gfx11Format::Common(CommonFormat::Vop3),
            0b110110 => Gfx11Format::Ds,
            0b110111 => Gfx11Format::Flat,
            0b111000 => Gfx11Format::Mubuf,
            0b111010 => Gfx11Format::Mtbuf,
            0b111100 => Gfx11Format::Image,
            0b111101 => Gfx11Format::Smem,
            0b111110 => Gfx11Format::Export,
            _ => Gfx11Format::Common(CommonFormat::of(word)?),
        })
    }

    /// Returns the table entry of an instruction; for a dual one, of its first half.
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static OpcodeEntry> {
        match self {
            Gfx11Format::Common(common) => opcodes::common(isa, common, common.number(word)),
            Gfx11Format::Dual => dual_lines(isa, word).map(|[first, _]| first),
            Gfx11Format::Interpolation => opcodes::interpolation(isa, bits(word, 22, 16)),
            Gfx11Format::LdsDirect => opcodes::direct_load(isa, bits(word, 21, 20)),
            Gfx11Format::Smem => opcodes::smem(isa, bits(word, 25, 18)),
            Gfx11Format::Ds => opcodes::ds(isa, bits(word, 25, 18)),
            Gfx11Format::Flat => {
                opcodes::flat(isa, Segment::of(bits(word, 17, 16))?, bits(word, 24, 18))
            }
            Gfx11Format::Mubuf => opcodes::mubuf(isa, bits(word, 25, 18)),
            Gfx11Format::Mtbuf => opcodes::mtbuf(isa, bits(word, 18, 15)),
            Gfx11Format::Image => opcodes::mimg(isa, bits(word, 25, 18)),
            Gfx11Format::Export => opcodes::export(isa, 0),
        }
    }

    fn length(self, facts: &EncodingFacts, isa: Isa, line: &OpcodeEntry, words: Words) -> u8 {
        match self {
            // On gfx11 no DPP word follows `v_nop`.
            Gfx11Format::Common(CommonFormat::Vop1) if line.is(Flag::NoOperands) => 1,
            Gfx11Format::Common(common) => common.length(facts, line, words),
            Gfx11Format::Dual => {
                dual_lines(isa, words[0]).map_or(2, |lines| DualFields::of(words).length(lines))
            }
            Gfx11Format::LdsDirect => 1,
            // Addresses in separate registers need a third word.
            Gfx11Format::Image if bit(words[0], 0) => 3,
            Gfx11Format::Mubuf | Gfx11Format::Mtbuf if bits(words[1], 31, 24) == LITERAL => 3,
            _ => 2,
        }
    }

    fn action(
        self,
        facts: &EncodingFacts,
        isa: Isa,
        line: &OpcodeEntry,
        words: Words,
    ) -> Option<Action> {
        let refused = |why: &str| Some(Action::Refused(format!("{}{why}", line.name)));
        match (self, &line.entry) {
            (_, Semantics::Refused) => refused(" is not emulated"),
            (_, Semantics::Nothing | Semantics::Wait | Semantics::End | Semantics::Barrier)
                if !self.has_zeros(line, words) =>
            {
                None
            }
            (_, Semantics::Nothing) if line.is(Flag::Delay) => {
                delay(words[0]).map(|_| Action::Nothing)
            }
            (_, Semantics::Nothing) => Some(Action::Nothing),
            (_, Semantics::Wait) => Some(Action::Wait(wait(line, facts, words[0])?)),
            (Gfx11Format::Common(common), _) => common.action(facts, line, words),
            (Gfx11Format::Dual, _) => {
                DualFields::of(words).action(facts, dual_lines(isa, words[0])?)
            }
            (Gfx11Format::Smem, Semantics::ScalarLoad { .. })
                if bits(words[0], 5, 0) << 1 == memory::NULL =>
            {
                refused(" without an address is not emulated")
            }
            // Scalar loads cannot write M0 or EXEC.
            (Gfx11Format::Smem, Semantics::ScalarLoad { .. })
                if (125..=127).contains(&bits(words[0], 12, 6)) =>
            {
                None
            }
            (Gfx11Format::Smem, _) => memory::scalar_memory(words).action(facts, line),
            (Gfx11Format::Ds, _) => memory::lds(words).action(line),
            // The offset field has 13 bits, and the hardware ignores one of them.
            (Gfx11Format::Flat, _) if bits(words[0], 17, 16) == 0 && bit(words[0], 12) => {
                refused(" with an offset of 13 bits is not emulated")
            }
            (Gfx11Format::Flat, _) => memory::flat(words)?.action(facts, line),
            (Gfx11Format::Mubuf, _) if bits(words[1], 31, 24) == DIRECT => None,
            (Gfx11Format::Mubuf, _) if bit(words[1], 21) => refused(" with tfe is not emulated"),
            (Gfx11Format::Mubuf, _) if bits(words[1], 20, 16) << 2 == memory::NULL => {
                refused(" without a resource is not emulated")
            }
            (Gfx11Format::Mubuf, _) if bits(words[1], 31, 24) == LITERAL => {
                refused(" with a literal offset is not emulated")
            }
            (Gfx11Format::Mubuf, _) => memory::buffer(words).action(facts, line),
            _ => None,
        }
    }

    /// Returns true if the fields of an instruction without operands are zero.
    fn has_zeros(self, line: &OpcodeEntry, words: Words) -> bool {
        let (word, second) = (words[0], words[1]);
        match self {
            Gfx11Format::Ds => bits(word, 15, 0) == 0 && !bit(word, 17) && second == 0,
            Gfx11Format::Smem => bits(word, 14, 13) == 0,
            Gfx11Format::Mubuf => bits(word, 14, 13) == 0 && bits(second, 23, 21) == 0,
            Gfx11Format::Common(CommonFormat::Vop1) => bits(word, 24, 17) == 0,
            Gfx11Format::Common(CommonFormat::Vop3) => {
                word & 0x87ff == 0 && bits(second, 31, 27) == 0
            }
            Gfx11Format::Common(CommonFormat::Sopp) => {
                !line.is(Flag::ZeroImmediate) || bits(word, 15, 0) == 0
            }
            _ => true,
        }
    }
}

/// Returns the entries of both halves of a dual instruction.
pub(super) fn dual_lines(isa: Isa, word: u32) -> Option<[&'static OpcodeEntry; 2]> {
    // The field of the first half has 4 bits.
    Some([
        opcodes::dual(isa, bits(word, 25, 22))?,
        opcodes::dual(isa, bits(word, 21, 17))?,
    ])
}

/// Returns the format and the table entry of an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<(Gfx11Format, &'static OpcodeEntry)> {
    let format = Gfx11Format::of(word)?;
    Some((format, format.line(isa, word)?))
}

/// Decodes an instruction: see [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: Words) -> Option<DecodedInstruction> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words[0])?;
    let length = format.length(facts, isa, line, words);
    Some(DecodedInstruction::new(
        length,
        line,
        format.action(facts, isa, line, words),
    ))
}

/// Returns the counters of `s_waitcnt`: vector memory, exports, LDS with scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    (bits(word, 15, 10), bits(word, 2, 0), bits(word, 9, 4))
}

fn wait(line: &OpcodeEntry, facts: &EncodingFacts, word: u32) -> Option<Wait> {
    const NONE: Wait = Wait {
        load: Wait::ANY,
        store: Wait::ANY,
        lds: Wait::ANY,
        scalar: Wait::ANY,
    };
    // The largest value of a counter means no wait.
    let remaining = |value: u32| if value >= 63 { Wait::ANY } else { value as u8 };
    let (vector, _, other) = wait_fields(word);
    // If SOPK's form names a register other than null, its number is unknown, so the wait covers
    // everything.
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
        // `s_wait_idle` waits for all counters.
        _ => Wait {
            load: 0,
            store: 0,
            lds: 0,
            scalar: 0,
        },
    })
}
