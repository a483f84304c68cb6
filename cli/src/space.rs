//! `wavetune space`: counts, samples or lists the legal configurations of a problem.

use std::io::{self, BufWriter, Write};
use std::time::Instant;

use answers::space::Count;
use clap::{ArgGroup, Args};
use configgen::{Configuration, Generator, Space, Target};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::output::{OutputFormat, print, print_json};
use crate::value_parsers::{generators, targets};

/// Count, sample or list legal configurations.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, group = ArgGroup::new("what").required(true))]
pub(crate) struct SpaceArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// ISA of the device.
    #[arg(long, default_value = "gfx942", value_parser = targets())]
    target: &'static Target,
    /// Kernel generator.
    #[arg(long, default_value_t, value_parser = generators())]
    generator: Generator,
    /// Print the number of configurations.
    #[arg(long, group = "what")]
    count: bool,
    /// Print K random configurations.
    ///
    /// The sample is uniform and without repetition. Each line is a JSON object.
    #[arg(long, group = "what", value_name = "K")]
    sample: Option<u64>,
    /// Print all as JSON, one object per line.
    #[arg(long, group = "what")]
    list: bool,
    /// Random seed of the sample.
    #[arg(long, default_value_t = 0, conflicts_with_all = ["count", "list"])]
    seed: u64,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune space 'argmax:4x[32000]xf32' --count
  wavetune space 'argmax:4x[4096]xf32' --generator iree --sample 5 --seed 1
  wavetune space 'argmax:[1000]xi32' --list | wc -l
  wavetune space --operation reduction.mlir --generator native --count";

pub(crate) fn run(arguments: &SpaceArguments) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let problem = arguments.problem.problem()?;
    let (generator, target) = (arguments.generator, arguments.target);
    let space = Space::new(&problem, target, generator);
    if let Some(rejection) = space.rejection() {
        eprintln!("no {generator} configuration of {problem} is legal: {rejection}");
    }
    match (arguments.sample, arguments.list) {
        (Some(k), _) => print_lines(space.sample(k, arguments.seed))?,
        (None, true) => print_lines(space.iter())?,
        (None, false) => match arguments.output_format {
            OutputFormat::Json => print_count(space.len(), start)?,
            OutputFormat::Text => print(&format!("{}\n", space.len()))?,
        },
    }
    Ok(if space.is_empty() {
        Exit::NotFound
    } else {
        Exit::Found
    })
}

fn print_count(configurations: u64, start: Instant) -> anyhow::Result<()> {
    print_json(&Count {
        configurations,
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn print_lines(configurations: impl IntoIterator<Item = Configuration>) -> anyhow::Result<()> {
    // Standard output flushes at each newline, which is slow for the many lines of `--list`.
    let mut out = BufWriter::new(io::stdout().lock());
    for configuration in configurations {
        writeln!(out, "{}", answers::line(&configuration))?;
    }
    out.flush()?;
    Ok(())
}
