//! gfx12: RDNA 4 (gfx1201).
//!
//! Numbers and encodings: AMD's "RDNA4 Instruction Set Architecture"; names and syntax: LLVM 22.

mod decode;
mod memory;
mod text;

pub(super) use decode::decode;
pub(super) use text::text;
