//! Why a kernel is not exported.

use codegen::native::CodegenError;
use codegen::tools::MissingTool;
use emulator::LoadError;

/// Why a kernel is not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// libLLVM or the linker is not there.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// It does not compile.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// Its code object does not load: a defect of ours or of the compiler, as are those below.
    #[error("{file}: {source}")]
    Load {
        /// The code object.
        file: String,
        /// What is wrong with it.
        source: LoadError,
    },
    /// It is not in its code object.
    #[error("{file} has no kernel {symbol}")]
    Symbol {
        /// The code object.
        file: String,
        /// The kernel.
        symbol: String,
    },
    /// Its code object says that it takes other arguments.
    #[error("{file}: {found} arguments, not {expected}")]
    Arguments {
        /// The code object.
        file: String,
        /// How many it says.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// Its code object says that an argument has another size.
    #[error("{file}: argument {number} has {found} bytes, not {expected}")]
    Size {
        /// The code object.
        file: String,
        /// The argument, counted from 0.
        number: usize,
        /// The size that it says.
        found: u32,
        /// The size that there is.
        expected: usize,
    },
}
