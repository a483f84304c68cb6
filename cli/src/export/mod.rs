//! `wavetune export`: writes the known configurations in the formats of other programs.

pub(crate) mod iree_kernels;
mod iree_spec;
mod kernels;
mod placement;
mod range_samples;
mod selection;
mod table;

use clap::{Args, Subcommand};

use crate::Exit;

/// Write configurations or kernels for other programs.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExportArguments {
    #[command(subcommand)]
    command: ExportCommand,
}

const EXAMPLES: &str = "\
Examples:
  wavetune export iree-spec --target gfx942 --output spec.mlir
  wavetune export iree-kernels --target gfx942 --out kernels
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 --out kernels
  wavetune export table --target gfx942 --output gfx942.wtab";

#[derive(Subcommand)]
enum ExportCommand {
    IreeSpec(iree_spec::ExportIreeSpecArguments),
    IreeKernels(iree_kernels::ExportIreeKernelsArguments),
    Kernels(kernels::ExportKernelsArguments),
    Table(table::ExportTableArguments),
}

pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        ExportCommand::IreeSpec(arguments) => iree_spec::run(arguments),
        ExportCommand::IreeKernels(arguments) => iree_kernels::run(arguments),
        ExportCommand::Kernels(arguments) => kernels::run(arguments),
        ExportCommand::Table(arguments) => table::run(arguments),
    }
}
