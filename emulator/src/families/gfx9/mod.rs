//! gfx9 with the CDNA 3 instructions (gfx942).
//!
//! Numbers and encodings: AMD's "Instinct MI300 Instruction Set Architecture"; names and syntax: LLVM 22.

mod decode;
mod operands;
mod tables;
mod text;
mod text_long;
mod text_memory;
mod text_scalar;

pub(super) use decode::decode;
pub(super) use text::write_text;
