//! The decoder of gfx9: its own formats, and the format of a word.

use super::memory;
use crate::families::DecodedInstruction;
use crate::families::encoding::{
    CommonFormat, EncodingFacts, LITERAL, LanePatterns, MatrixFacts, Segment, bits, scale,
};
use crate::families::flags::Flag;
use crate::families::opcodes;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::{Action, Wait, Words};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::matrix::MatrixLayout;

/// The facts that CDNA 2 and later share.
const CDNA: EncodingFacts = EncodingFacts {
    lanes: 64,
    general: 102,
    m0: 124,
    null: Some(125),
    phantom_null: true,
    specials: &[235, 236, 237, 238, 251, 252, 253],
    unavailable: &[230, 231, 239, 254],
    sdwa: true,
    dpp8: false,
    lane_patterns: LanePatterns::Wave { row_lane: true },
    lanes_of_pairs: true,
    long_literal: false,
    long_dpp: false,
    true16: false,
    byte_selections: false,
    aligned_vectors: true,
    cmpx_sets_exec_only: false,
    short_only: opcodes::short_only(EncodingFamily::Gfx9),
    short_in_long: &[(0, 0x1bf)],
    matrix: MatrixFacts::of(MatrixLayout::Blocks),
    hardware_registers: HARDWARE_REGISTERS,
};

/// The hardware registers; only gfx942 and gfx950 have the last five.
const HARDWARE_REGISTERS_942: &[(u32, &str)] = &[
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

const HARDWARE_REGISTERS: &[(u32, &str)] = HARDWARE_REGISTERS_942.split_at(12).0;

/// Returns the encoding facts of `isa`.
pub(super) fn facts(isa: Isa) -> &'static EncodingFacts {
    static GFX906: EncodingFacts = EncodingFacts {
        lane_patterns: LanePatterns::Wave { row_lane: false },
        aligned_vectors: false,
        lanes_of_pairs: false,
        ..CDNA
    };
    // LLVM's disassembler reads literals there, which the manual and LLVM's assembler do not know.
    static GFX950: EncodingFacts = EncodingFacts {
        long_literal: true,
        hardware_registers: HARDWARE_REGISTERS_942,
        ..CDNA
    };
    static GFX942: EncodingFacts = EncodingFacts {
        matrix: MatrixFacts {
            // The 8-bit floats of CDNA 3 are FNUZ, and those of CDNA 4 are OCP's.
            unsigned_zero: true,
            ..CDNA.matrix
        },
        hardware_registers: HARDWARE_REGISTERS_942,
        ..CDNA
    };
    static GFX90A: EncodingFacts = EncodingFacts {
        matrix: MatrixFacts {
            // Source: ROCm's documentation of MI200, "Numerical accuracy".
            flushes: true,
            negates_doubles: false,
            ..CDNA.matrix
        },
        ..CDNA
    };
    match isa {
        Isa::Gfx906 => &GFX906,
        Isa::Gfx950 => &GFX950,
        Isa::Gfx90a => &GFX90A,
        _ => &GFX942,
    }
}

/// The encoding format of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gfx9Format {
    Common(CommonFormat),
    Smem,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    /// Images.
    Mimg,
    /// Interpolation.
    Vintrp,
    /// Exports.
    Export,
}

impl Gfx9Format {
    /// Returns the encoding of a word.
    pub(super) fn of(word: u32) -> Option<Gfx9Format> {
        if word >> 23 == 0b1_1010_0111 {
            return Some(Gfx9Format::Common(CommonFormat::Vop3p));
        }
        Some(match word >> 26 {
            0b110000 => Gfx9Format::Smem,
            0b110100 => Gfx9Format::Common(CommonFormat::Vop3),
            0b110110 => Gfx9Format::Ds,
            0b110111 => Gfx9Format::Flat,
            0b111000 => Gfx9Format::Mubuf,
            0b111010 => Gfx9Format::Mtbuf,
            0b111100 => Gfx9Format::Mimg,
            0b110101 => Gfx9Format::Vintrp,
            0b110001 => Gfx9Format::Export,
            _ => Gfx9Format::Common(CommonFormat::of(word)?),
        })
    }

    /// Returns the table entry of an instruction.
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static OpcodeEntry> {
        match self {
            Gfx9Format::Common(common) => opcodes::common(isa, common, common.number(word)),
            Gfx9Format::Smem => opcodes::smem(isa, bits(word, 25, 18)),
            Gfx9Format::Ds => opcodes::ds(isa, bits(word, 24, 17)),
            Gfx9Format::Flat => {
                opcodes::flat(isa, Segment::of(bits(word, 15, 14))?, bits(word, 24, 18))
            }
            Gfx9Format::Mubuf => opcodes::mubuf(isa, bits(word, 24, 18)),
            Gfx9Format::Mtbuf => opcodes::mtbuf(isa, bits(word, 18, 15)),
            Gfx9Format::Mimg => opcodes::mimg(isa, bits(word, 24, 18)),
            Gfx9Format::Vintrp => opcodes::interpolation(isa, bits(word, 17, 16)),
            Gfx9Format::Export => opcodes::export(isa, 0),
        }
    }

    fn length(self, facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> u8 {
        match self {
            // Only the used source fields announce a literal, even in a refused instruction.
            Gfx9Format::Common(CommonFormat::Vop3 | CommonFormat::Vop3p)
                if facts.long_literal
                    && matches!(line.entry, Semantics::Refused | Semantics::MatrixScale) =>
            {
                let codes = [
                    bits(words[1], 8, 0),
                    bits(words[1], 17, 9),
                    bits(words[1], 26, 18),
                ];
                2 + u8::from(codes[..refused_sources(line)].contains(&LITERAL))
            }
            Gfx9Format::Common(common) => common.length(facts, line, words),
            Gfx9Format::Vintrp => 1,
            Gfx9Format::Mubuf | Gfx9Format::Mtbuf
                if bits(words[1], 31, 24) == LITERAL
                    && !matches!(line.entry, Semantics::Nothing) =>
            {
                3
            }
            _ => 2,
        }
    }

    /// Returns the action of an instruction; None for invalid words.
    pub(super) fn action(self, isa: Isa, line: &OpcodeEntry, words: Words) -> Option<Action> {
        let facts = facts(isa);
        match (self, &line.entry) {
            (_, Semantics::Wait) => Some(Action::Wait(wait(words[0]))),
            (Gfx9Format::Common(common @ (CommonFormat::Vop3 | CommonFormat::Vop3p)), _)
                if common.length(facts, line, words) > 2 =>
            {
                let reason = format!("{} with a literal in the long encoding", line.name);
                Some(Action::Refused(reason))
            }
            (_, Semantics::MatrixScale) => scale(facts, line, words),
            (Gfx9Format::Common(common), _) => {
                let action = common.action(facts, line, words);
                // Valid for LLVM but not for the hardware, so the reason names the case.
                if action.is_none() && isa == Isa::Gfx906 && moves_pairs(common, line, words[0]) {
                    let reason = format!("{} of pairs of another lane", line.name);
                    return Some(Action::Refused(reason));
                }
                action
            }
            // These bits select the global data share and accumulation registers.
            (Gfx9Format::Ds, Semantics::Nothing)
                if bits(words[0], 16, 16) | bits(words[0], 25, 25) != 0 =>
            {
                None
            }
            (Gfx9Format::Ds, Semantics::Nothing) => memory::lds(isa, words)?.nothing(),
            (Gfx9Format::Mubuf, Semantics::Nothing) => memory::cache_operation(isa, line, words),
            (Gfx9Format::Smem, Semantics::Nothing) => {
                memory::scalar_cache_operation(facts, line, words)
            }
            (_, Semantics::Refused) => {
                Some(Action::Refused(format!("{} is not emulated", line.name)))
            }
            (_, Semantics::Nothing) => Some(Action::Nothing),
            (Gfx9Format::Smem, _) => memory::scalar_action(facts, line, words),
            (Gfx9Format::Ds, _) => memory::lds_action(isa, facts, line, words),
            (Gfx9Format::Flat, _) => memory::flat_action(isa, facts, line, words),
            (Gfx9Format::Mubuf, _) => memory::buffer_action(isa, facts, line, words),
            _ => None,
        }
    }
}

/// Returns true for a short instruction on register pairs with a DPP word. For gfx906, only
/// LLVM's disassembler accepts it.
fn moves_pairs(format: CommonFormat, line: &OpcodeEntry, word: u32) -> bool {
    let wide = line.vector().is_some_and(|(operation, ..)| {
        let mut kinds = operation.from.iter().chain([&operation.to]);
        kinds.any(|kind| kind.registers() > 1)
    });
    matches!(format, CommonFormat::Vop1 | CommonFormat::Vop2)
        && wide
        && bits(word, 8, 0) == EncodingFacts::DPP16
}

/// Returns the number of sources of a long instruction that is known by name only.
fn refused_sources(line: &OpcodeEntry) -> usize {
    match line {
        _ if line.is(Flag::OneSource) => 1,
        _ if line.is(Flag::TwoSourcesOfGfx9) => 2,
        _ if line.is(Flag::ThreeSourcesOfGfx9) => 3,
        _ => 2,
    }
}

/// Returns the format and the table entry of an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<(Gfx9Format, &'static OpcodeEntry)> {
    let format = Gfx9Format::of(word)?;
    Some((format, format.line(isa, word)?))
}

/// Decodes an instruction: see [`crate::families::decode`].
pub(in crate::families) fn decode(
    isa: Isa,
    _lanes: u8,
    words: Words,
) -> Option<DecodedInstruction> {
    let facts = facts(isa);
    let (format, line) = find(isa, words[0])?;
    let length = format.length(facts, line, words);
    Some(DecodedInstruction::new(
        length,
        line,
        format.action(isa, line, words),
    ))
}

/// Returns the counters of `s_waitcnt`: vector memory, exports, LDS with scalar memory.
pub(super) fn wait_fields(word: u32) -> (u32, u32, u32) {
    let vector = bits(word, 3, 0) | (bits(word, 15, 14) << 4);
    (vector, bits(word, 6, 4), bits(word, 11, 8))
}

fn wait(word: u32) -> Wait {
    // The largest value of a counter means no wait.
    let remaining = |value: u32, most: u32| {
        if value == most {
            Wait::ANY
        } else {
            value as u8
        }
    };
    let (vector, _, other) = wait_fields(word);
    let (vector, other) = (remaining(vector, 63), remaining(other, 15));
    // On gfx9 one counter covers loads and stores, and another LDS and scalar memory.
    Wait {
        load: vector,
        store: vector,
        lds: other,
        scalar: other,
    }
}
