//! The fields of gfx12's memory formats: two words for scalar memory and LDS, three for all
//! others.

use crate::families::encoding::{
    BufferFields, FlatFields, LdsFields, ScalarMemoryFields, Segment, bit, bits, signed,
};
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::Words;
use crate::operation::MemoryOperation;

/// The code for no scalar register.
const NONE: u32 = 124;

pub(super) fn scalar(words: Words) -> ScalarMemoryFields {
    let (word, second) = (words[0], words[1]);
    ScalarMemoryFields {
        to: bits(word, 12, 6),
        base: bits(word, 5, 0) << 1,
        offset: Some(signed(second, 24)),
        offset_register: Some(bits(second, 31, 25)).filter(|&code| code != NONE),
    }
}

/// Returns the cache policy of a scalar load; its hint has two bits.
pub(super) fn scalar_policy(word: u32) -> String {
    policy("LOAD", bits(word, 24, 23), bits(word, 22, 21))
}

pub(super) fn lds(words: Words) -> LdsFields {
    let (word, second) = (words[0], words[1]);
    LdsFields {
        offset: bits(word, 15, 0),
        global: false,
        accumulation: false,
        address: bits(second, 7, 0),
        data: [bits(second, 15, 8), bits(second, 23, 16)],
        to: bits(second, 31, 24),
    }
}

/// Extracts the fields of VFLAT, VSCRATCH and VGLOBAL; None for an invalid address.
pub(super) fn flat(line: &OpcodeEntry, words: Words) -> Option<FlatFields> {
    let [word, second, third] = words;
    let segment = Segment::of(bits(word, 25, 24))?;
    let scalar = Some(bits(word, 6, 0)).filter(|&code| code != NONE);
    let has_address = bit(second, 17);
    // EXEC and its upper half are no valid addresses or offsets.
    let exists = match segment {
        Segment::Flat => scalar.is_none() && !has_address,
        Segment::Scratch => scalar != Some(127),
        Segment::Global => !has_address && !matches!(scalar, Some(126 | 127)),
    };
    exists.then(|| FlatFields {
        segment,
        offset: signed(third >> 8, 24),
        address: bits(third, 7, 0),
        has_address,
        data: bits(second, 30, 23),
        scalar,
        to: bits(second, 7, 0),
        accumulation: false,
        to_lds: false,
        returns: bit(second, 20),
        policy: vector_policy(line, second),
    })
}

/// Extracts the fields of VBUFFER; None for a negative offset.
pub(super) fn buffer(line: &OpcodeEntry, words: Words) -> Option<BufferFields> {
    let [word, second, third] = words;
    (!bit(third, 31)).then(|| BufferFields {
        offset: bits(third, 31, 8),
        index: bit(second, 31),
        has_offset: bit(second, 30),
        address: bits(third, 7, 0),
        data: bits(second, 7, 0),
        resource: bits(second, 17, 9),
        scalar: bits(word, 6, 0),
        accumulation: false,
        to_lds: false,
        returns: bit(second, 20),
        policy: vector_policy(line, second),
    })
}

/// Returns the cache policy of a vector access from its second word.
pub(super) fn vector_policy(line: &OpcodeEntry, second: u32) -> String {
    let kind = match line.entry {
        Semantics::Memory(MemoryOperation::Atomic { .. }) => "ATOMIC",
        Semantics::Memory(MemoryOperation::Store { .. } | MemoryOperation::StorePart { .. }) => {
            "STORE"
        }
        _ => "LOAD",
    };
    policy(kind, bits(second, 22, 20), bits(second, 19, 18))
}

/// Returns the policy, such as ` th:TH_LOAD_NT scope:SCOPE_SYS`. LLVM omits the default hint and
/// scope.
fn policy(kind: &str, hint: u32, scope: u32) -> String {
    const SCOPES: [&str; 4] = ["", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"];
    let hint = match (kind, hint) {
        (_, 0) => String::new(),
        ("ATOMIC", 1) => " th:TH_ATOMIC_RETURN".into(),
        ("ATOMIC", 2) => " th:TH_ATOMIC_NT".into(),
        ("ATOMIC", 3) => " th:TH_ATOMIC_NT_RETURN".into(),
        ("ATOMIC", 4 | 5) if scope >= 2 => " th:TH_ATOMIC_CASCADE_RT".into(),
        ("ATOMIC", 6 | 7) if scope >= 2 => " th:TH_ATOMIC_CASCADE_NT".into(),
        ("ATOMIC", hint) => format!(" th:TH_ATOMIC_{hint:#x}"),
        (_, 1) => format!(" th:TH_{kind}_NT"),
        (_, 2) => format!(" th:TH_{kind}_HT"),
        (_, 3) if scope == 3 => format!(" th:TH_{kind}_BYPASS"),
        ("LOAD", 3) => " th:TH_LOAD_LU".into(),
        (_, 3) => " th:TH_STORE_WB".into(),
        (_, 4) => format!(" th:TH_{kind}_NT_RT"),
        (_, 5) => format!(" th:TH_{kind}_RT_NT"),
        (_, 6) => format!(" th:TH_{kind}_NT_HT"),
        ("STORE", _) => " th:TH_STORE_NT_WB".into(),
        (_, hint) => format!(" th:{hint:#x}"),
    };
    match scope {
        0 => hint,
        scope => format!("{hint} scope:{}", SCOPES[scope as usize & 3]),
    }
}
