//! The families of instruction sets: how words become [`Instruction`]s, and how these are written.
//!
//! A family is a folder with the same files as its sisters: `tables` (a line for each instruction), `decode` (which
//! format a word has, and the family's own formats) and `text` (the assembly that only the family writes). What the
//! families share is in `encoding` and `text`. What instructions do is not a family's matter.

mod encoding;
mod flags;
mod gfx10;
mod gfx11;
mod gfx12;
mod gfx9;
mod tables;
mod text;

use std::fmt;

use tables::OpcodeEntry;

use crate::instruction::{Action, Instruction, Words};
use crate::isa::{EncodingFamily, Isa};

/// Decodes the instruction at `address` from its first word and the two after it, for waves of `lanes` lanes. Never
/// fails: what is not known becomes a refused instruction.
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
    // The words after the instruction's end are not its own.
    let length = usize::from(decoded.length);
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
    /// Decodes the instruction whose first words are `words` (those after its end are not looked at).
    /// For the waves that compilers make where nothing else is asked for: of 64 lanes on gfx9, of 32 later.
    /// Never fails: what is not known is refused when it is executed.
    pub fn decode(isa: Isa, address: u64, words: Words) -> Instruction {
        decode(isa, isa.default_wave_size(), address, words)
    }

    /// As [`Instruction::decode`], for waves of `lanes` lanes, 32 or 64: it decides which registers hold a bit for
    /// each lane. gfx9 has waves of 64 lanes only.
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

/// Writes an instruction as LLVM does.
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
    // What is refused by its name may have fields that say nothing.
    f.write_str(text.as_deref().unwrap_or(instruction.name))
}

/// What a family finds in words that begin an instruction.
struct DecodedInstruction {
    length: u8,
    name: &'static str,
    action: Action,
}

impl DecodedInstruction {
    /// An instruction of a known name; without an action where its operands are none.
    fn new(length: u8, line: &'static OpcodeEntry, action: Option<Action>) -> DecodedInstruction {
        let name = line.name;
        DecodedInstruction {
            length,
            name,
            action: action.unwrap_or_else(|| Action::Refused(format!("{name} {NOT_VALID}"))),
        }
    }
}

/// The end of the reason to refuse a known instruction whose operands are none.
const NOT_VALID: &str = "with operands that are not valid";
