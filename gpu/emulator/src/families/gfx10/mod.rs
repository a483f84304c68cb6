//! gfx10 as in RDNA 2 (gfx1030).
//!
//! Numbers and encodings: AMD's "RDNA 2 Instruction Set Architecture"; names and syntax: LLVM 22.

mod decode;
mod memory;
mod text;

pub(super) use decode::decode;
pub(super) use text::text;

/// The code of the null register.
const NULL: u32 = 125;
