//! Kernels for programs that launch them: code objects of native kernels, the same as HIP C++,
//! and a manifest.
//!
//! ```text
//! problems ──choose──▶ choices ──Export::add──▶ files    Export::end ─▶ manifest
//! ```
//!
//! [`tuned`] lists the problems if the caller names none, and [`choose`] gives each its
//! configuration. An [`Export`] builds the kernels with the tools of a [`Toolchain`]. The
//! manifest has the launch and the origin of each. `iree/export/` places the same kernels inside
//! IREE.
//!
//! # Invariants
//!
//! - An export knows no folder, no tar and no interface: the command line and HTTP give the same
//!   files.
//! - The manifest is sufficient to launch a kernel.

mod choice;
mod error;
mod export;
mod grid;
mod manifest;
mod toolchain;

pub use choice::{Choice, ExportRefusal, ExportRequest, Selection, choose, tuned};
pub use error::ExportError;
pub use export::{Export, ExportFile, ExportedKernel};
pub use grid::CountedGrid;
pub use toolchain::Toolchain;
