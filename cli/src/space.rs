//! `wavetune space`: counts, samples or lists the legal configurations of a problem, or the valid
//! ones of a T1 file.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use answers::space::{ConfigurationValue, Count, ParameterConfiguration, ParameterSpaceCount};
use anyhow::Context as _;
use clap::{ArgGroup, Args};
use configgen::{Configuration, Generator, Space, Target};
use search::parameters::{Checksum, Enumeration, ParameterSpace, ParameterValue};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::output::{OutputFormat, print, print_json};
use crate::text_file;
use crate::value_parsers::{generators, targets};

/// Count, sample or list legal configurations.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, group = ArgGroup::new("what").required(true))]
#[command(mut_arg("problem", |it| it.required_unless_present("t1")))]
pub(crate) struct SpaceArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// T1 file, in place of a problem.
    ///
    /// The file has parameters and conditions. The values of a parameter are a list, a range or a
    /// list comprehension of Python. A condition is an expression of Python with comparisons, and,
    /// or, not, in and arithmetic.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problem", "comparator", "operation", "sample"])]
    t1: Option<PathBuf>,
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
  wavetune space --operation reduction.mlir --generator native --count
  wavetune space --t1 space.json --count --output-format json";

pub(crate) fn run(arguments: &SpaceArguments) -> anyhow::Result<Exit> {
    let start = Instant::now();
    if let Some(path) = &arguments.t1 {
        return run_t1(arguments, path, start);
    }
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

/// Counts or lists the configurations of a T1 file.
fn run_t1(arguments: &SpaceArguments, path: &Path, start: Instant) -> anyhow::Result<Exit> {
    let place = || path.display().to_string();
    let text = text_file::read(path).with_context(place)?;
    let space = ParameterSpace::parse_t1(&text).with_context(place)?;
    let enumeration = Enumeration::new(&space);
    let configurations = match arguments.list {
        true => list(&space, &enumeration)?,
        false => count(arguments.output_format, &space, &enumeration, start)?,
    };
    Ok(match configurations {
        0 => Exit::NotFound,
        _ => Exit::Found,
    })
}

fn count(
    format: OutputFormat,
    space: &ParameterSpace,
    enumeration: &Enumeration<'_>,
    start: Instant,
) -> anyhow::Result<u64> {
    let mut checksum = Checksum::new(space.parameters());
    // A checksum visits each configuration; a plain count adds those of a run together.
    let configurations = match &mut checksum {
        Some(checksum) => checksum.add_all(&mut enumeration.configurations()),
        None => enumeration.count(),
    };
    let answer = ParameterSpaceCount {
        configurations,
        checksum: checksum.map(|checksum| checksum.sum().to_string()),
        seconds: start.elapsed().as_secs_f64(),
    };
    match (format, &answer.checksum) {
        (OutputFormat::Json, _) => print_json(&answer)?,
        (OutputFormat::Text, Some(sum)) => print(&format!("{configurations} checksum {sum}\n"))?,
        (OutputFormat::Text, None) => print(&format!("{configurations}\n"))?,
    }
    Ok(configurations)
}

/// Prints a line for each configuration, and returns their number.
fn list(space: &ParameterSpace, enumeration: &Enumeration<'_>) -> anyhow::Result<u64> {
    let parameters = space.parameters();
    // Converted once, because the same values return on many lines.
    let values: Vec<Vec<ConfigurationValue>> = parameters
        .iter()
        .map(|one| one.values.iter().map(convert).collect())
        .collect();
    // Each parameter has a value. The loop below replaces the first ones.
    let fields = parameters.iter().zip(&values);
    let fields = fields.map(|(one, values)| (one.name.clone(), values[0].clone()));
    let mut line = ParameterConfiguration(fields.collect());
    let mut out = BufWriter::new(io::stdout().lock());
    let mut all = enumeration.configurations();
    let mut count = 0;
    while let Some(configuration) = all.next() {
        for ((field, values), &place) in line.0.iter_mut().zip(&values).zip(configuration) {
            field.1.clone_from(&values[place as usize]);
        }
        writeln!(out, "{}", answers::line(&line))?;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}

/// Returns the value as an answer has it.
fn convert(value: &ParameterValue) -> ConfigurationValue {
    match value {
        ParameterValue::Integer(integer) => ConfigurationValue::Integer(*integer),
        ParameterValue::Real(real) => ConfigurationValue::Real(*real),
        ParameterValue::Text(text) => ConfigurationValue::Text(text.clone()),
        ParameterValue::Boolean(is_true) => ConfigurationValue::Boolean(*is_true),
    }
}
