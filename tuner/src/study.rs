//! Studies: the loop that builds, evaluates and stores candidates.
//!
//! Worker threads take batches of candidates, each with a device of its own; one task stores what they send. Which
//! trial is which depends on the plan alone (its ordinal), never on timing, so an interrupted study, a resumed one and
//! one with another number of jobs have the same trials.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bench_harness::{Bench, Device, DeviceError, Identity, Inputs, TooLarge};
use codegen::CompiledKernel;
use configgen::{Problem, Rejection, Space, default_configuration};
use store::{FailureKind, Outcome, Provenance, Role, Store, StoreError, StudyKey, Timing, Trial};
use tokio::sync::mpsc;

use crate::build::{Builder, Choice};
use crate::report::{Report, Standing};
use crate::strategy::Strategy;

/// Seed of the inputs. The same for every study, so that the times of all studies are of the same inputs.
const INPUT_SEED: u64 = 0;

/// What a study should do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is computed.
    pub problem: Problem,
    /// Where to look next; none chooses [by the size of the space](Strategy::suited_to).
    pub strategy: Option<Strategy>,
    /// Seed of the strategy.
    pub seed: u64,
    /// Trials at most, the default among them; at least 1.
    pub budget: u32,
}

/// How far a study is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Trials that have ended.
    pub done: u64,
    /// Trials that there will be.
    pub total: u64,
    /// Time of the default in microseconds.
    pub default_us: Option<f64>,
    /// Time of the best so far in microseconds.
    pub best_us: Option<f64>,
}

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The generator does not take this problem.
    #[error("{problem}: {rejection}")]
    Problem {
        /// The problem.
        problem: Problem,
        /// The rule that it breaks.
        rejection: Rejection,
    },
    /// The database does not take the trials.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The device does not take the inputs.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The problem cannot be verified.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// There is no device to work on.
    #[error("a study needs at least one device")]
    NoDevice,
}

/// One candidate, with its place in the study.
struct Candidate {
    ordinal: u32,
    choice: Choice,
}

/// What the workers share.
struct Job {
    problem: Problem,
    target: &'static configgen::Target,
    builder: Arc<dyn Builder>,
    inputs: Arc<Inputs>,
    queue: Mutex<VecDeque<Candidate>>,
    batch: usize,
}

/// Runs a study to the end of its budget, or goes on with one that was interrupted.
///
/// Each device gets a worker thread. `progress` is called at the start and after every trial, when it is stored.
///
/// # Errors
///
/// [`TuneError`]. What was stored before stays stored.
pub async fn run(
    plan: &Plan,
    builder: Arc<dyn Builder>,
    devices: Vec<Box<dyn Device>>,
    store: &Store,
    mut progress: impl FnMut(&Progress),
) -> Result<Report, TuneError> {
    let identity = devices
        .first()
        .ok_or(TuneError::NoDevice)?
        .identity()
        .clone();
    let (target, generator) = (identity.row.target(), builder.generator());
    let rejected = |rejection| TuneError::Problem {
        problem: plan.problem.clone(),
        rejection,
    };
    let default = default_configuration(&plan.problem, target, generator).map_err(rejected)?;
    let space = Space::new(&plan.problem, target, generator);
    let strategy = plan
        .strategy
        .unwrap_or(Strategy::suited_to(&space, plan.budget.into()));
    let bound_us = bench_harness::bound_us(&plan.problem, identity.row);

    let key = study_key(plan, &identity, builder.as_ref(), strategy);
    let study = store.open_study(&key, Some(bound_us)).await?;
    let candidates = candidates(&space, Choice::Default(default), strategy, plan);
    let total = candidates.len() as u64;

    let mut standing = Standing::default();
    let mut known = HashSet::new();
    for trial in store.trials_of(&study).await? {
        if u64::from(trial.ordinal) < total {
            known.insert(trial.ordinal);
            standing.add(generator, &trial);
        }
    }
    let report_progress = |standing: &Standing| Progress {
        done: standing.counts.total,
        total,
        default_us: standing
            .default
            .as_ref()
            .and_then(|default| default.time_us),
        best_us: standing.best_us(),
    };
    progress(&report_progress(&standing));

    let resumed = known.len() as u64;
    let queue: VecDeque<Candidate> = candidates
        .into_iter()
        .filter(|candidate| !known.contains(&candidate.ordinal))
        .collect();
    let job = Job {
        problem: plan.problem.clone(),
        target,
        inputs: Arc::new(Inputs::new(&plan.problem, INPUT_SEED)?),
        batch: builder
            .batch()
            .min(queue.len().div_ceil(2 * devices.len()))
            .max(1),
        builder,
        queue: Mutex::new(queue),
    };
    let mut trials = start(job, devices);
    while let Some(trial) = trials.recv().await {
        let trial = trial?;
        store.record_trial(&study, &trial).await?;
        standing.add(generator, &trial);
        progress(&report_progress(&standing));
    }
    let (counts, default, best) = standing.into_best();
    Ok(Report {
        problem: plan.problem.clone(),
        target,
        device: identity.name,
        generator,
        clock: identity.clock,
        strategy: strategy.name(),
        space: space.len(),
        counts,
        resumed,
        default,
        best,
        bound_us,
    })
}

/// The candidates of a plan, the default first.
fn candidates(space: &Space, default: Choice, strategy: Strategy, plan: &Plan) -> Vec<Candidate> {
    let known = default.configuration().cloned();
    let chosen = strategy
        .order(space, plan.seed)
        .filter(|configuration| Some(configuration) != known.as_ref())
        .map(Choice::Configured);
    let choices = std::iter::once(default).chain(chosen);
    let ordinals = 0..plan.budget;
    ordinals
        .zip(choices)
        .map(|(ordinal, choice)| Candidate { ordinal, choice })
        .collect()
}

fn study_key(
    plan: &Plan,
    identity: &Identity,
    builder: &dyn Builder,
    strategy: Strategy,
) -> StudyKey {
    let compiler = builder.compiler();
    StudyKey {
        problem: plan.problem.clone(),
        target: identity.row.target(),
        device: identity.name.clone(),
        generator: builder.generator(),
        clock: match identity.clock {
            bench_harness::Clock::Measured => store::Clock::Measured,
            bench_harness::Clock::Modelled => store::Clock::Modelled,
        },
        provenance: Provenance {
            timing: identity.timing_mode.to_owned(),
            driver: identity.driver.clone(),
            compiler: compiler.name.to_owned(),
            compiler_version: compiler.version,
            generator_version: builder.generator_version(),
        },
        strategy: strategy.name().to_owned(),
        seed: plan.seed,
    }
}

/// Starts a worker for each device. The channel ends when all of them have.
fn start(
    job: Job,
    devices: Vec<Box<dyn Device>>,
) -> mpsc::UnboundedReceiver<Result<Trial, DeviceError>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let job = Arc::new(job);
    for device in devices {
        let (job, sender) = (Arc::clone(&job), sender.clone());
        std::thread::spawn(move || {
            if let Err(error) = work(&job, device, &sender) {
                // The receiver is gone only when the study has already failed.
                sender.send(Err(error)).ok();
            }
        });
    }
    receiver
}

/// Takes batches until there are none, or until nobody listens.
fn work(
    job: &Job,
    device: Box<dyn Device>,
    sender: &mpsc::UnboundedSender<Result<Trial, DeviceError>>,
) -> Result<(), DeviceError> {
    let mut bench = Bench::new(device, Arc::clone(&job.inputs))?;
    loop {
        let batch = next_batch(job);
        if batch.is_empty() {
            return Ok(());
        }
        let choices: Vec<Choice> = batch
            .iter()
            .map(|candidate| candidate.choice.clone())
            .collect();
        let began = SystemTime::now();
        let kernels = job.builder.build(&job.problem, job.target, &choices);
        let built = began.elapsed().unwrap_or_default();
        let compile_ms = built.as_secs_f64() * 1e3 / batch.len() as f64;
        for (candidate, kernel) in batch.into_iter().zip(kernels) {
            let started = SystemTime::now();
            let compiled = kernel.is_ok();
            let outcome = match kernel {
                Ok(kernel) => evaluate(&mut bench, &kernel),
                Err(failure) => Outcome::Failed(failure.kind, failure.message),
            };
            let trial = Trial {
                ordinal: candidate.ordinal,
                role: match candidate.choice {
                    Choice::Default(_) => Role::Default,
                    Choice::Configured(_) => Role::Candidate,
                },
                configuration: candidate.choice.configuration().cloned(),
                outcome,
                input_seed: job.inputs.seed(),
                compile_ms: compiled.then_some(compile_ms),
                started,
                ended: SystemTime::now(),
            };
            if sender.send(Ok(trial)).is_err() {
                return Ok(());
            }
        }
    }
}

/// The next candidates; the default is a batch of its own, so that it ends first.
fn next_batch(job: &Job) -> Vec<Candidate> {
    let mut queue = job
        .queue
        .lock()
        .expect("no worker panics while it holds the queue");
    let default = matches!(
        queue.front(),
        Some(Candidate {
            choice: Choice::Default(_),
            ..
        })
    );
    let length = if default {
        1
    } else {
        job.batch.min(queue.len())
    };
    queue.drain(..length).collect()
}

fn evaluate(bench: &mut Bench, kernel: &CompiledKernel) -> Outcome {
    let timing = |timing: bench_harness::Timing| Timing {
        time_us: timing.median_us(),
        samples_us: timing.samples_us,
    };
    match bench.evaluate(kernel) {
        bench_harness::Outcome::Right(time) => Outcome::Right(timing(time)),
        bench_harness::Outcome::Tie(time, difference) => {
            Outcome::Tie(timing(time), difference.to_string())
        }
        bench_harness::Outcome::Wrong(difference) => Outcome::Wrong(difference.to_string()),
        bench_harness::Outcome::Failed(failure) => {
            Outcome::Failed(failure_kind(failure.kind), failure.message)
        }
    }
}

fn failure_kind(kind: bench_harness::FailureKind) -> FailureKind {
    match kind {
        bench_harness::FailureKind::Load => FailureKind::Rejected,
        bench_harness::FailureKind::Fault | bench_harness::FailureKind::Memory => {
            FailureKind::Fault
        }
        bench_harness::FailureKind::Timeout => FailureKind::Timeout,
    }
}
