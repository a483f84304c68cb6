//! `wavetune problems`: the problems of a model and their tuning status.

use std::path::PathBuf;

use clap::Args;
use configgen::Target;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::model::{self, CompilerOptions, ModelArguments};
use crate::model_status::{model_status, text};
use crate::output::{OutputFormat, print, print_json};
use crate::sandbox::SandboxArgument;
use crate::value_parsers::targets;

/// List the problems of a model and their status.
///
/// iree-compile lowers the model first.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ModelProblemsArguments {
    /// Model file in MLIR or ONNX.
    ///
    /// MLIR may come from any frontend that iree-compile accepts.
    model: PathBuf,
    /// ISA to compile for.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    compiler: CompilerOptions,
    #[command(flatten)]
    sandbox: SandboxArgument,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
A problem is an arg_compare, a linalg reduction, a softmax, or a chain of operations that forms a \
norm or a softmax. A kernel of `wavetune export iree-kernels` must be able to replace it. For any \
other operation, the list gives the reason.

One kernel or several can compute some groups of operations. The list shows each choice, and \
selects the one with the smaller sum of times. Each time is that of a single kernel. `wavetune \
tune` and `wavetune export iree-kernels` compare the whole model with and without the kernels.

Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune problems model.mlir --target gfx942
  wavetune problems model.mlir --target gfx942 --counts 1..64
  wavetune problems model.mlir --target gfx942 -- --iree-input-type=torch
  wavetune tune model.mlir
  wavetune profile model.mlir
  wavetune export iree-kernels model.mlir --target gfx942 --out kernels";

pub(crate) fn run(arguments: &ModelProblemsArguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let sandbox = arguments.sandbox.sandbox()?;
    let seen = model::read(
        &arguments.model,
        target,
        &arguments.compiler.options,
        sandbox,
        &arguments.of_model,
    )?;
    let answer = block_on(async {
        let store = arguments.database.open_if_there().await?;
        let answer = model_status(store.as_deref().map(|it| it as _), target, &seen).await?;
        if let Some(store) = store {
            store.close().await;
        }
        Ok(answer)
    })?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&text(&answer))?,
    }
    if answer.problems.is_empty() && answer.others.is_empty() {
        let model = arguments.model.display();
        eprintln!("{model} has no operation that reduces elements");
    }
    Ok(match answer.problems.is_empty() {
        true => Exit::NotFound,
        false => Exit::Found,
    })
}
