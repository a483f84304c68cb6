//! Studies: the loop that builds, evaluates and stores candidates.
//!
//! Worker threads take batches of candidates, each with a device of its own; one task stores what they send. Which
//! trial is which depends on problem, generator, strategy and seed alone (its ordinal), never on timing or on the
//! budget, so an interrupted study, a resumed one and one with another number of jobs have the same trials.

use std::collections::HashSet;
use std::iter::Peekable;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bench_harness::{Bench, Device, DeviceError, Identity, Inputs, TooLarge};
use codegen::CompiledKernel;
use configgen::{Problem, Rejection, Space, default_configuration};
use store::{FailureKind, Outcome, Provenance, Role, Store, StoreError, StudyKey, Timing, Trial};
use tokio::sync::mpsc;

use crate::build::{BuildError, Builder, Choice};
use crate::report::{Report, Standing};
use crate::strategy::Strategy;

/// Seed of the inputs. The same for every study, so that the times of all studies are of the same inputs.
const INPUT_SEED: u64 = 0;

/// What a study should do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is computed.
    pub problem: Problem,
    /// Where to look next.
    pub strategy: Strategy,
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
    /// The machine failed to build a kernel.
    #[error("a kernel could not be built, for no fault of its own: {0}")]
    Environment(String),
    /// A worker thread could not be started.
    #[error("a worker cannot be started: {0}")]
    Thread(std::io::Error),
    /// A worker died.
    #[error("a worker died; {0} trials are missing, the others are kept: run it again")]
    Lost(u64),
    /// There is no device to work on.
    #[error("a study needs at least one device")]
    NoDevice,
}

/// One candidate, with its place in the study.
struct Candidate {
    ordinal: u32,
    choice: Choice,
}

/// Candidates that are still to be tried, in order.
type Queue = Peekable<Box<dyn Iterator<Item = Candidate> + Send>>;

/// What the workers share.
struct Job {
    problem: Problem,
    target: &'static configgen::Target,
    builder: Arc<dyn Builder>,
    inputs: Inputs,
    queue: Mutex<Queue>,
    batch: usize,
}

/// Bytes of inputs that all workers together put on emulated devices at most; one worker there is always.
const MAX_RESIDENT_BYTES: u64 = 4 << 30;

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
    let space = Arc::new(Space::new(&plan.problem, target, generator));
    let bound_us = bench_harness::bound_us(&plan.problem, identity.row);
    let default = Choice::Default(default);
    let total = total(&space, &default, plan.budget);

    let key = study_key(plan, &identity, builder.as_ref(), &space);
    let study = store.open_study(&key, Some(bound_us)).await?;
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
    if resumed < total {
        let remaining = total - resumed;
        let inputs = Inputs::new(&plan.problem, INPUT_SEED)?;
        let workers = workers(devices, remaining, &inputs);
        let share = remaining.div_ceil(2 * workers.len() as u64);
        let candidates = candidates(&space, default, plan);
        let candidates = candidates.filter(move |candidate| !known.contains(&candidate.ordinal));
        let candidates: Box<dyn Iterator<Item = Candidate> + Send> = Box::new(candidates);
        let job = Job {
            problem: plan.problem.clone(),
            target,
            inputs,
            batch: builder
                .batch()
                .min(usize::try_from(share).unwrap_or(usize::MAX)),
            builder,
            queue: Mutex::new(candidates.peekable()),
        };
        let mut trials = start(job, workers)?;
        while let Some(trial) = trials.recv().await {
            let trial = trial?;
            store.record_trial(&study, &trial).await?;
            standing.add(generator, &trial);
            progress(&report_progress(&standing));
        }
        if standing.counts.total < total {
            return Err(TuneError::Lost(total - standing.counts.total));
        }
    }
    let (counts, default, best) = standing.into_best();
    Ok(Report {
        problem: plan.problem.clone(),
        target,
        device: identity.name,
        generator,
        clock: identity.clock,
        strategy: plan.strategy.name(),
        space: space.len(),
        counts,
        resumed,
        default,
        best,
        checked_rows: bench_harness::checked_rows(&plan.problem).len() as u64,
        bound_us,
    })
}

/// Trials of a plan: its budget, or the whole space and the default.
fn total(space: &Space, default: &Choice, budget: u32) -> u64 {
    let inside = default
        .configuration()
        .is_some_and(|known| space.rank_of(known).is_some());
    u64::from(budget).min(space.len() + u64::from(!inside))
}

/// The candidates of a plan, the default first.
fn candidates(
    space: &Arc<Space>,
    default: Choice,
    plan: &Plan,
) -> impl Iterator<Item = Candidate> + Send + use<> {
    let known = default
        .configuration()
        .and_then(|known| space.nth(space.rank_of(known)?));
    let chosen = plan
        .strategy
        .order(Arc::clone(space), plan.seed)
        .filter(move |configuration| Some(configuration) != known.as_ref())
        .map(Choice::Configured);
    let ordinals = 0..plan.budget;
    let choices = std::iter::once(default).chain(chosen);
    ordinals
        .zip(choices)
        .map(|(ordinal, choice)| Candidate { ordinal, choice })
}

/// As many of the devices as there is work and memory for.
fn workers(
    mut devices: Vec<Box<dyn Device>>,
    remaining: u64,
    inputs: &Inputs,
) -> Vec<Box<dyn Device>> {
    let most = remaining
        .min(MAX_RESIDENT_BYTES / inputs.bytes().max(1))
        .max(1);
    devices.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    devices
}

fn study_key(plan: &Plan, identity: &Identity, builder: &dyn Builder, space: &Space) -> StudyKey {
    let compiler = builder.compiler();
    let strategy = plan.strategy;
    StudyKey {
        problem: plan.problem.clone(),
        target: identity.row.target(),
        device: identity.name.clone(),
        generator: builder.generator(),
        clock: identity.clock,
        provenance: Provenance {
            timing: format!("{}, inputs {}", identity.timing_mode, Inputs::VERSION),
            driver: identity.driver.clone(),
            compiler: compiler.name.to_owned(),
            compiler_version: compiler.version,
            generator_version: builder.generator_version(),
        },
        strategy: format!("{strategy} of {}", fingerprint(space)),
        seed: plan.seed,
    }
}

/// What tells the space of one version of us from that of another: an ordinal means the same trial in both only if they
/// are the same. Its length and some of its configurations, hashed.
fn fingerprint(space: &Space) -> String {
    let mut hasher = blake3::Hasher::new();
    for sample in 0..SAMPLES {
        let rank = space.len().saturating_sub(1) as u128 * sample / (SAMPLES - 1);
        hasher.update(format!("{:?}", space.nth(rank as u64)).as_bytes());
    }
    format!("{}-{}", space.len(), &hasher.finalize().to_hex()[..8])
}

/// Configurations that a fingerprint looks at.
const SAMPLES: u128 = 64;

/// Starts a worker for each device. The channel ends when all of them have.
fn start(
    job: Job,
    devices: Vec<Box<dyn Device>>,
) -> Result<mpsc::UnboundedReceiver<Result<Trial, TuneError>>, TuneError> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let job = Arc::new(job);
    for device in devices {
        let (job, sender) = (Arc::clone(&job), sender.clone());
        let work = move || {
            if let Err(error) = work(&job, device, &sender) {
                // The receiver is gone only when the study has already failed.
                sender.send(Err(error)).ok();
            }
        };
        std::thread::Builder::new()
            .spawn(work)
            .map_err(TuneError::Thread)?;
    }
    Ok(receiver)
}

/// Takes batches until there are none, or until nobody listens.
fn work(
    job: &Job,
    device: Box<dyn Device>,
    sender: &mpsc::UnboundedSender<Result<Trial, TuneError>>,
) -> Result<(), TuneError> {
    let mut bench = Bench::new(device, &job.inputs)?;
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
                Ok(kernel) => evaluate(&mut bench, &kernel)?,
                Err(BuildError::Failed(kind, message)) => Outcome::Failed(kind, message),
                Err(BuildError::Environment(message)) => {
                    return Err(TuneError::Environment(message));
                }
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

/// The next candidates; the default is a batch of its own, so that it waits for no other kernel.
fn next_batch(job: &Job) -> Vec<Candidate> {
    let mut queue = job
        .queue
        .lock()
        .expect("no worker panics while it holds the queue");
    let default = matches!(
        queue.peek(),
        Some(Candidate {
            choice: Choice::Default(_),
            ..
        })
    );
    let length = if default { 1 } else { job.batch };
    queue.by_ref().take(length).collect()
}

fn evaluate(bench: &mut Bench, kernel: &CompiledKernel) -> Result<Outcome, TuneError> {
    let timing = |timing: bench_harness::Timing| Timing {
        time_us: timing.median_us(),
        samples_us: timing.samples_us,
    };
    Ok(match bench.evaluate(kernel) {
        bench_harness::Outcome::Right(time) => Outcome::Right(timing(time)),
        bench_harness::Outcome::Tie(time, difference) => {
            Outcome::Tie(timing(time), difference.to_string())
        }
        bench_harness::Outcome::Wrong(difference) => Outcome::Wrong(difference.to_string()),
        bench_harness::Outcome::Failed(error) => {
            let message = error.to_string();
            match error {
                DeviceError::Load(_) => Outcome::Failed(FailureKind::Rejected, message),
                DeviceError::Fault(_) => Outcome::Failed(FailureKind::Fault, message),
                DeviceError::Timeout(_) => Outcome::Failed(FailureKind::Timeout, message),
                // No room is no fault of the kernel's.
                DeviceError::Memory { .. } => return Err(error.into()),
            }
        }
    })
}
