//! The errors of profiles.

use codegen::tools::{MissingRuntime, MissingTool};
use iree::IreeError;

/// The reason that a module has no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// iree-compile or a program of IREE's runtime failed.
    #[error(transparent)]
    Iree(#[from] IreeError),
    /// iree-compile is missing.
    #[error(transparent)]
    Compiler(#[from] MissingTool),
    /// A part of IREE's runtime is missing.
    #[error(transparent)]
    Runtime(#[from] MissingRuntime),
    /// iree-compile does not compile the module.
    #[error("{message}")]
    NotCompiled {
        /// The compiler's message.
        message: String,
    },
    /// The module has no function that can be called.
    #[error("the module has no function whose parameters are known")]
    NoFunction,
    /// The module has no function of this name.
    #[error("the module has no function {name}; it has {}", known.join(", "))]
    UnknownFunction {
        /// The requested name.
        name: String,
        /// The functions of the module.
        known: Vec<String>,
    },
    /// The request has inputs, and the module has several functions.
    #[error("--input is for one function, and the module has several; name one with --function: {}", known.join(", "))]
    InputsOfSeveral {
        /// The functions of the module.
        known: Vec<String>,
    },
    /// No input can be made for a parameter.
    #[error(
        "function {function}: no input can be made for a parameter of type {parameter}; give all inputs with --input"
    )]
    Parameter {
        /// The function.
        function: String,
        /// The parameter's type.
        parameter: String,
    },
    /// The trace of a GPU is not that of the call.
    #[error("rocprofv3 traced another call of {function}: {reason}")]
    Trace {
        /// The function.
        function: String,
        /// The first difference.
        reason: String,
    },
    /// The caller ended the judgement.
    #[error("the comparison was interrupted")]
    Interrupted,
    /// The journal of the emulated device has a line of another form.
    #[error("a line in the journal of the emulated device has an unknown form: {line}")]
    Journal {
        /// The line.
        line: String,
    },
}

impl ProfileError {
    /// Returns true if iree-compile refused the module, crashed, or took too long.
    pub(crate) fn is_of_compilation(&self) -> bool {
        matches!(
            self,
            ProfileError::NotCompiled { .. }
                | ProfileError::Iree(
                    IreeError::Rejected { .. }
                        | IreeError::Crashed { .. }
                        | IreeError::TimedOut { .. }
                )
        )
    }
}
