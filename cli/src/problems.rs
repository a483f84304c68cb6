//! `wavetune problems`: the problems of a model and their tuning status.

use std::path::PathBuf;

use clap::Args;
use configgen::Target;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::model::{self, ModelArguments};
use crate::model_status::{model_status, text};
use crate::output::{OutputFormat, print, print_json};
use crate::sandbox::SandboxArgument;
use crate::value_parsers::targets;

/// List the problems of a model as iree-compile lowers it, and their tuning status.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ModelProblemsArguments {
    /// The model: a file of MLIR that iree-compile reads, of any front end, or of ONNX.
    model: PathBuf,
    /// The ISA that it is compiled for.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
    #[command(flatten)]
    database: Database,
    /// Format of the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
Each arg_compare, each reduction of linalg, each softmax, and each chain of operations that is a norm or a softmax, is a problem if
a kernel of `wavetune export iree-kernels` can replace it; the others have a reason. If one kernel or several can replace
it, the list has both, and the smaller sum of times is chosen. All times are of kernels alone: `tune` and `export iree-kernels`
of a model compare the whole model with and without the kernels.
Exit codes: 0 there are some, 1 there are none, 2 error.

Examples:
  wavetune problems model.mlir --target gfx942
  wavetune problems model.mlir --target gfx942 --counts 1..64
  wavetune tune model.mlir
  wavetune profile model.mlir
  wavetune export iree-kernels model.mlir --target gfx942 --out kernels";

pub(crate) fn run(arguments: &ModelProblemsArguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let sandbox = arguments.sandbox.sandbox()?;
    let seen = model::read(&arguments.model, target, &[], sandbox, &arguments.of_model)?;
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
        eprintln!("no operation of {model} reduces anything");
    }
    Ok(match answer.problems.is_empty() {
        true => Exit::NotFound,
        false => Exit::Found,
    })
}
