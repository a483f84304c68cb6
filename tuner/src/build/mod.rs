//! Builders: the study's view of generators, which turns candidates into kernels.
//!
//! A builder represents a whole generator. Its [`Generator`] defines the configurations. The
//! builder makes kernels of them and reports the versions of its tools. [`builder`] returns the
//! builder of each generator that wavetune has; a study takes any.

mod iree;
mod native;
mod toolchain;

use std::sync::Arc;
use std::time::Duration;

use codegen::llvm::LlvmProcess;
use codegen::tools::MissingTool;
use codegen::{CompiledKernel, Compiler};
use configgen::{Configuration, Generator, Pipeline, Problem, Target};
use serde::{Deserialize, Serialize};
use store::{FailureKind, Role};

pub use toolchain::Toolchain;

/// The choice of a kernel to build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The generator's own choice without any configuration.
    Default(Pipeline),
    /// A configuration that a strategy chose.
    Configured(Configuration),
}

impl Choice {
    /// Returns the configuration, if the choice is one.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Self::Default(default) => default.configuration(),
            Self::Configured(configuration) => Some(configuration),
        }
    }

    /// Returns the role of the choice's trial.
    pub fn role(&self) -> Role {
        match self {
            Self::Default(_) => Role::Default,
            Self::Configured(_) => Role::Candidate,
        }
    }
}

/// The reason why a kernel is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// The compiler failed on this choice, which is the result of its trial.
    Failed(FailureKind, String),
    /// The machine failed: a full disk, or no process available. This says nothing about the
    /// choice.
    Environment(String),
}

/// A builder of kernels, which several threads share.
pub trait Builder: Send + Sync {
    /// Returns the generator of the kernels.
    fn generator(&self) -> Generator;

    /// Returns the compiler.
    fn compiler(&self) -> Compiler;

    /// Returns the version of the generator, which writes the compiler's input.
    fn generator_version(&self) -> String;

    /// Returns the seconds after which a compilation counts as hung, rounded up. 0 means no
    /// limit. A kernel that exceeds one limit may compile within another.
    fn limit_s(&self) -> u32 {
        0
    }

    /// Returns the best number of choices for one build.
    fn batch(&self) -> usize;

    /// Builds a kernel for each choice, or returns the reason for its absence.
    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>>;

    /// Returns true if a kernel from another machine has launch parameters that this choice could
    /// produce here, so that the launch alone is harmless. A verdict checks its code. A builder
    /// that cannot decide accepts none.
    fn is_launch_of(
        &self,
        _problem: &Problem,
        _target: &Target,
        _choice: &Choice,
        _kernel: &CompiledKernel,
    ) -> bool {
        false
    }
}

/// A function that makes a generator's builder, or names the missing tool. `limit` is the time
/// per kernel for a compiler that may hang. LLVM runs in a `process` of this kind, and all
/// compilers in its sandbox if there is one.
type Load = fn(limit: Duration, process: LlvmProcess) -> Result<Arc<dyn Builder>, MissingTool>;

/// The builders of all generators.
const BUILDERS: [(Generator, Load); Generator::ALL.len()] = [
    (Generator::NATIVE, native::load),
    (Generator::IREE, iree::load),
];

/// The reason why a generator has no builder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBuilder {
    /// A required tool is missing.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// The generator is not in [`Generator::ALL`].
    #[error("this process cannot build {0} kernels")]
    Unknown(Generator),
}

/// Returns the builder of a generator. A compiler that may hang has the time `limit` per kernel.
/// LLVM runs in a `process` of this kind, and all compilers in its sandbox if there is one.
///
/// # Errors
///
/// [`NoBuilder`], with the tool to install.
pub fn builder(
    generator: Generator,
    limit: Duration,
    process: LlvmProcess,
) -> Result<Arc<dyn Builder>, NoBuilder> {
    let found = BUILDERS.iter().find(|(builds, _)| *builds == generator);
    let (_, load) = found.ok_or(NoBuilder::Unknown(generator))?;
    Ok(load(limit, process)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generator_has_a_builder() {
        assert_eq!(BUILDERS.map(|(generator, _)| generator), Generator::ALL);
    }
}
