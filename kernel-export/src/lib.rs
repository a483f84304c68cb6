//! Kernels for programs that launch them: code objects of native kernels, the same as HIP C++,
//! and a manifest.
//!
//! ```text
//! problems ──choose──▶ choices ──Export::add──▶ files    Export::end ─▶ manifest
//! problems ──choose──▶ choices ──IreeExport::add──▶ files  IreeExport::end ─▶ manifest, spec
//! ```
//!
//! [`tuned`] lists the problems if the caller names none, and [`choose`] gives each its
//! configuration. An [`Export`] builds the kernels with the tools of a [`Toolchain`]. The
//! manifest has the launch and the origin of each. An [`IreeExport`] has the same files, and a
//! transform spec by which iree-compile replaces operations with the kernels
//! (`docs/iree-kernels.md`).
//!
//! `iree/` reads the problems of a model from iree-compile's own output, with the patterns of the
//! matchers. Operations of linalg match by the *form* in which a model has them. An open count
//! (`?`) stays open in the form, and the kernel is launched as often as a count needs. One kernel
//! or several may replace a chain of operations; `fusion_decision.rs` compares their times.
//!
//! # Invariants
//!
//! - An export knows no folder, no tar and no interface: the command line and HTTP give the same
//!   files.
//! - The manifest is sufficient to launch a kernel.
//! - Several kernels replace an operation only if times of one toolchain and device show that
//!   they are faster.
//! - Inside IREE, a kernel replaces operations that differ from its problem in nothing but the
//!   rounding of single results.

mod choice;
mod error;
mod export;
mod fusion_decision;
mod grid;
mod iree;
mod iree_export;
mod manifest;
mod toolchain;

pub use choice::{Choice, ExportRefusal, ExportRequest, Selection, choose, tuned};
pub use error::ExportError;
pub use export::{Export, ExportFile};
pub use fusion_decision::{FusionDecision, weigh};
pub use iree::{ModuleArgCompareError, ModuleProblem, OperationPlace, find_problems};
pub use iree_export::IreeExport;
pub use toolchain::Toolchain;
