//! The memory formats of gfx9: their fields, and the fields that each instruction set has.

use crate::families::encoding::{
    BufferFields, EncodingFacts, FlatFields, LITERAL, LdsFields, ScalarMemoryFields, Segment,
    atomic_registers, bit, bits, lds_registers, signed,
};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text;
use crate::instruction::{Action, Words};
use crate::isa::Isa;
use crate::operation::MemoryOperation;
use crate::operation::memory::DestinationHalf;

/// M0 and EXEC: scalar loads cannot write them, and global addresses cannot be relative to them.
const M0: u32 = 124;
const EXEC: u32 = 126;
/// The first value in LDS, a source of the vector unit.
const LDS_DIRECT: u32 = 254;

/// Returns true for codes that LLVM's disassembler accepts although only later families have
/// them: null, the base of private memory and the exiting wave's number.
fn is_foreign(code: u32) -> bool {
    matches!(code, 125 | 230 | 231 | 239)
}

fn refuse(line: &OpcodeEntry, what: &str) -> Option<Action> {
    Some(Action::Refused(format!("{} with {what}", line.name)))
}

const FOREIGN: &str = "an operand that gfx9 does not have";

pub(super) fn scalar(words: Words) -> ScalarMemoryFields {
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

/// Returns the action of a scalar load.
pub(super) fn scalar_action(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = scalar(words);
    if fields.to == M0 || fields.to >= EXEC {
        return None;
    }
    if matches!(line.entry, Semantics::Time) && bit(words[0], 17) {
        return None;
    }
    if is_foreign(fields.to) || fields.offset_register.is_some_and(is_foreign) {
        return refuse(line, FOREIGN);
    }
    fields.action(facts, line)
}

/// Returns the action of `s_dcache_*`. Operations on the whole cache have no address.
pub(super) fn scalar_cache_operation(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    if line.is(Flag::DiscardsScalars) {
        let fields = scalar(words);
        facts.base(fields.base, 2)?;
        if fields.offset_register.is_some_and(is_foreign) {
            return refuse(line, FOREIGN);
        }
    } else if bit(words[0], 17) {
        return None;
    }
    Some(Action::Nothing)
}

/// Extracts the fields of an LDS instruction. gfx906 has no accumulation registers; the others
/// ignore the bit of the global data share.
pub(super) fn lds(isa: Isa, words: Words) -> Option<LdsFields> {
    let (word, second) = (words[0], words[1]);
    if isa == Isa::Gfx906 && bit(word, 25) {
        return None;
    }
    Some(LdsFields {
        offset: bits(word, 15, 0),
        global: isa == Isa::Gfx906 && bit(word, 16),
        accumulation: bit(word, 25),
        address: bits(second, 7, 0),
        data: [bits(second, 15, 8), bits(second, 23, 16)],
        to: bits(second, 31, 24),
    })
}

/// Returns the action of an LDS instruction.
pub(super) fn lds_action(
    isa: Isa,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = lds(isa, words)?;
    let action = fields.action(line)?;
    let Semantics::Lds(operation) = line.entry else {
        return None;
    };
    let (first, second, result) = lds_registers(operation);
    let runs = [
        (fields.data[0], first),
        (fields.data[1], second),
        (fields.to, result),
    ];
    let aligned = |&(register, count): &(u32, u32)| facts.has_vectors(register, count).is_some();
    if !runs.iter().all(aligned) {
        // LLVM's disassembler does not check the alignment there.
        if fields.accumulation && (second > 0 || (result > 0 && first > 0)) {
            return refuse(line, "accumulation registers that are not aligned");
        }
        return None;
    }
    if isa != Isa::Gfx906 && bit(words[0], 16) {
        return refuse(
            line,
            "the global data share, which this instruction set lacks",
        );
    }
    Some(action)
}

/// Returns true if loads of this operation can go to LDS.
fn loads_to_lds(isa: Isa, operation: MemoryOperation) -> bool {
    match operation {
        MemoryOperation::Load { registers: 1 } => true,
        MemoryOperation::Load { registers: 3 | 4 } => isa == Isa::Gfx950,
        MemoryOperation::LoadPart { into, .. } => into == DestinationHalf::Whole,
        _ => false,
    }
}

pub(super) fn flat(isa: Isa, line: &OpcodeEntry, words: Words) -> Option<FlatFields> {
    let (word, second) = (words[0], words[1]);
    let segment = Segment::of(bits(word, 15, 14))?;
    let scalar = bits(second, 22, 16);
    if segment == Segment::Flat && scalar != 0 {
        return None;
    }
    let scalar = (segment != Segment::Flat && scalar != 0x7f).then_some(scalar);
    // Before CDNA 3, bit 13 sends a load to LDS. Later it declares that a scratch address has a
    // register.
    let (to_lds, has_address) = match isa {
        Isa::Gfx906 | Isa::Gfx90a => (bit(word, 13), scalar.is_none()),
        _ if segment == Segment::Scratch => (false, bit(word, 13)),
        _ if bit(word, 13) => return None,
        _ => (false, true),
    };
    match line.entry {
        Semantics::Memory(operation) if to_lds => {
            let reserved = segment == Segment::Flat || bit(second, 23);
            if reserved || !loads_to_lds(isa, operation) {
                return None;
            }
        }
        _ => {}
    }
    Some(FlatFields {
        segment,
        offset: if segment == Segment::Flat {
            bits(word, 12, 0) as i32
        } else {
            signed(word, 13)
        },
        address: bits(second, 7, 0),
        has_address,
        data: bits(second, 15, 8),
        scalar,
        to: bits(second, 31, 24),
        accumulation: bit(second, 23),
        to_lds,
        returns: bit(word, 16),
        policy: policy(isa, bit(word, 16), bit(word, 17), bit(word, 25)),
    })
}

/// Returns the action of a FLAT, GLOBAL or SCRATCH instruction.
pub(super) fn flat_action(
    isa: Isa,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = flat(isa, line, words)?;
    let (operation, to_lds) = match line.entry {
        Semantics::Memory(operation) => (operation, fields.to_lds),
        Semantics::LoadLds(operation) => (operation, true),
        _ => return None,
    };
    let returns = is_atomic(operation) && fields.returns;
    if isa == Isa::Gfx906 && fields.accumulation {
        return if returns {
            refuse(line, "accumulation registers, which gfx906 does not have")
        } else {
            None
        };
    }
    let unscoped = isa == Isa::Gfx90a && bit(words[0], 25) && is_float_atomic(line);
    let relative = fields.segment == Segment::Global && fields.scalar.is_some();
    let from_exec = relative && fields.scalar == Some(EXEC);
    let unknown = relative && returns && fields.accumulation && is_float_atomic(line);
    // gfx90a has these two, but LLVM no longer knows them.
    let gone = isa >= Isa::Gfx942
        && fields.segment == Segment::Global
        && returns
        && fields.accumulation
        && !relative
        && matches!(
            line.name,
            "global_atomic_add_f32" | "global_atomic_pk_add_f16"
        );
    if unscoped || gone || (to_lds && fields.accumulation) {
        return None;
    }
    if from_exec {
        return refuse(line, "an address in EXEC");
    }
    if unknown {
        return refuse(line, "accumulation registers and a scalar address");
    }
    if fields.scalar.is_some_and(is_foreign) {
        return refuse(line, FOREIGN);
    }
    let (from, into) = atomic_registers(operation);
    let aligned = facts.has_vectors(fields.to, into).is_some()
        && facts.has_vectors(fields.data, from).is_some();
    if returns && fields.accumulation && !aligned {
        return refuse(line, "accumulation registers that are not aligned");
    }
    if fields.segment == Segment::Flat && fields.offset > 0xfff {
        return refuse(line, "an offset of more than 12 bits");
    }
    fields.action(facts, line)
}

fn is_atomic(operation: MemoryOperation) -> bool {
    matches!(operation, MemoryOperation::Atomic { .. })
}

/// Returns true for float atomics; on gfx90a they have no system scope.
fn is_float_atomic(line: &OpcodeEntry) -> bool {
    line.is(Flag::FloatAtomic)
}

pub(super) fn buffer(isa: Isa, words: Words) -> BufferFields {
    let (word, second) = (words[0], words[1]);
    let policy = policy(isa, bit(word, 14), bit(word, 17), bit(word, 15));
    BufferFields {
        accumulation: bit(second, 23),
        ..BufferFields::of_two_words(words, policy)
    }
}

/// Returns the action of an instruction with a buffer resource.
pub(super) fn buffer_action(
    isa: Isa,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = buffer(isa, words);
    let Semantics::Memory(operation) = line.entry else {
        return None;
    };
    if fields.to_lds && (fields.accumulation || !loads_to_lds(isa, operation)) {
        return None;
    }
    if isa == Isa::Gfx90a && bit(words[0], 15) && is_float_atomic(line) {
        return None;
    }
    if isa == Isa::Gfx906 && fields.accumulation {
        // The bit requests the page status in another register.
        if is_atomic(operation) {
            return None;
        }
        return refuse(line, "tfe, which is not emulated");
    }
    if is_foreign(fields.scalar) {
        return refuse(line, FOREIGN);
    }
    if fields.scalar == LDS_DIRECT {
        return None;
    }
    if fields.scalar == LITERAL {
        return refuse(line, "a literal offset");
    }
    fields.action(facts, line)
}

/// Returns the action of `buffer_wbl2` and similar instructions. Their only fields are the cache
/// policy, if the set has one.
pub(super) fn cache_operation(isa: Isa, line: &OpcodeEntry, words: Words) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let policy = match isa {
        Isa::Gfx90a if line.is(Flag::WritesBack) => 0,
        Isa::Gfx942 | Isa::Gfx950 => 0,
        _ => bits(word, 15, 14),
    };
    let reserved = bits(word, 13, 12) | bits(word, 16, 16) | bits(second, 23, 23) | policy;
    (reserved == 0).then_some(Action::Nothing)
}

/// Returns the cache policy of [`cache_operation`].
pub(super) fn cache_policy(isa: Isa, words: Words) -> String {
    match isa {
        Isa::Gfx906 | Isa::Gfx90a => String::new(),
        _ => policy(isa, bit(words[0], 14), false, bit(words[0], 15)),
    }
}

/// Returns the words of the cache policy, with a space before each.
fn policy(isa: Isa, first: bool, second: bool, third: bool) -> String {
    let names = match isa {
        Isa::Gfx906 => [" glc", " slc", ""],
        Isa::Gfx90a => [" glc", " slc", " scc"],
        _ => [" sc0", " nt", " sc1"],
    };
    text::policy(names, [first, second, third])
}
