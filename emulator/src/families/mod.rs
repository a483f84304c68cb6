//! The families of instruction sets: how words become [`Instruction`]s, and how these are written.
//!
//! A family is a folder with the same files as its sisters: `operands` (numbering of registers and constants),
//! `tables` (a line for each instruction), `decode` (the encodings) and `text` (LLVM's assembly). What instructions
//! do is not a family's matter.

mod gfx9;

use std::fmt;

use crate::instruction::Instruction;
use crate::isa::Isa;

/// Decodes the instruction at `address` from its first word and the one after it. Never fails: what is not known
/// becomes a refused instruction.
pub(crate) fn decode(isa: Isa, address: u64, words: [u32; 2]) -> Instruction {
    match isa {
        Isa::Gfx942 => gfx9::decode(isa, address, words),
    }
}

/// Writes an instruction as LLVM does.
pub(crate) fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match instruction.isa {
        Isa::Gfx942 => gfx9::write_text(instruction, f),
    }
}
