//! gfx11: RDNA 3 (gfx1100) and RDNA 3.5 (gfx1151), which has a scalar float unit.
//!
//! Numbers and encodings: AMD's "RDNA 3" and "RDNA 3.5 Instruction Set Architecture"; names and
//! syntax: LLVM 22.

mod decode;
mod memory;
mod text;

pub(super) use decode::decode;
pub(super) use text::text;
