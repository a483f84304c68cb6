//! Exports for IREE: the contents of a tuning spec, and native kernels that replace operations.
//!
//! ```text
//! answers ──iree_spec──▶ tuning spec             problems ──IreeExport::add──▶ files
//! a model's operations ──find_problems──▶ problems          IreeExport::end ─▶ manifest, spec
//! ```
//!
//! [`tuning_spec`] gives all answers of a target in the form of `iree-compile`. An [`IreeExport`]
//! has the files of a [`kernel_export::Export`], and a transform spec by which iree-compile
//! replaces operations with the kernels (`docs/iree-kernels.md`).
//!
//! `replacement/` reads the problems of a model from iree-compile's own output, with the patterns
//! of the matchers. Operations of linalg match by the *form* in which a model has them. An open
//! count (`?`) stays open in the form, and the kernel is launched as often as a count needs. One
//! kernel or several may replace a chain of operations; `fusion_decision.rs` compares their times.
//!
//! # Invariants
//!
//! - A spec has a range of shapes only if its configuration is legal for all of them and may be
//!   served for each sample.
//! - Several kernels replace an operation only if times of one toolchain and device show that
//!   they are faster.
//! - Inside IREE, a kernel replaces operations that differ from its problem in nothing but the
//!   rounding of single results.

mod fusion_decision;
mod iree_export;
mod replacement;
pub mod tuning_spec;

pub use fusion_decision::{FusionDecision, weigh};
pub use iree_export::IreeExport;
pub use replacement::{
    ModuleArgCompareError, ModuleProblem, OperationPlace, find_problems, read_module,
};
