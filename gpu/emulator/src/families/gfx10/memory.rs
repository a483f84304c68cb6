//! The fields of gfx10's memory formats.

use super::NULL;
use crate::families::encoding::{
    BufferFields, EncodingFacts, FlatFields, LITERAL, LdsFields, ScalarMemoryFields, Segment, bit,
    bits, signed,
};
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::policy;
use crate::instruction::{Action, Words};
use crate::operation::MemoryOperation;
use crate::operation::memory::DestinationHalf;

/// The words of the cache policy.
const POLICY: [&str; 3] = [" glc", " slc", " dlc"];

/// Returns true if an instruction loads one register, which can go to LDS instead.
fn loads_one(line: &OpcodeEntry) -> bool {
    matches!(
        line.entry,
        Semantics::Memory(
            MemoryOperation::Load { registers: 1 }
                | MemoryOperation::LoadPart {
                    into: DestinationHalf::Whole,
                    ..
                }
        )
    )
}

pub(super) fn segment(word: u32) -> Option<Segment> {
    Segment::of(bits(word, 15, 14))
}

pub(super) fn scalar_memory(words: Words) -> ScalarMemoryFields {
    let (word, second) = (words[0], words[1]);
    let (offset, register) = (signed(second, 21), bits(second, 31, 25));
    ScalarMemoryFields {
        to: bits(word, 12, 6),
        base: bits(word, 5, 0) << 1,
        // LLVM prints an offset of 0 as the register, and null only there.
        offset: (offset != 0).then_some(offset),
        offset_register: (offset == 0 || register != NULL).then_some(register),
    }
}

pub(super) fn lds(words: Words) -> LdsFields {
    let (word, second) = (words[0], words[1]);
    LdsFields {
        offset: bits(word, 15, 0),
        global: bit(word, 17),
        accumulation: false,
        address: bits(second, 7, 0),
        data: [bits(second, 15, 8), bits(second, 23, 16)],
        to: bits(second, 31, 24),
    }
}

pub(super) fn flat(line: &OpcodeEntry, words: Words) -> Option<FlatFields> {
    let (word, second) = (words[0], words[1]);
    let (segment, scalar) = (segment(word)?, bits(second, 22, 16));
    // The code for private memory without any address register.
    const NOTHING: u32 = 127;
    let to_lds = bit(word, 13);
    if to_lds && (segment == Segment::Flat || !loads_one(line))
        || segment == Segment::Flat && scalar != NULL
        || bit(second, 23)
    {
        return None;
    }
    let none = scalar == NULL || (segment == Segment::Scratch && scalar == NOTHING);
    Some(FlatFields {
        segment,
        offset: if segment == Segment::Flat {
            bits(word, 11, 0) as i32
        } else {
            signed(word, 12)
        },
        address: bits(second, 7, 0),
        has_address: scalar == NULL,
        data: bits(second, 15, 8),
        scalar: (!none).then_some(scalar),
        to: bits(second, 31, 24),
        accumulation: false,
        to_lds,
        returns: bit(word, 16),
        policy: policy(POLICY, [bit(word, 16), bit(word, 17), bit(word, 12)]),
    })
}

pub(super) fn flat_action(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = flat(line, words)?;
    // LLVM accepts EXEC as an address without a vector register.
    if fields.to_lds && fields.segment == Segment::Global && fields.scalar == Some(126) {
        let reason = format!("{} with an address in EXEC", line.name);
        return Some(Action::Refused(reason));
    }
    fields.action(facts, line)
}

pub(super) fn buffer_action(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let fields = buffer(words);
    let atomic = matches!(
        line.entry,
        Semantics::Memory(MemoryOperation::Atomic { .. })
    );
    if fields.to_lds && !loads_one(line) || atomic && bit(words[0], 15) {
        return None;
    }
    // The scalar offset cannot be the value in LDS.
    if fields.scalar == 254 {
        return None;
    }
    if bit(words[1], 23) || fields.scalar == LITERAL {
        let reason = format!("{} with tfe or a literal is not emulated", line.name);
        return Some(Action::Refused(reason));
    }
    fields.action(facts, line)
}

pub(super) fn buffer(words: Words) -> BufferFields {
    let (word, second) = (words[0], words[1]);
    let policy = policy(POLICY, [bit(word, 14), bit(second, 22), bit(word, 15)]);
    BufferFields::of_two_words(words, policy)
}
