//! The errors of profiles.

use codegen::iree::IreeError;
use codegen::tools::{MissingRuntime, MissingTool};

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
    /// Inputs were given for a module with several functions.
    #[error("inputs are for one function; name it with --function: {}", known.join(", "))]
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
    /// The journal of the emulated device has a line of another form.
    #[error("the journal of the emulated device is not understood: {line}")]
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
