//! `wavetune tune`: searches the best configuration of each problem, and keeps every trial.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_harness::{Device, EmulatedDevice};
use clap::Args;
use codegen::cache::Cache;
use codegen::iree::IreeCompiler;
use codegen::native::Native;
use configgen::{Configuration, Generator, Problem};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use store::{Status, Store};
use tuner::{Builder, Iree, Plan, Progress, Report, Strategy, Summary, TuneError};

use crate::database::{Database, block_on};
use crate::output::{Format, print, print_json, short};
use crate::{Exit, inputs};

/// Find the best configuration of each problem; every trial is checked and kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Problems, such as 'argmax:4x[32000]xf32'.
    problems: Vec<String>,
    /// File with problems: one a line, # begins a comment, a tab ends the problem.
    #[arg(long = "problems", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Device to tune for; see `wavetune devices`.
    #[arg(long, default_value = "emulated:mi300x")]
    device: String,
    /// Who builds the kernels: native or iree.
    #[arg(long, default_value = "native")]
    generator: String,
    /// Where to look: exhaustive or random [default: exhaustive where the budget allows].
    #[arg(long)]
    strategy: Option<String>,
    /// Trials of each problem at most, the default configuration among them.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    budget: u32,
    /// Seed of the strategy.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    #[command(flatten)]
    database: Database,
    /// Worker threads [default: one for each core].
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
    /// Limit of one compilation by iree-compile, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    compile_limit: u64,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

const EXAMPLES: &str = "\
A study that was interrupted goes on where it stood when the same command is given again.
Exit codes: 0 found, 1 a problem without a right configuration, 2 error.

Examples:
  wavetune tune 'argmax:4x[32000]xf32'
  wavetune tune 'argmax:4x[4096]xf32' --generator iree --budget 32
  wavetune tune --problems shapes.txt --budget 500 --output-format json > results.jsonl";

/// The answer for one problem.
#[derive(Serialize)]
struct Answer<'a> {
    problem: &'a Problem,
    target: &'a str,
    device: &'a str,
    generator: Generator,
    clock: &'a str,
    strategy: &'a str,
    seed: u64,
    /// Configurations in the space.
    space: u64,
    trials: Trials,
    default: Option<Entry<'a>>,
    best: Option<Entry<'a>>,
    speedup: Option<f64>,
    bound_us: f64,
    seconds: f64,
}

/// Trials by how they ended; of them, `resumed` were made by an earlier run.
#[derive(Serialize)]
struct Trials {
    total: u64,
    right: u64,
    tie: u64,
    wrong: u64,
    failed: u64,
    resumed: u64,
}

/// One configuration and what it did.
#[derive(Serialize)]
struct Entry<'a> {
    /// None where the default is none, as with IREE's fallback pipeline.
    configuration: Option<&'a Configuration>,
    status: Status,
    time_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// The answer for a problem that the generator does not take.
#[derive(Serialize)]
struct Refusal<'a> {
    problem: &'a Problem,
    generator: Generator,
    rule: &'a str,
    message: &'a str,
    best: Option<()>,
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    let problems = inputs::problems(&arguments.problems, arguments.file.as_deref())?;
    let generator: Generator = arguments.generator.parse()?;
    let strategy = arguments
        .strategy
        .as_deref()
        .map(str::parse::<Strategy>)
        .transpose()?;
    // An unknown device is told before a compiler is looked for.
    EmulatedDevice::named(&arguments.device)?;
    let builder = builder(generator, Duration::from_secs(arguments.compile_limit))?;
    block_on(async {
        let store = arguments.database.open().await?;
        let mut exit = Exit::Found;
        for problem in problems {
            let plan = Plan {
                problem,
                strategy,
                seed: arguments.seed,
                budget: arguments.budget,
            };
            if !tune(&arguments, &plan, &builder, &store).await? {
                exit = Exit::NotFound;
            }
        }
        store.close().await;
        Ok(exit)
    })
}

/// Tunes one problem and prints the answer; whether there is one.
async fn tune(
    arguments: &Arguments,
    plan: &Plan,
    builder: &Arc<dyn Builder>,
    store: &Store,
) -> anyhow::Result<bool> {
    let start = Instant::now();
    let bar = progress_bar(&plan.problem);
    let devices = devices(arguments)?;
    let progress = |progress: &Progress| show(&bar, progress);
    let result = tuner::run(plan, Arc::clone(builder), devices, store, progress).await;
    bar.finish_and_clear();
    let report = match result {
        Ok(report) => report,
        Err(TuneError::Problem { problem, rejection }) => {
            eprintln!(
                "{problem}: {} does not take it: {rejection}",
                builder.generator()
            );
            if arguments.output_format == Format::Json {
                print_json(&Refusal {
                    problem: &problem,
                    generator: builder.generator(),
                    rule: rejection.rule,
                    message: &rejection.message,
                    best: None,
                })?;
            }
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    match arguments.output_format {
        Format::Json => print_json(&answer(&report, arguments.seed, seconds))?,
        Format::Text => print(&text(&report, store, seconds))?,
    }
    Ok(report.best.is_some())
}

/// The builder of a generator, or what to install for it.
fn builder(generator: Generator, limit: Duration) -> anyhow::Result<Arc<dyn Builder>> {
    Ok(match generator {
        Generator::Native => Arc::new(Native::load(Cache::of_user())?),
        Generator::Iree => Arc::new(Iree::new(IreeCompiler::find()?).with_time_limit(limit)),
    })
}

/// A device for each worker.
fn devices(arguments: &Arguments) -> anyhow::Result<Vec<Box<dyn Device>>> {
    let cores = std::thread::available_parallelism().ok();
    let jobs = arguments.jobs.or(cores).map_or(1, NonZero::get);
    (0..jobs)
        .map(|_| Ok(Box::new(EmulatedDevice::named(&arguments.device)?) as Box<dyn Device>))
        .collect()
}

/// On a terminal a bar, in a pipe nothing.
fn progress_bar(problem: &Problem) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {elapsed} {msg}")
        .expect("the template is valid");
    ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_prefix(problem.to_string())
}

fn show(bar: &ProgressBar, progress: &Progress) {
    bar.set_length(progress.total);
    bar.set_position(progress.done);
    if let Some(best) = progress.best_us {
        let default = progress
            .default_us
            .map(|us| format!(", default {us:.2} µs"));
        bar.set_message(format!("best {best:.2} µs{}", default.unwrap_or_default()));
    }
}

fn answer<'a>(report: &'a Report, seed: u64, seconds: f64) -> Answer<'a> {
    let counts = report.counts;
    Answer {
        problem: &report.problem,
        target: report.target.name,
        device: &report.device,
        generator: report.generator,
        clock: report.clock.name(),
        strategy: report.strategy,
        seed,
        space: report.space,
        trials: Trials {
            total: counts.total,
            right: counts.right,
            tie: counts.tie,
            wrong: counts.wrong,
            failed: counts.failed,
            resumed: report.resumed,
        },
        default: report.default.as_ref().map(entry),
        best: report.best.as_ref().map(entry),
        speedup: report.speedup(),
        bound_us: report.bound_us,
        seconds,
    }
}

fn entry(summary: &Summary) -> Entry<'_> {
    Entry {
        configuration: summary.configuration.as_ref(),
        status: summary.status,
        time_us: summary.time_us,
        message: summary.message.as_deref(),
    }
}

/// The answer for a person.
fn text(report: &Report, store: &Store, seconds: f64) -> String {
    let counts = report.counts;
    let mut text = format!(
        "{} on {}, {} kernels, {} of {} configurations ({})\n",
        report.problem,
        report.device,
        report.generator,
        counts.total,
        report.space,
        report.strategy
    );
    for (name, summary) in [("default", &report.default), ("best", &report.best)] {
        text += &match summary {
            Some(summary) => format!("  {name:<8} {}\n", line(summary)),
            None => format!("  {name:<8} none is right\n"),
        };
    }
    let speedup = report
        .speedup()
        .map(|factor| format!("{factor:.2} times the default's speed, "));
    text += &format!(
        "  {}bound {:.2} µs; all times {}\n",
        speedup.unwrap_or_default(),
        report.bound_us,
        report.clock
    );
    text += &format!(
        "  {} trials: {} right, {} tie index differs, {} wrong, {} failed",
        counts.total, counts.right, counts.tie, counts.wrong, counts.failed
    );
    if report.resumed > 0 {
        text += &format!("; {} of them from an earlier run", report.resumed);
    }
    text + &format!("\n  {seconds:.1} s, kept in {}\n", store.path().display())
}

fn line(summary: &Summary) -> String {
    let time = summary.time_us.map(|us| format!("{us:>9.2} µs  "));
    let configuration = summary.configuration.as_ref().map(short);
    let message = match summary.status {
        Status::Right => String::new(),
        status => format!("  [{}{}]", status.name(), reason(summary)),
    };
    format!(
        "{}{}{message}",
        time.unwrap_or_default(),
        configuration
            .as_deref()
            .unwrap_or("the generator's fallback")
    )
}

fn reason(summary: &Summary) -> String {
    summary
        .message
        .as_ref()
        .map(|message| format!(": {message}"))
        .unwrap_or_default()
}
