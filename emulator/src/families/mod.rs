//! The families of instruction sets: how words become [`Instruction`]s, and how these are written.
//!
//! A family is a folder with the same files as its sisters: `tables` (a line for each instruction), `decode` (which
//! format a word has, and the family's own formats) and `text` (the assembly that only the family writes). What the
//! families share is in `encoding` and `text`. What instructions do is not a family's matter.

mod encoding;
mod gfx11;
mod gfx9;
mod tables;
mod text;

use std::fmt;

use crate::instruction::{Action, Instruction};
use crate::isa::{Family, Isa};

/// Decodes the instruction at `address` from its first word and the two after it. Never fails: what is not known
/// becomes a refused instruction.
pub(crate) fn decode(isa: Isa, address: u64, words: [u32; 3]) -> Instruction {
    match isa.family() {
        Family::Gfx9 => gfx9::decode(isa, address, words),
        Family::Gfx11 => gfx11::decode(isa, address, words),
        Family::Gfx10 | Family::Gfx12 => unknown(isa, address, words),
    }
}

/// Writes an instruction as LLVM does.
pub(crate) fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match instruction.isa.family() {
        Family::Gfx9 => gfx9::write_text(instruction, f),
        Family::Gfx11 => gfx11::write_text(instruction, f),
        Family::Gfx10 | Family::Gfx12 => {
            write!(f, ".long {:#010x}", instruction.words[0])
        }
    }
}

/// A word that begins no instruction.
fn unknown(isa: Isa, address: u64, words: [u32; 3]) -> Instruction {
    Instruction {
        address,
        isa,
        words: [words[0], 0, 0],
        length: 1,
        name: "",
        action: Action::Refused("unknown instruction".into()),
    }
}
