//! `wavetune tune`: searches the best configuration of each problem, and keeps every trial.

mod answer;
mod pace;
mod progress;
mod stop;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use bench_harness::Rig;
use clap::Args;
use configgen::Generator;
use store::Ledger as _;
use store_sqlite::Sqlite;
use tokio::sync::mpsc;
use tuner::{Builder, Plan, Strategy, TuneError};

use crate::comparator::ComparatorFile;
use crate::database::{Database, block_on};
use crate::device::DeviceArguments;
use crate::generator::generators;
use crate::output::{Format, command_line, print, print_json};
use crate::ties::TiesArgument;
use crate::{Exit, inputs, wishes};
use answer::{answer, refusal, text};
use progress::Overview;
use stop::Signal;

/// Find the best configuration of each problem; every trial is checked and kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Problems, such as 'argmax:4x[32000]xf32'.
    problems: Vec<String>,
    /// File with problems: one a line, # begins a comment, a tab ends the problem.
    #[arg(long = "problems", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tune what lookups asked for and did not find (see `wavetune wishes`), as far as device and generator can answer it.
    #[arg(long, conflicts_with_all = ["problems", "file", "comparator"])]
    wishes: bool,
    #[command(flatten)]
    comparator: ComparatorFile,
    #[command(flatten)]
    device: DeviceArguments,
    /// Who builds the kernels.
    #[arg(long, default_value_t, value_parser = generators())]
    generator: Generator,
    /// Where to look: evolution (near the best so far, and at random), random, or exhaustive; all without repetition.
    #[arg(long, default_value = "evolution")]
    strategy: String,
    /// Trials of each problem at most, the default configuration among them.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    budget: u32,
    /// Seed of the strategy.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    database: Database,
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
  wavetune tune --wishes --budget 500
  wavetune tune --problems shapes.txt --budget 500 --output-format json > results.jsonl";

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    let problems = inputs::problems(
        &arguments.problems,
        arguments.file.as_deref(),
        &arguments.comparator,
    )?;
    if problems.is_empty() && !arguments.wishes {
        bail!("no problem given; name one, as in `wavetune tune 'argmax:4x[32000]xf32'`");
    }
    let generator = arguments.generator;
    let strategy: Strategy = arguments.strategy.parse()?;
    // A device that is not there is told before a compiler is looked for.
    let mut rigs = Some(arguments.device.rigs()?);
    let builder = tuner::builder(generator, Duration::from_secs(arguments.compile_limit))?;
    block_on(async {
        let store = arguments.database.open().await?;
        let mut stop = stop::listen().context("signals cannot be caught")?;
        let tuned = async {
            let problems = match rigs.as_ref().and_then(|rigs| rigs.first()) {
                Some(rig) if arguments.wishes => {
                    let device = rig.identity();
                    wishes::problems(&store, device.row.target(), &device.name, generator).await?
                }
                _ => problems,
            };
            let overview = Overview::new(problems.len());
            let mut exit = Exit::Found;
            if problems.is_empty() {
                exit = Exit::NotFound;
            }
            for problem in problems {
                let plan = Plan {
                    problem,
                    strategy,
                    seed: arguments.seed,
                    budget: arguments.budget,
                    ties: arguments.ties.index,
                };
                let rigs = rigs.take().map_or_else(|| arguments.device.rigs(), Ok)?;
                if !tune(
                    &arguments, &plan, &builder, rigs, &store, &overview, &mut stop,
                )
                .await?
                {
                    exit = Exit::NotFound;
                }
            }
            Ok(exit)
        };
        let exit = tuned.await;
        // Also after an error: what is in the log goes into the database.
        store.close().await;
        exit
    })
}

/// Tunes one problem and prints the answer; whether there is one.
async fn tune(
    arguments: &Arguments,
    plan: &Plan,
    builder: &Arc<dyn Builder>,
    rigs: Vec<Box<dyn Rig>>,
    store: &Sqlite,
    overview: &Overview,
    stop: &mut mpsc::Receiver<Signal>,
) -> anyhow::Result<bool> {
    let start = Instant::now();
    overview.begin(&plan.problem);
    let progress = |now: &tuner::Progress| overview.show(now);
    let study = tuner::run(plan, Arc::clone(builder), rigs, store, progress);
    let watched = overview.watch(study, stop).await;
    overview.end(watched.is_ok());
    let result = match watched {
        Ok(result) => result,
        Err(signal) => stopped(signal, overview, store).await,
    };
    let report = match result {
        Ok(report) => report,
        Err(error @ (TuneError::Problem { .. } | TuneError::TooLarge(_))) => {
            eprintln!("{}: {error}", builder.generator());
            if arguments.output_format == Format::Json {
                print_json(&refusal(
                    plan,
                    builder.generator(),
                    &error.to_string(),
                    &error,
                ))?;
            }
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    // Also where every trial was made by an earlier run.
    store.check_place()?;
    let seconds = start.elapsed().as_secs_f64();
    match arguments.output_format {
        Format::Json => print_json(&answer(&report, arguments.seed, seconds))?,
        Format::Text => print(&text(&report, &store.name(), seconds))?,
    }
    Ok(report.best.is_some())
}

/// Says what a run that a signal ended has done and how it goes on, and ends the program.
async fn stopped(signal: Signal, overview: &Overview, store: &Sqlite) -> ! {
    let kept_in = store.name();
    eprint!("{}", overview.stopped(signal, &kept_in, &command_line()));
    store.clone().close().await;
    stop::end(signal)
}
