//! The decoder of gfx12: its own formats, and the format of a word.

use super::memory;
use crate::families::DecodedInstruction;
use crate::families::encoding::{
    CommonFormat, DualFields, EncodingFacts, LanePatterns, MatrixFacts, Segment, bit, bits,
};
use crate::families::flags::Flag;
use crate::families::opcodes;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::delay;
use crate::instruction::{Action, Wait, Words};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::MemoryOperation;
use crate::operation::matrix::MatrixLayout;

const WAVE32: EncodingFacts = EncodingFacts {
    lanes: 32,
    general: 106,
    m0: 125,
    null: Some(124),
    specials: &[235, 236, 237, 238, 253],
    // The base of private memory, pixel ordering, VCCZ and EXECZ (gone from the manual), and
    // direct loads.
    unavailable: &[230, 231, 239, 251, 252, 254],
    phantom_null: false,
    sdwa: false,
    dpp8: true,
    lane_patterns: LanePatterns::Row,
    lanes_of_pairs: false,
    long_literal: true,
    long_dpp: true,
    true16: true,
    byte_selections: true,
    aligned_vectors: false,
    cmpx_sets_exec_only: true,
    short_only: opcodes::short_only(EncodingFamily::Gfx12),
    short_in_long: &[(0, 0x1ff)],
    // RDNA 4 divides k over the lanes, and does not repeat A and B as RDNA 3 does.
    matrix: MatrixFacts::of(MatrixLayout::Parts),
    hardware_registers: HARDWARE_REGISTERS,
};

const HARDWARE_REGISTERS: &[(u32, &str)] = &[
    (1, "HW_REG_WAVE_MODE"),
    (2, "HW_REG_WAVE_STATUS"),
    (4, "HW_REG_WAVE_STATE_PRIV"),
    (5, "HW_REG_WAVE_GPR_ALLOC"),
    (6, "HW_REG_WAVE_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (10, "HW_REG_PERF_SNAPSHOT_DATA"),
    (11, "HW_REG_PERF_SNAPSHOT_PC_LO"),
    (12, "HW_REG_PERF_SNAPSHOT_PC_HI"),
    (15, "HW_REG_PERF_SNAPSHOT_DATA1"),
    (16, "HW_REG_PERF_SNAPSHOT_DATA2"),
    (17, "HW_REG_WAVE_EXCP_FLAG_PRIV"),
    (18, "HW_REG_WAVE_EXCP_FLAG_USER"),
    (19, "HW_REG_WAVE_TRAP_CTRL"),
    (20, "HW_REG_WAVE_SCRATCH_BASE_LO"),
    (21, "HW_REG_WAVE_SCRATCH_BASE_HI"),
    (23, "HW_REG_WAVE_HW_ID1"),
    (24, "HW_REG_WAVE_HW_ID2"),
    (26, "HW_REG_WAVE_SCHED_MODE"),
    (29, "HW_REG_SHADER_CYCLES_LO"),
    (30, "HW_REG_SHADER_CYCLES_HI"),
    (31, "HW_REG_WAVE_DVGPR_ALLOC_LO"),
    (32, "HW_REG_WAVE_DVGPR_ALLOC_HI"),
];

/// Returns the encoding facts for waves of `lanes` lanes.
pub(super) fn facts(lanes: u8) -> &'static EncodingFacts {
    static FACTS: [EncodingFacts; 2] = EncodingFacts::of_both_sizes(WAVE32);
    &FACTS[usize::from(lanes == 64)]
}

/// The encoding format of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gfx12Format {
    Common(CommonFormat),
    Smem,
    Dual,
    Ds,
    Flat,
    Buffer,
    Image,
    Sample,
    Interpolation,
    DirectLoad,
    Export,
}

impl Gfx12Format {
    /// Returns the encoding of a word.
    pub(super) fn of(word: u32) -> Option<Gfx12Format> {
        Some(match (word >> 26, bits(word, 25, 24)) {
            (0b111101, _) => Gfx12Format::Smem,
            (0b110101, _) => Gfx12Format::Common(CommonFormat::Vop3),
            (0b110011, 0) if !bit(word, 23) => Gfx12Format::Common(CommonFormat::Vop3p),
            (0b110011, 1) => Gfx12Format::Interpolation,
            (0b110011, 2) => Gfx12Format::DirectLoad,
            (0b110010, _) => Gfx12Format::Dual,
            (0b110110, _) => Gfx12Format::Ds,
            (0b111011, _) => Gfx12Format::Flat,
            (0b110001, _) => Gfx12Format::Buffer,
            (0b110100, _) => Gfx12Format::Image,
            (0b111001, _) => Gfx12Format::Sample,
            (0b111110, _) => Gfx12Format::Export,
            _ => Gfx12Format::Common(CommonFormat::of(word)?),
        })
    }

    /// Returns the table entry of an instruction; for a dual one, of its first half.
    pub(super) fn line(self, isa: Isa, word: u32) -> Option<&'static OpcodeEntry> {
        match self {
            Gfx12Format::Common(common) => opcodes::common(isa, common, common.number(word)),
            Gfx12Format::Smem => opcodes::smem(isa, bits(word, 18, 13)),
            Gfx12Format::Dual => dual_lines(isa, word).map(|[first, _]| first),
            Gfx12Format::Ds => opcodes::ds(isa, bits(word, 25, 18)),
            Gfx12Format::Flat => {
                opcodes::flat(isa, Segment::of(bits(word, 25, 24))?, bits(word, 21, 14))
            }
            Gfx12Format::Buffer => opcodes::vbuffer(isa, bits(word, 21, 14)),
            Gfx12Format::Image => opcodes::vimage(isa, bits(word, 21, 14)),
            Gfx12Format::Sample => opcodes::vsample(isa, bits(word, 21, 14)),
            Gfx12Format::Interpolation => opcodes::interpolation(isa, bits(word, 20, 16)),
            Gfx12Format::DirectLoad => opcodes::direct_load(isa, bits(word, 21, 20)),
            Gfx12Format::Export => opcodes::export(isa, 0),
        }
    }

    fn length(self, facts: &EncodingFacts, isa: Isa, line: &OpcodeEntry, words: Words) -> u8 {
        match self {
            Gfx12Format::Common(CommonFormat::Vop3) if matches!(line.entry, Semantics::Nothing) => {
                2
            }
            Gfx12Format::Common(common) => common.length(facts, line, words),
            Gfx12Format::Dual => {
                dual_lines(isa, words[0]).map_or(2, |lines| DualFields::of(words).length(lines))
            }
            Gfx12Format::Smem
            | Gfx12Format::Ds
            | Gfx12Format::Interpolation
            | Gfx12Format::Export => 2,
            Gfx12Format::DirectLoad => 1,
            Gfx12Format::Flat | Gfx12Format::Buffer | Gfx12Format::Image | Gfx12Format::Sample => 3,
        }
    }

    fn action(
        self,
        facts: &EncodingFacts,
        isa: Isa,
        line: &OpcodeEntry,
        words: Words,
    ) -> Option<Action> {
        let refused = |what: &str| Some(Action::Refused(format!("{}{what}", line.name)));
        match (self, &line.entry) {
            (_, Semantics::Refused) => refused(" is not emulated"),
            // The source fields have no meaning.
            (Gfx12Format::Common(CommonFormat::Vop3), Semantics::Nothing) => {
                let empty = words[0] & 0x87ff == 0 && words[1] >> 27 == 0;
                empty.then_some(Action::Nothing)
            }
            (Gfx12Format::Common(common), _) => {
                program(facts, line, words).unwrap_or_else(|| common.action(facts, line, words))
            }
            (Gfx12Format::Smem, Semantics::Nothing) if line.is(Flag::InvalidatesScalars) => {
                Some(Action::Nothing)
            }
            (Gfx12Format::Smem, Semantics::Nothing) => prefetch(facts, line, words),
            (Gfx12Format::Smem, _) => scalar_memory(facts, line, words),
            (Gfx12Format::Dual, _) => {
                DualFields::of(words).action(facts, dual_lines(isa, words[0])?)
            }
            (Gfx12Format::Ds, _) if bit(words[0], 17) => None,
            (Gfx12Format::Ds, _) => memory::lds(words).action(line),
            (Gfx12Format::Flat, Semantics::Nothing) => {
                let addressed = bits(words[0], 6, 0) != 124 || bit(words[1], 17);
                (!addressed).then(|| usual(line, words, Action::Nothing))
            }
            (Gfx12Format::Flat, _) => {
                let action = memory::flat(line, words)?.action(facts, line)?;
                Some(usual(line, words, action))
            }
            (Gfx12Format::Buffer, _) => buffer(facts, line, words),
            _ => None,
        }
    }
}

/// Returns the entries of both halves of a dual instruction.
pub(super) fn dual_lines(isa: Isa, word: u32) -> Option<[&'static OpcodeEntry; 2]> {
    // The field of the first half has 4 bits, so numbers from 0x10 on do not fit.
    Some([
        opcodes::dual(isa, bits(word, 25, 22))?,
        opcodes::dual(isa, bits(word, 21, 17))?,
    ])
}

/// Returns the action, refused for bits that LLVM knows and this hardware lacks: non-volatile
/// accesses and scaled offsets.
fn usual(line: &OpcodeEntry, words: Words, action: Action) -> Action {
    if bit(words[0], 7) || bit(words[1], 16) {
        Action::Refused(format!(
            "{} non-volatile or with a scaled offset",
            line.name
        ))
    } else {
        action
    }
}

fn buffer(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<Action> {
    let mut fields = memory::buffer(line, words)?;
    let atomic = matches!(
        line.entry,
        Semantics::Memory(MemoryOperation::Atomic { .. })
    );
    let status = bit(words[0], 22);
    if status && atomic {
        return None;
    }
    // A null resource decodes, but the emulator has no memory behind it.
    let absent = Some(fields.resource) == facts.null;
    if absent {
        fields.resource = 0;
    }
    let action = fields.action(facts, line)?;
    Some(match (status, absent) {
        (true, _) => Action::Refused(format!("{} with tfe is not emulated", line.name)),
        (_, true) => Action::Refused(format!("{} without a resource", line.name)),
        _ => usual(line, words, action),
    })
}

fn is_buffer(line: &OpcodeEntry) -> bool {
    matches!(
        line.entry,
        Semantics::ScalarLoad { buffer: true, .. } | Semantics::ScalarLoadPart { buffer: true, .. }
    )
}

fn scalar_memory(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<Action> {
    let mut fields = memory::scalar(words);
    if is_buffer(line) && fields.offset.is_some_and(|offset| offset < 0) {
        return None;
    }
    // Scalar loads cannot write M0 or EXEC.
    if fields.to > 124 {
        return None;
    }
    // The trap handler's registers cannot form a range of three.
    if matches!(line.entry, Semantics::ScalarLoad { registers: 3, .. })
        && (108..124).contains(&fields.to)
    {
        return None;
    }
    if Some(fields.base) == facts.null {
        fields.base = 0;
        fields.action(facts, line)?;
        return Some(Action::Refused(format!("{} without an address", line.name)));
    }
    let action = fields.action(facts, line)?;
    Some(if bit(words[1], 24) || bit(words[0], 20) {
        Action::Refused(format!(
            "{} non-volatile or with a scaled offset",
            line.name
        ))
    } else {
        action
    })
}

/// Returns the action of a prefetch. It has no effect on values, but its operands must be valid.
fn prefetch(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<Action> {
    let fields = memory::scalar(words);
    let count = if line.is(Flag::ScalarBuffer) { 4 } else { 2 };
    let base = line.is(Flag::OfProgram) || facts.register(fields.base, count).is_some();
    let offset = count == 2 || fields.offset.is_some_and(|offset| offset >= 0);
    (base && offset && fields.to < 32).then_some(Action::Nothing)
}

/// Returns the action of waits, barriers and schedule hints; None if the shared decoder handles
/// the instruction.
fn program(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> Option<Option<Action>> {
    /// The workgroup's barrier, as an inline constant and as an immediate.
    const WORKGROUP: (u32, u32) = (193, 0xffff);
    let (source, immediate) = (bits(words[0], 7, 0), bits(words[0], 15, 0));
    let to = bits(words[0], 22, 16);
    let named = || {
        let reason = format!("{} of a barrier other than the workgroup's", line.name);
        Action::Refused(reason)
    };
    Some(match &line.entry {
        Semantics::Wait if !(line.is(Flag::ZeroImmediate) && immediate != 0) => {
            Some(Action::Wait(wait(line, immediate)))
        }
        Semantics::Signal { .. } | Semantics::BarrierState if source != WORKGROUP.0 => {
            Some(named())
        }
        Semantics::Barrier if immediate != WORKGROUP.1 => Some(named()),
        Semantics::Signal { first } => Some(Action::Signal { first: *first }),
        Semantics::BarrierState => facts.register(to, 1).map(|to| Action::BarrierState { to }),
        Semantics::Nothing if line.is(Flag::Delay) => delay(immediate).map(|_| Action::Nothing),
        _ => return None,
    })
}

/// Returns the counters of a wait. Samples, ray tracing and exports are not emulated, so none is
/// outstanding.
fn wait(line: &OpcodeEntry, immediate: u32) -> Wait {
    if line.is(Flag::WaitsForAll) {
        return Wait {
            load: 0,
            store: 0,
            lds: 0,
            scalar: 0,
        };
    }
    let low = (immediate & 63) as u8;
    let high = ((immediate >> 8) & 63) as u8;
    let lds = line.is(Flag::WaitsForLds);
    // If a wait has two counters, LDS has the low field.
    let memory = if lds { high } else { low };
    let of = |waits: bool, count: u8| if waits { count } else { Wait::ANY };
    Wait {
        load: of(line.is(Flag::WaitsForLoads), memory),
        store: of(line.is(Flag::WaitsForStores), memory),
        lds: of(lds, low),
        scalar: of(line.is(Flag::WaitsForScalars), low & 31),
    }
}

/// Returns the format and the table entry of an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<(Gfx12Format, &'static OpcodeEntry)> {
    let format = Gfx12Format::of(word)?;
    Some((format, format.line(isa, word)?))
}

/// Decodes an instruction: see [`crate::families::decode`].
pub(in crate::families) fn decode(isa: Isa, lanes: u8, words: Words) -> Option<DecodedInstruction> {
    let facts = facts(lanes);
    let (format, line) = find(isa, words[0])?;
    let length = format.length(facts, isa, line, words);
    let action = format.action(facts, isa, line, words);
    Some(DecodedInstruction::new(length, line, action))
}
