//! Builders: generators as the study sees them, candidates in and kernels out.

use std::time::Duration;

use codegen::iree::{IreeCompiler, IreeError};
use codegen::link::LinkError;
use codegen::native::{self, CodegenError, Native};
use codegen::{CompiledKernel, Compiler};
use configgen::{Configuration, DefaultConfiguration, Generator, Problem, Target};
use store::FailureKind;

/// What is to be built.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// What the generator does when nobody says anything.
    Default(DefaultConfiguration),
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
}

impl Builder for Native {
    fn generator(&self) -> Generator {
        Generator::Native
    }

    fn compiler(&self) -> Compiler {
        Native::compiler(self)
    }

    fn generator_version(&self) -> String {
        native::generator_version().to_owned()
    }

    fn batch(&self) -> usize {
        native::BATCH
    }

    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let configured: Vec<(Problem, Configuration)> = choices
            .iter()
            .map(|choice| {
                let configuration = choice
                    .configuration()
                    .expect("native defaults are configurations");
                (problem.clone(), configuration.clone())
            })
            .collect();
        let built = self.compile_batch(target, &configured).into_iter();
        built.map(|kernel| kernel.map_err(native_failure)).collect()
    }
}

fn native_failure(error: CodegenError) -> BuildError {
    let message = error.to_string();
    match error {
        CodegenError::Missing(_) => BuildError::Environment(message),
        CodegenError::Link {
            source: LinkError::Io { .. },
            ..
        } => BuildError::Environment(message),
        CodegenError::Rejected(_) => BuildError::Failed(FailureKind::Rejected, message),
        _ => BuildError::Failed(FailureKind::Compile, message),
    }
}

/// `iree-compile`, one process a kernel.
pub struct Iree {
    compiler: IreeCompiler,
    limit: Duration,
}

impl Iree {
    /// A builder that asks this compiler and gives it so much time for each kernel.
    pub fn new(compiler: IreeCompiler, limit: Duration) -> Iree {
        Iree {
            compiler: compiler.with_time_limit(limit),
            limit,
        }
    }
}

impl Builder for Iree {
    fn generator(&self) -> Generator {
        Generator::Iree
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: "iree-compile".into(),
            version: self.compiler.version().to_owned(),
            linker: String::new(),
        }
    }

    fn generator_version(&self) -> String {
        codegen::iree::generator_version().to_owned()
    }

    fn limit_s(&self) -> u32 {
        self.limit.as_secs_f64().ceil() as u32
    }

    fn batch(&self) -> usize {
        1
    }

    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let compile = |choice: &Choice| {
            // Untuned means that IREE is told nothing, not that it is told what we believe it chooses.
            let told = match choice {
                Choice::Default(_) => None,
                Choice::Configured(configuration) => Some(configuration),
            };
            self.compiler
                .compile(problem, target, told)
                .map_err(iree_failure)
        };
        choices.iter().map(compile).collect()
    }
}

fn iree_failure(error: IreeError) -> BuildError {
    let message = error.to_string();
    match error {
        IreeError::Io { .. } => BuildError::Environment(message),
        IreeError::TimedOut { .. } => BuildError::Failed(FailureKind::Timeout, message),
        IreeError::Crashed { .. } => BuildError::Failed(FailureKind::Crash, message),
        _ => BuildError::Failed(FailureKind::Compile, message),
    }
}
