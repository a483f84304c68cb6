//! Code generation: a configuration becomes a kernel, by the `native` generator.
//!
//! This crate knows problems and configurations. It knows no device, no input, no result and no
//! time.
//!
//! [`native::Native`] generates LLVM IR in stages and compiles it with a libLLVM, in this process
//! or in one for each batch. The crate `iree` asks iree-compile. Both return [`CompiledKernel`]s.
//! [`tools`] finds their compilers, and [`child_process`] runs them.
//!
//! # Native kernels
//!
//! ```text
//! combiner ─▶ stages ─▶ lower ─▶ ir ─▶ print      isa: instruction tables for stages and lower
//! ```
//!
//! - `stages/`: gridwise, blockwise, lanewise and final. Each stage is a value with a printer, and
//!   a golden file for each stage shows a change to its reviewer.
//! - `layout/`: the *map* of lanes to elements, step by step, and the exchanges between lanes.
//!   `wavetune explain` prints it.
//! - `combiner/`: a state, the entry of an element, and the merge of two states, for each
//!   reduction. Distribution and cross-lane steps are written once for all of them.
//!   `combiner/region/` builds a comparator operation by operation.
//! - `lower/`: builds the typed IR and takes the last decisions. It lowers each fold of a row
//!   operation as a reduction of its own and broadcasts the result to the lanes of the row. Rows
//!   that fit one step stay in registers between folds.
//! - `ir/`: operations with types and address spaces, and the verifier.
//! - `print/`: two texts of each operation. LLVM IR is for libLLVM. HIP C++, with the same
//!   launch, arguments and results, is for people.
//!
//! The *knobs* of a configuration decide the rest: workgroups per row (`split`), the search for the
//! index, and running pairs per lane. If a comparator is no order, two states do not merge: one
//! lane takes each row, in order (rule N1).
//!
//! `llvm` compiles a batch of kernels as one module. `link` makes a code object with lld, and
//! `codegen/object-cache/` keeps it under the hash of its inputs. Each kernel has a *tiling*: the
//! rows that each workgroup stores.
//!
//! # Invariants
//!
//! - A kernel loads the elements of the map of `layout/`, and nothing else.
//! - In a debug build, a verifier checks every kernel's IR: types, definitions before uses,
//!   barriers that all threads reach.
//! - A load at the end of a row may take an element twice. If a repetition counts, as in a sum, the
//!   neutral value replaces it.
//! - A kernel loads nothing outside the tensor of a view; the view's padding value replaces the
//!   element.
//! - A crash of LLVM in a process of its own costs one kernel.
//! - `cargo build` needs no LLVM, no ROCm and no IREE.
//! - A legal configuration builds; an illegal one is refused before a compiler sees it.
//! - A compiled comparator returns exactly the bits of the evaluator, on every target. If LLVM
//!   miscompiles the obvious IR, the printer emits another form, with a comment that gives the
//!   reason.
//! - Workgroups wait for each other only if every part of the target holds all of them at once.
//! - A compiler reads text that our own types print. No text of a user gets there as text.
//! - A printer's text of an operation depends on that operation alone: `print/` knows no stage.

pub mod child_process;
mod kernel;
pub mod link;
pub mod llvm;
pub mod native;
mod tiling;
pub mod tools;

pub use codegen_object_cache as cache;

pub use kernel::{CompiledKernel, Compiler, Kernarg, Merge, Slot, Workspace};
pub use tiling::Tiling;
