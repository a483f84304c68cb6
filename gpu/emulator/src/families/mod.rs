//! The families of instruction sets: decoding of words into [`Instruction`]s, and their assembly
//! text.
//!
//! `opcodes` has the numbers of every instruction, a row for all families. All families are folders
//! with the same files. `decode` finds the format of a word, and has the family's own formats.
//! `text` has the family's own assembly syntax. The shared parts are in `encoding` and in the
//! common `text`. The operations of instructions do not belong to a family.

mod encoding;
mod flags;
mod gfx10;
mod gfx11;
mod gfx12;
mod gfx9;
mod opcodes;
mod tables;
mod text;

use std::fmt;

use flags::Flag;
use tables::OpcodeEntry;

use crate::instruction::{Action, Instruction, Words};
use crate::isa::{EncodingFamily, Isa};

/// Decodes the instruction at `address` from its first word and the two after it, for waves of
/// `lanes` lanes. Never fails: an unknown instruction becomes a refused one.
pub(crate) fn decode(isa: Isa, lanes: u8, address: u64, words: Words) -> Instruction {
    let decoded = match isa.family() {
        EncodingFamily::Gfx9 => gfx9::decode(isa, lanes, words),
        EncodingFamily::Gfx10 => gfx10::decode(isa, lanes, words),
        EncodingFamily::Gfx11 => gfx11::decode(isa, lanes, words),
        EncodingFamily::Gfx12 => gfx12::decode(isa, lanes, words),
    };
    let decoded = decoded.unwrap_or_else(|| DecodedInstruction {
        length: 1,
        name: "",
        action: Action::Refused("unknown instruction".into()),
    });
    // The words after the instruction's end belong to the next one.
    let length = usize::from(decoded.length);
    // Equal instructions then have equal words, whatever follows them.
    let own = |index: usize| if index < length { words[index] } else { 0 };
    Instruction {
        address,
        isa,
        lanes,
        words: std::array::from_fn(own),
        length: decoded.length,
        name: decoded.name,
        action: decoded.action,
    }
}

impl Instruction {
    /// Returns true for a dot product.
    pub(crate) fn is_dot(&self) -> bool {
        Flag::Dot.is_of(self.name)
    }

    /// Returns true for the last step of a quotient, with its scale in VCC.
    pub(crate) fn is_last_of_quotient(&self) -> bool {
        Flag::LastOfQuotient.is_of(self.name)
    }

    /// Decodes the instruction that starts at the first of `words`; later words are ignored.
    /// Assumes the default wave size: 64 lanes on gfx9, 32 on later families. Never fails: an
    /// unknown instruction is refused at execution.
    pub fn decode(isa: Isa, address: u64, words: Words) -> Instruction {
        decode(isa, isa.default_wave_size(), address, words)
    }

    /// Decodes an instruction for waves of `lanes` lanes, 32 or 64. The number determines the
    /// registers of lane masks. gfx9 has only waves of 64 lanes.
    pub fn decode_for_wave(isa: Isa, lanes: u8, address: u64, words: Words) -> Instruction {
        decode(isa, lanes, address, words)
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_text(self, f)
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {self}", self.address)
    }
}

/// Writes an instruction in LLVM's syntax.
fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (isa, lanes, words) = (instruction.isa, instruction.lanes, instruction.words);
    match &instruction.action {
        Action::Refused(_) if instruction.name.is_empty() => {
            return write!(f, ".long {:#010x}", words[0]);
        }
        Action::Refused(reason) if reason.ends_with(NOT_VALID) => {
            return write!(f, "{} (operands not valid)", instruction.name);
        }
        _ => {}
    }
    let text = match isa.family() {
        EncodingFamily::Gfx9 => gfx9::text(isa, lanes, words),
        EncodingFamily::Gfx10 => gfx10::text(isa, lanes, words),
        EncodingFamily::Gfx11 => gfx11::text(isa, lanes, words),
        EncodingFamily::Gfx12 => gfx12::text(isa, lanes, words),
    };
    // The fields of an instruction that is refused by name may be invalid.
    f.write_str(text.as_deref().unwrap_or(instruction.name))
}

/// The decoder's result for valid leading words.
struct DecodedInstruction {
    length: u8,
    name: &'static str,
    action: Action,
}

impl DecodedInstruction {
    /// Creates the result for a known name; without an action, the operands are invalid.
    fn new(length: u8, line: &'static OpcodeEntry, action: Option<Action>) -> DecodedInstruction {
        let name = line.name;
        DecodedInstruction {
            length,
            name,
            action: action.unwrap_or_else(|| Action::Refused(format!("{name} {NOT_VALID}"))),
        }
    }
}

/// The end of the reason to refuse a known instruction with invalid operands.
const NOT_VALID: &str = "with operands that are not valid";
