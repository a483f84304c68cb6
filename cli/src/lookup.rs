//! `wavetune lookup`: answers a compiler's question from the database.

use ::lookup::{LookupRequest, Rung, check_device, short};
use anyhow::Context;
use clap::Args;
use configgen::{Clock, Configuration, Generator, Problem, Target};
use serde::Deserialize;
use server_client::Client;
use store::{ANOTHER_INDEX, Status, Unreadable};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print};
use crate::service::ServiceArguments;
use crate::ties::TiesArgument;
use crate::value_parsers::{device_error, devices, generators, rungs, targets};

/// Print the best known configuration of a problem.
///
/// For an untuned problem, prints the best fallback.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LookupArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// ISA [default: the only tuned one].
    ///
    /// The default requires a problem that was tuned for exactly one ISA.
    #[arg(long, value_parser = targets())]
    target: Option<&'static Target>,
    /// Device that runs the kernel.
    ///
    /// A tuning on another device with the same ISA has the rung sibling.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Only kernels of this generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    #[command(flatten)]
    ties: TiesArgument,
    /// Lowest rung that counts as found.
    ///
    /// By default, any rung may answer, but only an exact answer counts as found.
    #[arg(long, value_name = "RUNG", value_parser = rungs())]
    at_least: Option<Rung>,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    service: ServiceArguments,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
The rungs, best first:

  exact      the problem itself was tuned
  sibling    the problem was tuned on another device with the same ISA
  neighbour  a tuned problem of similar size: at most twice or half the rows
             and columns; the configuration is adapted and legal
  predicted  the time model's first choice, with its expected time
  default    the generator's untuned choice

No rung serves a configuration that is known to be wrong for this problem. Without an exact \
answer, the command stores the problem in the database as a wish for tuning. A service requires \
--target.

Exit codes: 0 found, 1 nothing found or too low a rung, 2 error.

Examples:
  wavetune lookup 'argmax:4x[32000]xf32'
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942 --at-least neighbour
  wavetune lookup 'argmax:4x[4096]xf32' --target gfx942 --generator iree \\
    --output-format json
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942 \\
    --server http://tuner.lan:8942";

pub(crate) fn run(arguments: &LookupArguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    if let Some(device) = &arguments.device {
        check_device(device, arguments.target).map_err(|error| device_error(device, error))?;
    }
    let request = LookupRequest {
        problem,
        target: arguments.target,
        device: arguments.device.clone(),
        generator: arguments.generator,
        ties: arguments.ties.index,
        at_least: arguments.at_least.unwrap_or(Rung::Default),
    };
    // The database and the service give the same line, so the printing is shared.
    let line = match arguments.service.client()? {
        // The service has its own database, so `--db` is not opened.
        Some(client) => ask(&client, &request, arguments.at_least)?,
        None => block_on(async {
            let store = arguments.database.open_existing().await?;
            let answer = ::lookup::answer(&*store, &request).await?;
            store.close().await;
            Ok(answers::line(&answer))
        })?,
    };
    // Without --at-least every rung may answer, but only an exact answer counts as found.
    let counts = arguments.at_least.unwrap_or(Rung::Exact);
    print_lookup_answer(&line, arguments.output_format, counts)
}

/// Prints an answer, a line of `answers`. Returns `Found` if its rung is `at_least` or better.
pub(crate) fn print_lookup_answer(
    line: &str,
    format: OutputFormat,
    at_least: Rung,
) -> anyhow::Result<Exit> {
    let answer: DecodedAnswer = serde_json::from_str(line)
        .context("the answer of the service is not an answer of a lookup")?;
    let (rung, left_out) = match &answer {
        DecodedAnswer::Exact(found) => (Some(Rung::Exact), &found.unreadable),
        DecodedAnswer::Sibling(instead) => (Some(Rung::Sibling), &instead.unreadable),
        DecodedAnswer::Neighbour(instead) => (Some(Rung::Neighbour), &instead.unreadable),
        DecodedAnswer::Predicted(instead) => (Some(Rung::Predicted), &instead.unreadable),
        DecodedAnswer::Default(instead) => (Some(Rung::Default), &instead.unreadable),
        DecodedAnswer::None(miss) => (None, &miss.unreadable),
    };
    if let Some(UnreadableSummary { rows, first }) = left_out {
        eprintln!("skipped: {}", Unreadable::line(*rows, first.first()));
    }
    match (format, rung, &answer) {
        (OutputFormat::Json, ..) => print(&format!("{line}\n"))?,
        (OutputFormat::Text, _, DecodedAnswer::Exact(found)) => print(&text(found))?,
        (
            OutputFormat::Text,
            Some(rung),
            DecodedAnswer::Sibling(instead)
            | DecodedAnswer::Neighbour(instead)
            | DecodedAnswer::Predicted(instead)
            | DecodedAnswer::Default(instead),
        ) => print(&instead.text(rung))?,
        (OutputFormat::Text, _, DecodedAnswer::None(miss)) if miss.tried.is_empty() => {
            eprintln!("{}", miss.reason);
        }
        (OutputFormat::Text, _, DecodedAnswer::None(miss)) => eprint!("{}", lines(&miss.tried)),
        (OutputFormat::Text, None, _) => {}
    }
    Ok(match rung.is_some_and(|rung| rung <= at_least) {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}

/// Asks a service, which notes a wish if it has no exact answer.
fn ask(client: &Client, request: &LookupRequest, at_least: Option<Rung>) -> anyhow::Result<String> {
    let target = request
        .target
        .context("a lookup in a service needs a target; name one with --target")?;
    let problem = request.problem.to_string();
    let mut query = vec![
        ("problem", problem.as_str()),
        ("target", target.name),
        ("ties", request.ties.name()),
    ];
    // Only if given: a service of an earlier version refuses an unknown parameter.
    query.extend(at_least.map(|rung| ("at_least", rung.name())));
    query.extend(request.device.as_deref().map(|device| ("device", device)));
    query.extend(
        request
            .generator
            .map(|generator| ("generator", generator.name())),
    );
    let answer = client.get(
        "/api/v1/configurations",
        &query,
        &[("Wavetune-Wish", "yes")],
    )?;
    match answer.status {
        200 => Ok(answer.body.trim_end().to_owned()),
        // A 404 without an answer in its body means that the server has no such address.
        404 if serde_json::from_str::<DecodedAnswer>(&answer.body).is_ok() => {
            Ok(answer.body.trim_end().to_owned())
        }
        _ => Err(client.refusal(&answer).into()),
    }
}

/// The parts of an answer that are printed for people.
#[derive(Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
enum DecodedAnswer {
    Exact(Box<DecodedTuning>),
    Sibling(Box<DecodedFallback>),
    Neighbour(Box<DecodedFallback>),
    Predicted(Box<DecodedFallback>),
    Default(Box<DecodedFallback>),
    None(DecodedMiss),
}

#[derive(Deserialize)]
struct DecodedFallback {
    problem: Problem,
    target: String,
    configuration: Configuration,
    generator: Generator,
    tuned: Option<DecodedTuning>,
    expected: Option<DecodedExpectation>,
    tried: Vec<RungMiss>,
    unreadable: Option<UnreadableSummary>,
}

#[derive(Deserialize)]
struct DecodedExpectation {
    time_us: f64,
    low_us: f64,
    high_us: f64,
    device: String,
}

#[derive(Deserialize)]
struct RungMiss {
    rung: String,
    reason: String,
}

#[derive(Deserialize)]
struct DecodedTuning {
    problem: Problem,
    target: String,
    configuration: Configuration,
    generator: Generator,
    status: Status,
    time_us: f64,
    speedup: Option<f64>,
    clock: Clock,
    provenance: DecodedProvenance,
    unreadable: Option<UnreadableSummary>,
}

#[derive(Deserialize)]
struct DecodedProvenance {
    device: String,
}

#[derive(Deserialize)]
struct DecodedMiss {
    reason: String,
    #[serde(default)]
    tried: Vec<RungMiss>,
    unreadable: Option<UnreadableSummary>,
}

#[derive(Deserialize)]
struct UnreadableSummary {
    rows: u64,
    first: Vec<String>,
}

fn text(found: &DecodedTuning) -> String {
    format!(
        "{} on {}: {}\n  {} kernels: {}\n",
        found.problem,
        found.target,
        found.time(),
        found.generator,
        short(&found.configuration),
    )
}

impl DecodedTuning {
    /// Formats the time, its device and the speedup over the default.
    fn time(&self) -> String {
        let speedup = self
            .speedup
            .map(|factor| format!(", {factor:.2} times the default's speed"));
        let on_ties = match self.status {
            Status::Tie => format!(", {ANOTHER_INDEX}"),
            _ => String::new(),
        };
        format!(
            "{:.2} µs {} on {}{}{on_ties}",
            self.time_us,
            self.clock,
            self.provenance.device,
            speedup.unwrap_or_default(),
        )
    }
}

impl DecodedExpectation {
    /// Formats the expected time with its interval and device.
    fn time(&self) -> String {
        let (us, low, high) = (self.time_us, self.low_us, self.high_us);
        let device = &self.device;
        format!("{us:.2} µs ({low:.2} to {high:.2}) expected on {device} by the time model")
    }
}

impl DecodedFallback {
    fn text(&self, rung: Rung) -> String {
        let tuned = match (rung, &self.tuned) {
            (_, None) => match &self.expected {
                Some(expected) => format!("  {}; nobody has timed it\n", expected.time()),
                None => "  nobody has timed it\n".to_owned(),
            },
            // The time is of the neighbour's shape, so it is not claimed for this one.
            (Rung::Neighbour, Some(tuned)) => format!(
                "  from {}: {}; nobody has timed it on this shape\n",
                tuned.problem,
                tuned.time()
            ),
            (_, Some(tuned)) => format!("  {}\n", tuned.time()),
        };
        format!(
            "{} on {}: {}\n  {} kernels: {}\n{tuned}{}",
            self.problem,
            self.target,
            rung.name(),
            self.generator,
            short(&self.configuration),
            lines(&self.tried),
        )
    }
}

/// Formats a line for each rung without an answer.
fn lines(tried: &[RungMiss]) -> String {
    let lines = tried.iter();
    lines
        .map(|RungMiss { rung, reason }| format!("  not {rung}: {reason}\n"))
        .collect()
}
