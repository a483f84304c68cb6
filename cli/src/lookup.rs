//! `wavetune lookup`: answers a compiler's question from the database.

use ::lookup::{
    FallbackAnswer, FoundConfiguration, LookupAnswer, LookupRequest, PrintedAnswer, Rung,
    check_device, short,
};
use answers::lookup::EmptyRung;
use anyhow::Context;
use clap::Args;
use configgen::{Generator, Target};
use server_client::Client;
use store::{ANOTHER_INDEX, Status};

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
    let answer: LookupAnswer = serde_json::from_str(line)
        .context("the answer of the service is not an answer of a lookup")?;
    let rung = answer.rung();
    if !answer.unreadable().is_none() {
        eprintln!("skipped: {}", answer.unreadable());
    }
    match (format, rung, &answer) {
        (OutputFormat::Json, ..) => print(&format!("{line}\n"))?,
        (OutputFormat::Text, _, LookupAnswer::Exact(found)) => print(&text(found))?,
        (
            OutputFormat::Text,
            Some(rung),
            LookupAnswer::Sibling(instead)
            | LookupAnswer::Neighbour(instead)
            | LookupAnswer::Default(instead),
        ) => print(&fallback_text(instead, rung))?,
        (OutputFormat::Text, _, LookupAnswer::None(miss)) if miss.tried.is_empty() => {
            eprintln!("{}", miss.reason);
        }
        (OutputFormat::Text, _, LookupAnswer::None(miss)) => eprint!("{}", lines(&miss.tried)),
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
        404 if serde_json::from_str::<LookupAnswer>(&answer.body).is_ok() => {
            Ok(answer.body.trim_end().to_owned())
        }
        _ => Err(client.refusal(&answer).into()),
    }
}

fn text(found: &FoundConfiguration) -> String {
    format!(
        "{} on {}: {}\n  {} kernels: {}\n",
        found.problem,
        found.target,
        time(found),
        found.generator,
        short(&found.configuration),
    )
}

/// Formats the time, its device and the speedup over the default.
fn time(found: &FoundConfiguration) -> String {
    let speedup = found
        .speedup
        .map(|factor| format!(", {factor:.2} times the default's speed"));
    let on_ties = match found.status {
        Status::Tie => format!(", {ANOTHER_INDEX}"),
        _ => String::new(),
    };
    format!(
        "{:.2} µs {} on {}{}{on_ties}",
        found.time_us,
        found.clock,
        found.provenance.device,
        speedup.unwrap_or_default(),
    )
}

/// Formats an answer of a lower rung.
fn fallback_text(answer: &FallbackAnswer, rung: Rung) -> String {
    let tuned = answer.tuned.as_ref().and_then(PrintedAnswer::read);
    let tuned = tuned.as_ref().and_then(LookupAnswer::found);
    let tuned = match (rung, tuned) {
        (_, None) => "  nobody has timed it\n".to_owned(),
        // The time is of the neighbour's shape, so it is not claimed for this one.
        (Rung::Neighbour, Some(tuned)) => format!(
            "  from {}: {}; nobody has timed it on this shape\n",
            tuned.problem,
            time(tuned)
        ),
        (_, Some(tuned)) => format!("  {}\n", time(tuned)),
    };
    format!(
        "{} on {}: {}\n  {} kernels: {}\n{tuned}{}",
        answer.problem,
        answer.target,
        rung.name(),
        answer.generator,
        short(&answer.configuration),
        lines(&answer.tried),
    )
}

/// Formats a line for each rung without an answer.
fn lines(tried: &[EmptyRung]) -> String {
    let lines = tried.iter();
    lines
        .map(|EmptyRung { rung, reason }| format!("  not {}: {reason}\n", rung.name()))
        .collect()
}
