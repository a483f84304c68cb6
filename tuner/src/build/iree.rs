//! The builder of IREE's kernels, which runs one `iree-compile` process per kernel.

use std::sync::Arc;
use std::time::Duration;

use codegen::llvm::LlvmProcess;
use codegen::tools::MissingTool;
use codegen::{CompiledKernel, Compiler};
use configgen::{Configuration, Generator, Problem, Target};
use iree::{IreeCompiler, IreeError};
use store::FailureKind;

use super::{BuildError, Builder, Choice};

pub(super) fn load(limit: Duration, process: LlvmProcess) -> Result<Arc<dyn Builder>, MissingTool> {
    let compiler = IreeCompiler::find()?;
    let compiler = match process.sandbox {
        Some(sandbox) => compiler.in_sandbox(sandbox)?,
        None => compiler,
    };
    Ok(Arc::new(Iree::new(compiler, limit)))
}

/// A compiler with its time limit for a kernel.
struct Iree {
    compiler: IreeCompiler,
    limit: Duration,
}

impl Iree {
    fn new(compiler: IreeCompiler, limit: Duration) -> Iree {
        Iree {
            compiler: compiler.with_time_limit(limit),
            limit,
        }
    }
}

impl Builder for Iree {
    fn generator(&self) -> Generator {
        Generator::IREE
    }

    fn compiler(&self) -> Compiler {
        self.compiler.compiler()
    }

    fn generator_version(&self) -> String {
        iree::generator_version().to_owned()
    }

    fn limit_s(&self) -> u32 {
        // Rounding up keeps a limit below a second distinct from 0, which means no limit.
        self.limit.as_secs_f64().ceil() as u32
    }

    fn batch(&self) -> usize {
        // `iree-compile` compiles one module per process, so a batch gains nothing.
        1
    }

    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let compile = |choice: &Choice| {
            self.compiler
                .compile(problem, target, told(choice))
                .map_err(iree_failure)
        };
        choices.iter().map(compile).collect()
    }

    fn is_launch_of(
        &self,
        problem: &Problem,
        target: &Target,
        choice: &Choice,
        kernel: &CompiledKernel,
    ) -> bool {
        self.compiler
            .is_launch_of(problem, target, told(choice), kernel)
    }
}

/// Returns the configuration to pass to IREE. The default passes none, in place of our model of
/// IREE's own choice.
fn told(choice: &Choice) -> Option<&Configuration> {
    match choice {
        Choice::Default(_) => None,
        Choice::Configured(configuration) => Some(configuration),
    }
}

fn iree_failure(error: IreeError) -> BuildError {
    let message = error.to_string();
    match error {
        // Only I/O errors are faults of the machine.
        IreeError::Io { .. } => BuildError::Environment(message),
        IreeError::TimedOut { .. } => BuildError::Failed(FailureKind::Timeout, message),
        IreeError::Crashed { .. } => BuildError::Failed(FailureKind::Crash, message),
        _ => BuildError::Failed(FailureKind::Compile, message),
    }
}
