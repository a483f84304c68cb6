//! The reasons why a kernel is not exported.

use codegen::native::CodegenError;
use codegen::tools::MissingTool;
use emulator::LoadError;

/// The reason why a kernel is not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// libLLVM or the linker is missing.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// The kernel does not compile.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The code object does not load: a defect of ours or of the compiler, like the variants
    /// below.
    #[error("{file}: {source}")]
    Load {
        /// The code object.
        file: String,
        /// The loader's error.
        source: LoadError,
    },
    /// The code object lacks the kernel.
    #[error("{file} has no kernel {symbol}")]
    Symbol {
        /// The code object.
        file: String,
        /// The kernel.
        symbol: String,
    },
    /// The code object states another number of arguments.
    #[error("{file}: {found} arguments, not {expected}")]
    Arguments {
        /// The code object.
        file: String,
        /// The stated number.
        found: usize,
        /// The actual number.
        expected: usize,
    },
    /// The code object states another size of an argument.
    #[error("{file}: argument {number} has {found} bytes, not {expected}")]
    Size {
        /// The code object.
        file: String,
        /// The argument, counted from 0.
        number: usize,
        /// The stated size in bytes.
        found: u32,
        /// The actual size in bytes.
        expected: usize,
    },
}
