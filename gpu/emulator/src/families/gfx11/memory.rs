//! The fields of gfx11's memory formats.

use crate::families::encoding::{
    BufferFields, FlatFields, LdsFields, ScalarMemoryFields, Segment, bit, bits, signed,
};
use crate::families::text::policy;
use crate::instruction::Words;

/// The words of the cache policy.
const POLICY: [&str; 3] = [" glc", " slc", " dlc"];
/// The code of the null register.
pub(super) const NULL: u32 = 124;

pub(super) fn scalar_memory(words: Words) -> ScalarMemoryFields {
    let (word, second) = (words[0], words[1]);
    let (offset, register) = (signed(second, 21), bits(second, 31, 25));
    let null = register == NULL;
    ScalarMemoryFields {
        to: bits(word, 12, 6),
        base: bits(word, 5, 0) << 1,
        // LLVM omits an offset of 0, and null beside an offset.
        offset: (offset != 0).then_some(offset),
        offset_register: (offset == 0 || !null).then_some(register),
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

pub(super) fn flat(words: Words) -> Option<FlatFields> {
    let (word, second) = (words[0], words[1]);
    let segment = Segment::of(bits(word, 17, 16))?;
    let scalar = bits(second, 22, 16);
    let right = match segment {
        Segment::Flat => scalar == NULL && !bit(second, 23),
        // EXEC is no valid address, and its upper half no valid offset.
        Segment::Global => scalar != 126 && !bit(second, 23),
        Segment::Scratch => scalar != 127,
    };
    if !right {
        return None;
    }
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
        scalar: (scalar != NULL).then_some(scalar),
        to: bits(second, 31, 24),
        accumulation: false,
        to_lds: false,
        returns: bit(word, 14),
        policy: policy(POLICY, [bit(word, 14), bit(word, 15), bit(word, 13)]),
    })
}

pub(super) fn buffer(words: Words) -> BufferFields {
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
        to_lds: false,
        returns: bit(word, 14),
        policy: policy(POLICY, [bit(word, 14), bit(word, 12), bit(word, 13)]),
    }
}
