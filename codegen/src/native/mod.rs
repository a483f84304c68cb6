//! The `native` generator: our own kernels, generated in stages and compiled by LLVM in this
//! process.
//!
//! ```text
//! problem + configuration ─▶ gridwise ─▶ blockwise ─▶ lanewise ─▶ final
//!     ─▶ ops ─▶ LLVM IR ─▶ object ─▶ code object
//! ```
//!
//! The folders follow this order. `combiner/` defines each reduction. `stages/` distribute it;
//! each stage holds the one before and adds a decision. `lower/` builds the operations of `ir/`
//! from the last stage, and takes the last decisions. `print/` writes them for compilers. `isa/`
//! has the facts of the targets. [`explain`] prints each stage. Start reading at
//! `stages/gridwise.rs`.
//!
//! # Order of equal elements
//!
//! For every configuration, a kernel returns the result of the fold from the initial pair over
//! the elements in index order. A *slot* sees its elements in index order and keeps the first of
//! equals, or the last if the comparator holds for equals. If slots, lanes, subgroups or
//! workgroups merge, the lower (or higher) index wins among equals.
//!
//! With several reduced dimensions, the steps are nested loops, and the batches of a step come
//! inside all of them. The order therefore holds only if a dimension has one batch whenever a
//! later one takes several steps (rule N12).
//!
//! At the end of a dimension that no whole number of steps covers, a slot may see elements a
//! second time and out of order. That is harmless: the slot that owns such an element without the
//! shift sees it in order.
//!
//! A slot that no element won holds its start value and no position. If no element of a row won,
//! the result is the initial pair.

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
