//! The `native` generator: our own kernels, generated in stages and compiled by LLVM in this process.
//!
//! ```text
//! problem + configuration ─▶ gridwise ─▶ blockwise ─▶ lanewise ─▶ final ─▶ ops ─▶ LLVM IR ─▶ object ─▶ code object
//! ```
//!
//! The folders stand in this order: `combiner/` says what is reduced; `stages/` distribute it, each holding the one
//! before and adding a decision; `lower/` builds of the last one the operations of `ir/`, with which everything is
//! decided; `print/` writes them for compilers. `isa/` has the facts of the targets. Each stage can be printed
//! ([`explain`]); start reading at `stages/gridwise.rs`.
//!
//! The result of a kernel is that of the fold from the initial pair over the elements in index order, whatever the
//! configuration: a slot sees its elements in index order, so it keeps of equals the first, or the last where the
//! comparator holds of equals; wherever slots, lanes, subgroups or workgroups meet, the lower index (or the higher)
//! wins among equals. With several reduced dimensions the steps are loops in loops and the batches of a step come after
//! all of them, so the order holds as long as a dimension has one batch where a later one takes several steps (rule
//! N12). What a slot sees a second time, at the end of a dimension that no whole number of steps covers, may be out of
//! order; but whatever it then does not keep, another slot has seen in order before: the one to which the element
//! belongs before anything is moved back.
//!
//! A slot that no element won holds the value that it began with, and no position. If none did in a whole row, the result
//! is the initial pair.

mod combiner;
mod error;
mod generator;
mod header_comment;
mod ir;
mod isa;
pub mod layout;
mod lower;
mod print;
mod source_map;
mod specimens;
mod stage;
mod stages;
#[cfg(test)]
mod sum;

pub use error::CodegenError;
pub use generator::{BATCH, Native};
pub use source_map::{MarkedStage, marked_stages};
pub use specimens::{generator_version, specimens};
pub use stage::{NativeStage, explain, lane_map};
