//! The builder of native kernels: codegen's generator.

use std::sync::Arc;
use std::time::Duration;

use codegen::cache::Cache;
use codegen::child_process::ChildEnd;
use codegen::link::LinkError;
use codegen::llvm::{LlvmError, LlvmProcess};
use codegen::native::{self, CodegenError, Native};
use codegen::tools::MissingTool;
use codegen::{CompiledKernel, Compiler};
use configgen::{Configuration, Generator, Problem, Target};
use store::FailureKind;

use super::{BuildError, Builder, Choice};

/// Loads the native generator. It ignores the limit, which is for compilers that may hang.
pub(super) fn load(_: Duration, process: LlvmProcess) -> Result<Arc<dyn Builder>, MissingTool> {
    let native = Native::load(Cache::of_user())?;
    Ok(Arc::new(native.in_process(process)?))
}

impl Builder for Native {
    fn generator(&self) -> Generator {
        Generator::NATIVE
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
        // The kernels of a batch share one code object.
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

    fn is_launch_of(
        &self,
        problem: &Problem,
        target: &Target,
        choice: &Choice,
        kernel: &CompiledKernel,
    ) -> bool {
        let is_it = |one| Native::is_launch_of(self, target, problem, one, kernel);
        choice.configuration().is_some_and(is_it)
    }
}

fn native_failure(error: CodegenError) -> BuildError {
    let message = error.to_string();
    match error {
        // A missing tool, a full disk and a failed sandbox are faults of the machine, not of the
        // choice.
        CodegenError::Missing(_) => BuildError::Environment(message),
        CodegenError::Link {
            source: LinkError::Io { .. },
            ..
        }
        | CodegenError::Llvm {
            source: LlvmError::Process(_),
            ..
        } => BuildError::Environment(message),
        CodegenError::Llvm {
            source: LlvmError::Ended { end, .. },
            ..
        } => match end {
            ChildEnd::TimedOut => BuildError::Failed(FailureKind::Timeout, message),
            _ => BuildError::Failed(FailureKind::Crash, message),
        },
        CodegenError::Rejected(_) => BuildError::Failed(FailureKind::Rejected, message),
        _ => BuildError::Failed(FailureKind::Compile, message),
    }
}
