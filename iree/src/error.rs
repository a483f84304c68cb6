//! The errors of `iree-compile`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The reason that `iree-compile` made no kernel.
#[derive(Debug, thiserror::Error)]
pub enum IreeError {
    /// The problem is another operation.
    #[error("{name} is neither an arg_compare nor a plain reduction")]
    NoOperation {
        /// The name of the problem's operation.
        name: String,
    },
    /// IREE's operation reduces exactly one dimension.
    #[error("IREE's arg_compare reduces one dimension; this problem reduces {count}")]
    SeveralReductions {
        /// The number of reduced dimensions of the problem.
        count: usize,
    },
    /// The fold has no known start value.
    #[error("this comparator has no known worst value to start at")]
    NoWorst,
    /// The problem has an option that no module supports.
    #[error("no module is printed for a problem with {option}")]
    Option {
        /// The option, as problems name it.
        option: &'static str,
    },
    /// The compiler could not be started, or its files could not be written or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The program or the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The compiler reached the time limit and was stopped.
    #[error("iree-compile was stopped at its time limit of {} s", limit.as_secs_f64())]
    TimedOut {
        /// The time limit.
        limit: Duration,
    },
    /// A signal ended the compiler: an assertion, a fault, or lack of memory.
    #[error("iree-compile crashed with signal {signal}: {message}")]
    Crashed {
        /// The number of the signal (6: abort, 8: arithmetic, 9: killed, 11: segmentation fault).
        signal: i32,
        /// The compiler's first error message.
        message: String,
    },
    /// The compiler ended with an error message.
    #[error("iree-compile: {message}")]
    Rejected {
        /// The first error; for a user's module with its line and column.
        message: String,
    },
    /// The ONNX importer made no module.
    #[error("iree-import-onnx: {message}")]
    NotImported {
        /// The importer's last message, or the way in which it ended.
        message: String,
    },
    /// A program of IREE's runtime failed.
    #[error("{message}")]
    Runtime {
        /// The program, the way in which it ended, and its first message.
        message: String,
    },
    /// The compiler succeeded, but its output has no launch that we can repeat.
    #[error("the output of iree-compile is not understood: {0}")]
    Unreadable(String),
}

impl IreeError {
    /// Returns an error of the file system, or of starting a program.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
