//! Why there is no kernel.

use configgen::Rejection;

use crate::link::LinkError;
use crate::llvm::LlvmError;
use crate::tools::MissingTool;

/// Why the native generator makes no kernel of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// The configuration is not legal.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// libLLVM or the linker is not there.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// The configuration is legal, but the stages have no way to lower it: a defect of ours.
    #[error("{symbol}: the configuration is legal, but cannot be lowered")]
    NotLowered {
        /// The kernel.
        symbol: String,
    },
    /// LLVM fails on our IR: a defect of ours or of LLVM.
    #[error("{symbol}: {source}")]
    Llvm {
        /// The kernel.
        symbol: String,
        /// What LLVM says.
        source: LlvmError,
    },
    /// The linker fails on the object.
    #[error("{symbol}: {source}")]
    Link {
        /// The kernel.
        symbol: String,
        /// What the linker says.
        source: LinkError,
    },
}
