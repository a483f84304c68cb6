//! `wavetune explain`: one stage of the way from a configuration to a kernel.

use clap::Args;
use codegen::native::{self, Stage};
use configgen::{Generator, Rejection, Target};

use crate::comparator::ProblemArguments;
use crate::names::{stages, targets};
use crate::output::print;
use crate::{Exit, inputs};

/// Print one stage of code generation: gridwise, blockwise, lanewise, final, layout, ops, hip, llvm or isa.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// The configuration as JSON [default: the untuned one].
    #[arg(long, value_name = "JSON")]
    configuration: Option<String>,
    /// The stage.
    #[arg(long, value_parser = stages())]
    stage: Stage,
    /// The ISA.
    #[arg(long, default_value = "gfx942", value_parser = targets())]
    target: &'static Target,
}

const EXAMPLES: &str = "\
Exit codes: 0 printed, 1 the configuration is not legal, 2 error.

Examples:
  wavetune explain 'argmax:4x[32000]xf32' --stage lanewise
  wavetune explain 'argmax:4x[32000]xf32' --stage layout    # which lane loads what
  wavetune explain 'argmax:4x[32000]xf32' --stage hip > argmax.hip
  wavetune explain 'argmax:4x[32000]xf32' --stage isa --configuration \"$(
      wavetune space 'argmax:4x[32000]xf32' --sample 1)\"";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let (stage, target) = (arguments.stage, arguments.target);
    let configuration = match &arguments.configuration {
        Some(json) => inputs::configuration(json)?,
        None => match configgen::native_default(&problem, target) {
            Ok(configuration) => configuration,
            Err(rejection) => return refused(&rejection),
        },
    };
    if let Err(rejection) = configgen::check(&problem, target, Generator::NATIVE, &configuration) {
        return refused(&rejection);
    }
    let text = native::explain(&problem, target, &configuration, stage)?;
    print(&text)?;
    Ok(Exit::Found)
}

fn refused(rejection: &Rejection) -> anyhow::Result<Exit> {
    eprintln!("{rejection}");
    Ok(Exit::NotFound)
}
