//! Studies: the loop that asks the strategy, has candidates built and evaluated, and stores the trials.
//!
//! Workers take batches of candidates; one task stores what they send and tells the strategy. Which trial is which (its
//! ordinal) depends on problem, generator, strategy, seed and earlier results alone, never on who was faster or on the
//! budget, so an interrupted study, a resumed one and one with another number of jobs have the same trials.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use bench_harness::timing::{self, Entrant};
use bench_harness::{DeviceError, Inputs, Rig, TooLarge};
use configgen::{Problem, Rejection, Space, default_configuration};
use lookup::Merit;
use store::{Fault, Ledger, StoreError, Ties, Trial};

use crate::build::{Builder, Choice};
use crate::finals::{finalists, taken};
use crate::identity::study_key;
use crate::queue::Queue;
use crate::report::{Ended, Final, Report, Standing, Summary, faster_tie, summary};
use crate::strategy::{Search, Strategy};
use crate::worker::{Event, Job, Task, Workers};

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
    /// Which index is wanted where elements tie; what gives another is behind all that do not.
    pub ties: Ties,
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
    /// Whether all trials have ended and the best of them meet the default in finals.
    pub finals: bool,
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
    /// A trial of the study is in the database, but cannot be read. What it found is a part of the search, and trying it
    /// again would be another trial of its place.
    #[error(
        "the study cannot go on: {0}; go on with the wavetune that wrote it, or begin another with another --seed"
    )]
    Unreadable(StoreError),
    /// The database does not take the trials.
    #[error(transparent)]
    Store(StoreError),
    /// The device does not take the inputs, or cannot be used any more.
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

impl From<StoreError> for TuneError {
    fn from(error: StoreError) -> TuneError {
        match error.fault {
            Fault::Value(_) => TuneError::Unreadable(error),
            _ => TuneError::Store(error),
        }
    }
}

/// Bytes of inputs that all workers together put on emulated devices at most; one worker there is always.
const MAX_RESIDENT_BYTES: u64 = 4 << 30;

/// Runs a study to the end of its budget, or goes on with one that was interrupted.
///
/// Each device gets a worker thread. `progress` is called at the start, after every trial, when it is stored, and
/// before finals.
///
/// # Errors
///
/// [`TuneError`]. What was stored before stays stored.
pub async fn run(
    plan: &Plan,
    builder: Arc<dyn Builder>,
    devices: Vec<Box<dyn Rig>>,
    ledger: &dyn Ledger,
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
    let study = ledger.open_study(&key, Some(bound_us)).await?;
    let mut standing = Standing::new(generator, plan.ties);
    let mut known = HashMap::new();
    let score = |trial: &Trial| Merit::of(trial, generator, plan.ties);
    for trial in ledger.trials_of(&study).await? {
        if u64::from(trial.ordinal) < total {
            known.insert(trial.ordinal, score(&trial));
            standing.add(&trial);
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
        finals: false,
    };
    progress(&report_progress(&standing));

    let resumed = known.len() as u64;
    let remaining = total - resumed;
    let mut finals = None;
    if remaining > 0 || !identity.is_exact() {
        let inputs = Inputs::new(&plan.problem, INPUT_SEED)?;
        let devices = affordable(devices, remaining, &inputs);
        let search = (plan.strategy).search(&space, plan.seed, default.configuration());
        let batch = batch(builder.as_ref(), search.as_ref(), remaining, devices.len());
        let job = Job {
            problem: plan.problem.clone(),
            target,
            inputs,
            builder,
            default: default.clone(),
        };
        let mut queue = Queue::new(default, search, known, total);
        let mut workers = Workers::start(job, devices)?;
        loop {
            while workers.are_free() {
                let candidates = queue.next(batch);
                if candidates.is_empty() {
                    break;
                }
                workers.give(Task::Try(candidates));
            }
            let trial = match workers.next().await? {
                None => break,
                Some(Event::Trial(trial)) => trial,
                Some(_) => continue,
            };
            ledger.record_trial(&study, &trial).await?;
            queue.tell(&trial, score(&trial));
            standing.add(&trial);
            progress(&report_progress(&standing));
        }
        if standing.counts.total < total {
            workers.finish();
            return Err(TuneError::Lost(total - standing.counts.total));
        }
        let timed = |default: &Summary| default.time_us.is_some();
        if let Some(default) = standing.default.clone().filter(timed)
            && !identity.is_exact()
        {
            let mut trials = ledger.trials_of(&study).await?;
            trials.retain(|trial| u64::from(trial.ordinal) < total);
            let finalists = finalists(generator, plan.ties, &trials);
            progress(&Progress {
                finals: !finalists.is_empty(),
                ..report_progress(&standing)
            });
            finals = hold_finals(&mut workers, &finalists, default, plan).await?;
            if let Some((Final::Held { finals, winner }, _)) = &finals {
                let record = record(finals, *winner, plan.ties, &finalists, total);
                ledger.record_finals(&study, &record).await?;
            }
        }
        workers.finish();
    }
    let (finals, best_of_finals) = finals.unzip();
    let Ended {
        counts,
        default,
        best,
        tie,
    } = standing.end();
    let best = best_of_finals.flatten().or(best);
    Ok(Report {
        study: key,
        problem: plan.problem.clone(),
        target,
        device: identity.name,
        generator,
        clock: identity.clock,
        strategy: plan.strategy.name(),
        space: space.len(),
        counts,
        resumed,
        ties: plan.ties,
        faster_tie: faster_tie(best.as_ref(), tie),
        best,
        default,
        finals,
        checked_rows: bench_harness::checked_rows(&plan.problem).len() as u64,
        bound_us,
        dram_peak_us: identity.row.dram_peak_us(&plan.problem),
    })
}

/// Has a worker hold the finals of some trials and the default; with the one that is then to be taken, where that is
/// decided. None where there is nobody to compete with the default.
async fn hold_finals(
    workers: &mut Workers,
    finalists: &[&Trial],
    default: Summary,
    plan: &Plan,
) -> Result<Option<(Final, Option<Summary>)>, TuneError> {
    let configurations = finalists.iter().filter_map(|t| t.configuration.clone());
    let choices: Vec<Choice> = configurations.map(Choice::Configured).collect();
    if choices.is_empty() {
        return Ok(None);
    }
    if workers.are_free() {
        workers.give(Task::Finals(choices, plan.seed));
    }
    while let Some(event) = workers.next().await? {
        let Event::Finals(finals) = event else {
            continue;
        };
        return Ok(Some(match *finals {
            Err(reason) => (Final::Abandoned(reason), None),
            Ok(finals) => {
                let winner = taken(&finals, plan.ties, default.status, finalists);
                let best = match winner {
                    Entrant::Default => default,
                    Entrant::Finalist(place) => summary(finalists[place]),
                };
                (Final::Held { finals, winner }, Some(best))
            }
        }));
    }
    Ok(Some((Final::Abandoned("the worker died".to_owned()), None)))
}

/// What is stored of finals.
fn record(
    finals: &timing::Finals,
    winner: Entrant,
    ties: Ties,
    finalists: &[&Trial],
    trials: u64,
) -> store::Finals {
    let interval = finals.comparison.interval;
    store::Finals {
        // A plan has no more than fit.
        trials: u32::try_from(trials).unwrap_or(u32::MAX),
        winner: match winner {
            Entrant::Default => 0,
            Entrant::Finalist(place) => finalists[place].ordinal,
        },
        ties,
        speedup: finals.comparison.speedup,
        interval: (interval.low, interval.high),
        samples: finals.description(),
        ended: SystemTime::now(),
    }
}

/// Trials of a plan: its budget, or the whole space and the default.
fn total(space: &Space, default: &Choice, budget: u32) -> u64 {
    let inside = default
        .configuration()
        .is_some_and(|known| space.rank_of(known).is_some());
    u64::from(budget).min(space.len() + u64::from(!inside))
}

/// As many of the devices as there is work and memory for.
fn affordable(
    mut devices: Vec<Box<dyn Rig>>,
    remaining: u64,
    inputs: &Inputs,
) -> Vec<Box<dyn Rig>> {
    let most = remaining
        .min(MAX_RESIDENT_BYTES / inputs.bytes().max(1))
        .max(1);
    devices.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    devices
}

/// How many candidates are built at once: what the builder likes, if all workers have something to do.
fn batch(builder: &dyn Builder, search: &dyn Search, remaining: u64, workers: usize) -> usize {
    let share = remaining.div_ceil(2 * workers as u64);
    let share = usize::try_from(share).unwrap_or(usize::MAX);
    let side_by_side = search.generation().div_ceil(workers);
    builder.batch().min(share).min(side_by_side)
}
