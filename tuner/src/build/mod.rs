//! Builders: generators as the study sees them, candidates in and kernels out.
//!
//! A builder brings all of a generator: its [`Generator`] says which configurations there are, and the builder makes
//! kernels of them and says by which versions. [`builder`] knows the builder of each generator that wavetune has; a study
//! takes any.

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

/// What is to be built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// What the generator does when nobody says anything.
    Default(Pipeline),
    /// A configuration that a strategy chose.
    Configured(Configuration),
}

impl Choice {
    /// The configuration, where the choice is one.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            Self::Default(default) => default.configuration(),
            Self::Configured(configuration) => Some(configuration),
        }
    }

    /// What a trial of it is for.
    pub fn role(&self) -> Role {
        match self {
            Self::Default(_) => Role::Default,
            Self::Configured(_) => Role::Candidate,
        }
    }
}

/// Why there is no kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// The compiler failed on this choice: the result of its trial.
    Failed(FailureKind, String),
    /// The machine failed: a full disk, no process to be had. It says nothing of the choice.
    Environment(String),
}

/// Turns choices into kernels. Several threads use one builder.
pub trait Builder: Send + Sync {
    /// Whose kernels these are.
    fn generator(&self) -> Generator;

    /// The compiler behind it.
    fn compiler(&self) -> Compiler;

    /// Version of what the compiler is given.
    fn generator_version(&self) -> String;

    /// Seconds after which a compilation counts as hung, rounded up; 0 where none does. A kernel that takes too long with
    /// one limit need not with another.
    fn limit_s(&self) -> u32 {
        0
    }

    /// How many choices are best built at once.
    fn batch(&self) -> usize;

    /// A kernel, or why there is none, for each choice.
    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>>;

    /// Whether a kernel that was built elsewhere is launched as that of this choice could be if it were built here, so that
    /// the launch alone does no harm. What its code does is for a verdict to say. A builder that cannot tell takes none.
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

/// Makes the builder of a generator, or says what to install for it. A compiler that may hang has so much time for each
/// kernel; all work in a sandbox, where there is one.
type Load =
    fn(limit: Duration, confined: Option<LlvmProcess>) -> Result<Arc<dyn Builder>, MissingTool>;

/// Who builds the kernels of each generator.
const BUILDERS: [(Generator, Load); Generator::ALL.len()] = [
    (Generator::NATIVE, native::load),
    (Generator::IREE, iree::load),
];

/// Why a generator has no builder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBuilder {
    /// What it needs is not there.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// It is none of [`Generator::ALL`].
    #[error("nothing here builds {0} kernels")]
    Unknown(Generator),
}

/// The builder of a generator, which gives a compiler that may hang so much time for each kernel, and has its compilers in a
/// sandbox where it is given one.
///
/// # Errors
///
/// What to install for it.
pub fn builder(
    generator: Generator,
    limit: Duration,
    confined: Option<LlvmProcess>,
) -> Result<Arc<dyn Builder>, NoBuilder> {
    let found = BUILDERS.iter().find(|(builds, _)| *builds == generator);
    let (_, load) = found.ok_or(NoBuilder::Unknown(generator))?;
    Ok(load(limit, confined)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generator_has_a_builder() {
        assert_eq!(BUILDERS.map(|(generator, _)| generator), Generator::ALL);
    }
}
