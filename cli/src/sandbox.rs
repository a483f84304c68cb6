//! The sandbox: whether compilers and kernels run in one, and how this program is started in it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use ::sandbox::Sandbox;
use anyhow::Context;
use bench_harness::hip::ChildCommand;
use clap::Args;
use codegen::llvm::{self, LlvmProcess};

use crate::Exit;

/// Whether compilers and kernels run in a sandbox.
#[derive(Args)]
pub(crate) struct SandboxArgument {
    /// Run compilers, and what uses a GPU, in a sandbox (bubblewrap): without network, and seeing of files little but the system's.
    #[arg(long)]
    sandbox: bool,
}

impl SandboxArgument {
    pub(crate) fn is_wanted(&self) -> bool {
        self.sandbox
    }

    /// The sandbox that is wanted, or why there is none; none where none is wanted.
    pub(crate) fn sandbox(&self) -> anyhow::Result<Option<Sandbox>> {
        Ok(match self.sandbox {
            true => Some(Sandbox::find()?),
            false => None,
        })
    }
}

/// The names of the subcommands that are processes of others.
const DEVICE: &str = "device-process";
const COMPILER: &str = "compiler-process";

/// How a device's process is started.
pub(crate) fn device(sandbox: Option<Sandbox>) -> anyhow::Result<ChildCommand> {
    Ok(ChildCommand {
        program: own()?,
        arguments: vec![DEVICE.to_owned()],
        sandbox,
    })
}

/// How LLVM's process is started in a sandbox.
pub(crate) fn compiler(sandbox: Sandbox) -> anyhow::Result<LlvmProcess> {
    Ok(LlvmProcess {
        sandbox,
        program: own()?,
        arguments: vec![COMPILER.to_owned()],
    })
}

fn own() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program cannot be found")
}

/// Compile for the process that started this one.
#[derive(Args)]
pub(crate) struct CompilerArguments {
    /// What that process says.
    arguments: Vec<OsString>,
}

/// Is LLVM's process, to its end.
pub(crate) fn serve(arguments: &CompilerArguments) -> ExitCode {
    match llvm::serve_parent(&arguments.arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            Exit::Error.into()
        }
    }
}
