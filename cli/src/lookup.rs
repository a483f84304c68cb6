//! `wavetune lookup`: what a compiler asks, answered from the database.

use ::lookup::{Request, short};
use anyhow::Context;
use clap::Args;
use client::Client;
use configgen::{Clock, Configuration, Generator, Problem, Target};
use serde::Deserialize;
use store::{ANOTHER_INDEX, Status, Unreadable};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::database::{Database, block_on};
use crate::names::{generators, targets};
use crate::output::{Format, print};
use crate::service::Service;
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
    #[command(flatten)]
    service: Service,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

const EXAMPLES: &str = "\
A miss is noted in the database, so that it can be tuned. A service is asked with a --target.
Exit codes: 0 found, 1 nothing found, 2 error.

Examples:
  wavetune lookup 'argmax:4x[32000]xf32'
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942
  wavetune lookup 'argmax:4x[4096]xf32' --target gfx942 --generator iree --output-format json
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942 --server http://tuner.lan:8942";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let request = Request {
        problem,
        target: arguments.target,
        device: arguments.device.clone(),
        generator: arguments.generator,
        ties: arguments.ties.index,
    };
    // Whoever answers says the same line.
    let line = match arguments.service.client()? {
        Some(client) => ask(&client, &request)?,
        None => block_on(async {
            let store = arguments.database.open_existing().await?;
            let answer = ::lookup::answer(&*store, &request).await?;
            store.close().await;
            Ok(answers::line(&answer))
        })?,
    };
    let answer: Answer = serde_json::from_str(&line).context("the answer is not one of lookup")?;
    let left_out = match &answer {
        Answer::Exact(found) => &found.unreadable,
        Answer::None(miss) => &miss.unreadable,
    };
    if let Some(LeftOut { rows, first }) = left_out {
        eprintln!("left out: {}", Unreadable::line(*rows, first.first()));
    }
    match (arguments.output_format, &answer) {
        (Format::Json, _) => print(&(line + "\n"))?,
        (Format::Text, Answer::Exact(found)) => print(&text(found))?,
        (Format::Text, Answer::None(miss)) => eprintln!("{}", miss.reason),
    }
    Ok(match answer {
        Answer::Exact(_) => Exit::Found,
        Answer::None(_) => Exit::NotFound,
    })
}

/// What a service answers, which notes what it does not find.
fn ask(client: &Client, request: &Request) -> anyhow::Result<String> {
    let target = request
        .target
        .context("a service is asked for a target: name it with --target")?;
    let problem = request.problem.to_string();
    let mut query = vec![
        ("problem", problem.as_str()),
        ("target", target.name),
        ("ties", request.ties.name()),
    ];
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
        200 | 404 => Ok(answer.body.trim_end().to_owned()),
        _ => Err(client.refusal(&answer).into()),
    }
}

/// What of an answer is told to people.
#[derive(Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
enum Answer {
    Exact(Box<Found>),
    None(Miss),
}

#[derive(Deserialize)]
struct Found {
    problem: Problem,
    target: String,
    configuration: Configuration,
    generator: Generator,
    status: Status,
    time_us: f64,
    speedup: Option<f64>,
    clock: Clock,
    provenance: Provenance,
    unreadable: Option<LeftOut>,
}

#[derive(Deserialize)]
struct Provenance {
    device: String,
}

#[derive(Deserialize)]
struct Miss {
    reason: String,
    unreadable: Option<LeftOut>,
}

#[derive(Deserialize)]
struct LeftOut {
    rows: u64,
    first: Vec<String>,
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
