//! `wavetune check`: says whether a configuration is legal, or which rule it breaks.

use answers::check::Legality;
use clap::Args;
use configgen::{Generator, Rejection, Target};

use crate::comparator::ProblemArguments;
use crate::output::{OutputFormat, print, print_json};
use crate::value_parsers::{generators, targets};
use crate::{Exit, input_parser};

/// Check that a configuration is legal.
///
/// Prints the rule that an illegal configuration violates.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// Configuration as JSON.
    #[arg(long, value_name = "JSON")]
    configuration: String,
    /// Kernel generator.
    #[arg(long, default_value_t, value_parser = generators())]
    generator: Generator,
    /// ISA of the device.
    #[arg(long, default_value = "gfx942", value_parser = targets())]
    target: &'static Target,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
Exit codes: 0 legal, 1 illegal, 2 error.

Examples:
  wavetune check 'argmax:4x[4096]xf32' --generator iree --configuration \\
    '{\"workgroup\": [1, 0], \"partial_reduction\": [0, 1024], \"thread\": [0, 4],
      \"lane_basis\": [[1, 64], [0, 1]], \"subgroup_basis\": [[1, 1], [0, 1]],
      \"subgroup_size\": 64, \"workgroup_size\": [64, 1, 1]}'
  wavetune check --operation reduction.mlir --generator native \\
    --configuration \"$JSON\"";

pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let target = arguments.target;
    let configuration = input_parser::configuration(&arguments.configuration)?;
    let rejection = configgen::check(&problem, target, arguments.generator, &configuration).err();
    match arguments.output_format {
        OutputFormat::Text => match &rejection {
            None => print("legal\n")?,
            Some(rejection) => print(&format!("{rejection}\n"))?,
        },
        OutputFormat::Json => print_json(&legality(rejection.as_ref()))?,
    }
    Ok(if rejection.is_none() {
        Exit::Found
    } else {
        Exit::NotFound
    })
}

/// Returns the verdict of the rules, for programs.
pub(crate) fn legality(rejection: Option<&Rejection>) -> Legality {
    Legality {
        legal: rejection.is_none(),
        rule: rejection.map(|rejection| rejection.rule.to_string()),
        message: rejection.map(|rejection| rejection.message.clone()),
    }
}
