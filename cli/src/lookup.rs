//! `wavetune lookup`: what a compiler asks, answered from the database.

use ::lookup::{Answer, Found, Request};
use clap::Args;
use configgen::{Generator, Target};
use store::{ANOTHER_INDEX, Status};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::database::{Database, block_on};
use crate::names::{generators, targets};
use crate::output::{Format, print, print_json, short, tell_unreadable};
use crate::ties::TiesArgument;

/// Print the best known configuration of a problem.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// The ISA [default: the one that the problem was tuned for, if there is one alone].
    #[arg(long, value_parser = targets())]
    target: Option<&'static Target>,
    /// Only what was tuned on this device.
    #[arg(long)]
    device: Option<String>,
    /// Only kernels of this generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    database: Database,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

const EXAMPLES: &str = "\
A miss is noted in the database, so that it can be tuned.
Exit codes: 0 found, 1 nothing found, 2 error.

Examples:
  wavetune lookup 'argmax:4x[32000]xf32'
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942
  wavetune lookup 'argmax:4x[4096]xf32' --target gfx942 --generator iree --output-format json";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let request = Request {
        problem,
        target: arguments.target,
        device: arguments.device.clone(),
        generator: arguments.generator,
        ties: arguments.ties.index,
    };
    let answer = block_on(async {
        let store = arguments.database.open_existing().await?;
        let answer = ::lookup::answer(&*store, &request).await?;
        store.close().await;
        Ok(answer)
    })?;
    tell_unreadable(answer.unreadable());
    match (arguments.output_format, &answer) {
        (Format::Json, answer) => print_json(answer)?,
        (Format::Text, Answer::Exact(found)) => print(&text(found))?,
        (Format::Text, Answer::None(miss)) => eprintln!("{}", miss.reason),
    }
    Ok(if answer.found().is_some() {
        Exit::Found
    } else {
        Exit::NotFound
    })
}

fn text(found: &Found) -> String {
    let speedup = found
        .speedup
        .map(|factor| format!(", {factor:.2} times the default's speed"));
    let on_ties = match found.status {
        Status::Tie => format!(", {ANOTHER_INDEX}"),
        _ => String::new(),
    };
    format!(
        "{} on {}: {:.2} µs {} on {}{}{on_ties}\n  {} kernels: {}\n",
        found.problem,
        found.target,
        found.time_us,
        found.clock,
        found.provenance.device,
        speedup.unwrap_or_default(),
        found.generator,
        short(&found.configuration),
    )
}
