//! The errors of the native generator.

use configgen::Rejection;

use crate::link::LinkError;
use crate::llvm::LlvmError;
use crate::tools::MissingTool;

/// The reason that the native generator makes no kernel of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// The configuration is not legal.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// libLLVM or the linker is missing.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// The stages cannot lower a legal configuration: a defect of ours.
    #[error("{symbol}: the configuration is legal, but cannot be lowered")]
    NotLowered {
        /// The kernel.
        symbol: String,
    },
    /// LLVM failed on our IR: a defect of ours or of LLVM.
    #[error("{symbol}: {source}")]
    Llvm {
        /// The kernel.
        symbol: String,
        /// LLVM's error.
        source: LlvmError,
    },
    /// The linker failed on the object.
    #[error("{symbol}: {source}")]
    Link {
        /// The kernel.
        symbol: String,
        /// The linker's error.
        source: LinkError,
    },
}
