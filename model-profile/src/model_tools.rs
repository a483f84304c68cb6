//! The tools for models of a service's clients: iree-compile and IREE's runtime in a sandbox, with
//! limits of time and memory.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use codegen::tools::{MissingRuntime, MissingTool};
use codegen_object_cache::Cache;
use codegen_sandbox::{Sandbox, SandboxError};
use configgen::{Device, Target};
use iree::{IreeCompiler, IreeRuntime};
use iree_export::{ModuleProblem, read_module};

use crate::error::ProfileError;
use crate::profiler::Profiler;

/// The time limit of one program. A decoder step of 100 dispatches compiles in 20 s.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The limit of memory of a call, in bytes. Inputs and results are allocated, and a client chooses
/// their sizes.
const CALL_BYTES: u64 = 8 << 30;

/// The compiler and the runtime, confined.
#[derive(Debug, Clone)]
pub struct ConfinedTools {
    compiler: IreeCompiler,
    runtime: IreeRuntime,
}

/// The part that is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MissingModelTool {
    /// iree-compile is missing, or does not start in the sandbox.
    #[error(transparent)]
    Compiler(#[from] MissingTool),
    /// A part of IREE's runtime is missing.
    #[error(transparent)]
    Runtime(#[from] MissingRuntime),
    /// The sandbox does not work here. Clients' modules are not compiled without it.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl ConfinedTools {
    /// Finds the tools on this machine.
    ///
    /// # Errors
    ///
    /// [`MissingModelTool`]: the first missing part, and the way to get it.
    pub fn find() -> Result<ConfinedTools, MissingModelTool> {
        let compiler = IreeCompiler::find()?.with_time_limit(TIME_LIMIT);
        let runtime = IreeRuntime::find(compiler.path())?;
        // Last, because a missing tool is the more common fault, and its advice the simpler one.
        let sandbox = Sandbox::find()?;
        Ok(ConfinedTools {
            compiler: compiler.in_sandbox(sandbox.clone())?,
            runtime: (runtime.in_sandbox(Some(sandbox))).with_limits(TIME_LIMIT, CALL_BYTES),
        })
    }

    /// Returns the version of iree-compile.
    pub fn compiler_version(&self) -> &str {
        self.compiler.version()
    }

    /// Returns the problems of the module in this file.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler.
    pub fn problems(
        &self,
        module: &Path,
        target: &Target,
        options: &[OsString],
        counts: &RangeInclusive<u32>,
    ) -> Result<Vec<ModuleProblem>, ProfileError> {
        Ok(read_module(
            &self.compiler,
            module,
            target,
            options,
            counts,
        )?)
    }

    /// Returns a profiler with the user's cache.
    ///
    /// # Errors
    ///
    /// If there is no temporary folder.
    pub fn profiler(
        &self,
        device: &'static Device,
        options: &[OsString],
    ) -> Result<Profiler, ProfileError> {
        let (compiler, runtime) = (self.compiler.clone(), self.runtime.clone());
        Profiler::new(compiler, runtime, device, options, Cache::of_user())
    }
}

/// A function that finds the tools.
type ToolFinder = fn() -> Result<ConfinedTools, MissingModelTool>;

/// The tools of a service, once found. If they are missing, the next request searches again,
/// because an operator may have installed them.
#[derive(Debug)]
pub struct ModelTools {
    find: ToolFinder,
    found: OnceLock<ConfinedTools>,
}

impl ModelTools {
    /// Creates the tools with this search function.
    pub fn new(find: ToolFinder) -> ModelTools {
        ModelTools {
            find,
            found: OnceLock::new(),
        }
    }

    /// Returns the tools. The first call may start programs.
    ///
    /// # Errors
    ///
    /// [`MissingModelTool`].
    pub fn get(&self) -> Result<&ConfinedTools, MissingModelTool> {
        match self.found.get() {
            Some(found) => Ok(found),
            None => {
                let found = (self.find)()?;
                // Two threads may both find the tools; they then share the first result.
                Ok(self.found.get_or_init(|| found))
            }
        }
    }
}
