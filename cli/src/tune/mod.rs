//! `wavetune tune`: finds the best configuration of each problem, and stores every trial.

mod model_tuning;
mod progress;
mod remaining_time;
mod remote;

use std::path::PathBuf;
use std::pin::pin;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use configgen::{Generator, Problem};
use futures_util::{StreamExt as _, stream};
use store::Store;
use tuner::{Effort, Plan, Pool, Report, Strategy, TuneError, refusal, served_configuration};

use crate::builder::BuilderArguments;
use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::device_arguments::WorkerArguments;
use crate::model::{self, CompilerOptions, ModelArguments};
use crate::output::{OutputFormat, command_line, print, print_json};
use crate::sandbox::SandboxArgument;
use crate::service::ServiceArguments;
use crate::signals::{self, Signal};
use crate::ties::TiesArgument;
use crate::value_parsers::{efforts, problem_texts, strategies};
use crate::verbosity::note;
use crate::{Exit, input_parser, operation_file, wishes};
use progress::ProgressDisplay;

/// Find the best configuration of each problem.
///
/// Verifies each trial, times it, and stores it in the database.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TuneArguments {
    /// Problems or models.
    ///
    /// A problem is a text such as 'argmax:4x[32000]xf32'. A model is an MLIR file for
    /// iree-compile, such as model.mlir.
    #[arg(value_parser = problem_texts(), hide_possible_values = true)]
    problems: Vec<String>,
    /// File with one problem per line.
    ///
    /// # begins a comment. A tab ends the problem.
    #[arg(long = "problems", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tune the problems that lookups missed.
    ///
    /// `wavetune wishes` lists these problems. The command tunes those that the device and the
    /// generator support.
    #[arg(long, conflicts_with_all = ["problems", "file", "comparator", "url"])]
    wishes: bool,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    compiler: CompilerOptions,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// MLIR file with the problem as an operation.
    ///
    /// The file has one plain reduction: a linalg.generic or linalg.reduce of tensors. A
    /// linalg.fill initializes its output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problems", "file", "wishes", "comparator"])]
    operation: Option<PathBuf>,
    #[command(flatten)]
    device: WorkerArguments,
    #[command(flatten)]
    builder: BuilderArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
    /// Search strategy.
    ///
    /// No strategy repeats a trial. auto begins with estimated times, and learns from the results.
    /// docs/replay.md compares all of them.
    #[arg(long, default_value_t, value_parser = strategies())]
    strategy: Strategy,
    /// Maximum trials per problem [default: 128].
    ///
    /// The default configuration counts as one trial.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// Stop when more trials are not worth it.
    ///
    /// The search stops within 3 % of the lower bound, or if its model expects too little gain.
    /// That is 2 % for quick (at most 24 trials), 0.5 % for normal (128), and 0.1 % for thorough
    /// (512). With exhaustive it tries the whole space. Without --effort it spends its budget.
    #[arg(long, value_parser = efforts())]
    effort: Option<Effort>,
    /// Random seed of the strategy.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    service: ServiceArguments,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
Repeat the command to continue an interrupted study. With --server, the agents of a service run \
the study on the device that --device names. The service continues the study if this program ends.

For a model, the command tunes each arg_compare and each operation that a native kernel can \
replace (see `wavetune problems --help`). It uses both generators unless --generator names one. If \
one kernel or several can compute a group of operations, the command tunes both choices.

The summary of a model lists the status of each operation, the choice with the smaller sum of \
times, and the gain over untuned kernels. On an emulated device, its last lines compare the whole \
model with and without the kernels.

Exit codes: 0 found, 1 a problem without a correct configuration, 2 error.

Examples:
  wavetune tune 'argmax:4x[32000]xf32'
  wavetune tune 'argmax:4x[32000]xf32' --effort quick
  wavetune tune 'argmax:4x[4096]xf32' --generator iree --budget 32
  wavetune tune 'dot:4096x[11008]xbf16,bf16(1)'    # a matrix by a vector
  wavetune tune 'layer_norm:4096x[768]xbf16'
  wavetune tune 'argmax:4x[32000]xf32' --device hip:0 --sandbox
  wavetune tune --operation reduction.mlir
  wavetune tune --wishes --budget 500
  wavetune tune 'argmax:4x[32000]xf32' --server http://tuner.lan:8942
  wavetune tune model.mlir --device emulated:mi300x --budget 32
  wavetune tune --problems shapes.txt --budget 500 \\
    --output-format json > results.jsonl";

/// The maximum number of trials without `--budget` and `--effort`.
const BUDGET: u32 = 128;

impl TuneArguments {
    /// Returns the maximum number of trials of a problem.
    fn budget(&self) -> u32 {
        let usual = self.effort.map_or(BUDGET, Effort::budget);
        self.budget.unwrap_or(usual)
    }
}

pub(crate) fn run(arguments: TuneArguments) -> anyhow::Result<Exit> {
    let (models, others) = model::split(&arguments.problems);
    if !models.is_empty() {
        if !others.is_empty() || arguments.file.is_some() || arguments.wishes {
            bail!("tune models and problems with separate commands");
        }
        return model_tuning::tune(&arguments, &models);
    }
    if !arguments.compiler.options.is_empty() {
        bail!("options of iree-compile are for models, such as model.mlir");
    }
    let problems = match &arguments.operation {
        Some(path) => vec![operation_file::read(path)?],
        None => input_parser::problems(
            &arguments.problems,
            arguments.file.as_deref(),
            &arguments.comparator,
        )?,
    };
    if problems.is_empty() && !arguments.wishes {
        bail!("no problem; name one, as in `wavetune tune 'argmax:4x[32000]xf32'`");
    }
    if arguments.sandbox.is_wanted() && arguments.service.url.is_some() {
        bail!(
            "with --server, agents build and run the kernels; pass --sandbox to `wavetune agent`"
        );
    }
    note_unreached(arguments.builder.generator(), &problems);
    if let Some(client) = arguments.service.client()? {
        return block_on(remote::tune(&arguments, client, problems));
    }
    // Rigs first: a missing device is found faster than a compiler.
    let sandbox = arguments.sandbox.sandbox()?;
    let rigs = arguments.device.rigs(sandbox.clone())?;
    let builder = arguments.builder.builder(sandbox)?;
    let pool = Pool::start(rigs, builder)?;
    block_on(async {
        let store = arguments.database.open().await?;
        let generator = arguments.builder.generator();
        let tuned = tune_all(&arguments, generator, problems, &pool, &*store).await;
        if tuned.is_err() {
            // Releases the leases, so that the next run need not wait for their expiry.
            store.leave(None, pool.owner()).await.ok();
        }
        // Also after an error: closing moves SQLite's write-ahead log into the database.
        store.close().await;
        tuned
    })
}

/// Warns of problems that no export can serve, before time is spent on them.
fn note_unreached(generator: Generator, problems: &[Problem]) {
    for problem in problems {
        if let Some(reason) = generator.why_unreached(problem) {
            note!("note: {problem}: {reason}");
        }
    }
}

/// Tunes the problems, several at once so that no device waits. Prints the answers in their
/// order.
async fn tune_all(
    arguments: &TuneArguments,
    generator: Generator,
    problems: Vec<Problem>,
    pool: &Pool,
    store: &dyn Store,
) -> anyhow::Result<Exit> {
    let mut stop = signals::listen().context("cannot catch signals")?;
    let problems = match arguments.wishes {
        true => {
            let device = pool.identity();
            wishes::problems(store, device.row.target(), &device.name, generator).await?
        }
        false => problems,
    };
    let overview = ProgressDisplay::new(problems.len());
    // Only `--wishes` gets here without problems: nothing is wished for.
    let mut exit = match problems.is_empty() {
        true => Exit::NotFound,
        false => Exit::Found,
    };
    let study = async |(place, problem)| {
        let plan = Plan {
            problem,
            strategy: arguments.strategy,
            seed: arguments.seed,
            budget: arguments.budget(),
            effort: arguments.effort,
            ties: arguments.ties.index,
        };
        let start = Instant::now();
        overview.begin(place, &plan.problem);
        let progress = |now: &tuner::TuneProgress| overview.show(place, now);
        let result = match served_configuration(&plan, pool.offer(), store).await {
            Ok(known) => tuner::run(&plan, known, pool, store, progress).await,
            Err(error) => Err(error.into()),
        };
        overview.end(place);
        (plan, result, start.elapsed().as_secs_f64())
    };
    let studies = stream::iter(problems.into_iter().enumerate().map(study));
    let signal = {
        // `buffered` keeps the order of the problems; a device without work takes the next
        // study's trials.
        let mut studies = pin!(studies.buffered(pool.studies()));
        loop {
            let next = match overview.watch(studies.next(), &mut stop).await {
                Ok(next) => next,
                Err(signal) => break signal,
            };
            let Some((plan, result, seconds)) = next else {
                overview.clear();
                return Ok(exit);
            };
            let is_found = overview.suspend_bar(|| {
                print_answer(arguments, generator, &plan, result, store, seconds)
            })?;
            if !is_found {
                exit = Exit::NotFound;
            }
        }
    };
    // The studies must be dropped first: one in the middle of a query holds a connection, and
    // `close` waits for it.
    stopped(signal, &overview, pool.owner(), store).await
}

/// Prints the result of one problem. Returns whether a configuration was found.
fn print_answer(
    arguments: &TuneArguments,
    generator: Generator,
    plan: &Plan,
    result: Result<Report, TuneError>,
    store: &dyn Store,
    seconds: f64,
) -> anyhow::Result<bool> {
    let report = match result {
        Ok(report) => report,
        // These faults concern one problem; the run continues with the next.
        Err(error @ (TuneError::Problem { .. } | TuneError::Inputs(_))) => {
            eprintln!("{generator}: {error}");
            if arguments.output_format == OutputFormat::Json {
                print_json(&refusal(plan, generator, &error))?;
            }
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    // Also if an earlier run made every trial, and this one wrote nothing.
    store.check_place()?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&report.answer(seconds))?,
        OutputFormat::Text => print(&report.text(seconds, &format!("in {}", store.name())))?,
    }
    Ok(report.best.is_some())
}

/// Reports the status of an interrupted run and the command that continues it. Ends the program.
async fn stopped(signal: Signal, overview: &ProgressDisplay, owner: &str, store: &dyn Store) -> ! {
    overview.clear();
    let kept_in = store.name();
    eprint!("{}", overview.stopped(signal, &kept_in, &command_line()));
    // Releases the leases, so that the next run need not wait for their expiry.
    store.leave(None, owner).await.ok();
    store.close().await;
    signals::end(signal)
}
