//! The sandbox of compilers and kernels, and the commands that start this program in it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use bench_harness::hip::ChildCommand;
use clap::Args;
use codegen::llvm::{self, LlvmProcess};
use codegen_sandbox::Sandbox;
use kernel_export::Toolchain;

use crate::Exit;

/// The option of the sandbox.
#[derive(Args)]
pub(crate) struct SandboxArgument {
    /// Confine compilers and GPU processes.
    ///
    /// With bubblewrap, they have no network, and access only the files of the system and their
    /// own.
    #[arg(long)]
    sandbox: bool,
}

impl SandboxArgument {
    pub(crate) fn is_wanted(&self) -> bool {
        self.sandbox
    }

    /// Finds the sandbox. Returns `None` without `--sandbox`.
    pub(crate) fn sandbox(&self) -> anyhow::Result<Option<Sandbox>> {
        Ok(match self.sandbox {
            true => Some(Sandbox::find()?),
            false => None,
        })
    }
}

/// The names of the hidden subcommands, which run as child processes.
const DEVICE: &str = "device-process";
const COMPILER: &str = "compiler-process";

/// Returns the command that starts a device's process.
pub(crate) fn device(sandbox: Option<Sandbox>) -> anyhow::Result<ChildCommand> {
    Ok(ChildCommand {
        program: own()?,
        arguments: vec![DEVICE.to_owned()],
        sandbox,
    })
}

/// Returns the command that starts LLVM's process, in the sandbox if there is one.
pub(crate) fn compiler(sandbox: Option<Sandbox>) -> anyhow::Result<LlvmProcess> {
    let program = match sandbox {
        Some(_) => own()?,
        // Names this program's file also after an update has replaced it.
        None => PathBuf::from("/proc/self/exe"),
    };
    Ok(LlvmProcess {
        sandbox,
        program,
        arguments: vec![COMPILER.to_owned()],
    })
}

/// Returns the toolchain of an export, in the sandbox if there is one.
pub(crate) fn toolchain(sandbox: Option<Sandbox>) -> anyhow::Result<Toolchain> {
    compiler(sandbox).map(Toolchain::of_user)
}

fn own() -> anyhow::Result<PathBuf> {
    // The same program, so that parent and child have one version of their protocol.
    std::env::current_exe().context("cannot find this program")
}

/// Serves the parent process as LLVM's process, until the work ends.
pub(crate) fn serve() -> ExitCode {
    match llvm::serve_parent() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            Exit::Error.into()
        }
    }
}
