//! Kernels for programs that launch them themselves: code objects of native kernels, HIP C++ of the same, and a manifest that
//! says how they are launched and where they are from.
//!
//! ```text
//! problems ──choose──▶ choices ──Export::add──▶ files of a kernel     Export::end ─▶ manifest
//! problems ──choose──▶ choices ──IreeExport::add──▶ files of a kernel  IreeExport::end ─▶ manifest, spec
//! ```
//!
//! [`tuned`] lists the problems where nobody names them, [`choose`] says which configuration each gets, and an [`Export`] builds
//! the kernels, with the tools that a [`Toolchain`] finds. An [`IreeExport`] has the same files, and a transform spec by which
//! iree-compile puts the kernels in place of operations. This crate knows nothing of where the files go: `cli` writes them
//! into a folder, `server` into a tar, and both give the same bytes.

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
pub use iree::{ModuleArgCompareError, ModuleProblem, find_problems};
pub use iree_export::IreeExport;
pub use toolchain::Toolchain;
