//! gfx9 with the CDNA 3 instructions (gfx942).
//!
//! Numbers and encodings: AMD's "Instinct MI300 Instruction Set Architecture"; names and syntax:
//! LLVM 22.

mod decode;
mod memory;
mod text;

pub(super) use decode::decode;
pub(super) use text::text;
