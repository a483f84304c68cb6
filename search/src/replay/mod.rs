//! Replays: searches of a recorded space, on a simulated clock.
//!
//! A replay runs a strategy with several seeds. A trial's time and its duration come from the
//! record. With noise, the strategy sees one recorded sample of each configuration. The result
//! still counts the recorded time of the configuration that seems best.

mod random_baseline;
mod score;

use std::sync::Arc;
use std::thread;

use configgen::seeded_random::{self, Random};
use lookup::Merit;

use crate::recorded_space::{RecordedSpace, RecordedTrial};
use crate::space::SearchSpace;
use crate::strategy::{SearchSetup, Strategy};
use random_baseline::RandomBaseline;

/// The numbers of evaluations after which a replay reports the best.
pub const CHECKPOINTS: [usize; 4] = [25, 50, 100, 200];

/// The random stream of noise.
// Strategies use the streams 0 to 5.
const NOISE_STREAM: u64 = 9;

/// The task of a replay.
#[derive(Debug, Clone, Copy)]
pub struct ReplayPlan {
    /// The strategy.
    pub strategy: Strategy,
    /// The maximum number of evaluations of a run.
    pub budget: usize,
    /// The number of runs. Their seeds are 0, 1, 2 and so on.
    pub seeds: u64,
    /// The number of proposals between two waits for results.
    pub batch: usize,
    /// True if the strategy sees recorded samples in place of times.
    pub has_noise: bool,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayResult {
    /// For each checkpoint within the budget, the geometric mean over the runs of the best time as
    /// a multiple of the optimum. None if a run has found nothing by then.
    pub best: Vec<(usize, Option<f64>)>,
    /// The evaluations to within 5 % of the optimum.
    pub within_5_percent: Reach,
    /// The evaluations to within 1 % of the optimum.
    pub within_1_percent: Reach,
    /// The score P by evaluations; none if random search is at the optimum at once.
    pub score_by_evaluations: Option<f64>,
    /// The score P by the simulated clock; none if the record has no durations.
    pub score_by_time: Option<f64>,
}

/// The evaluations of all runs until a goal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The fraction of runs that reach the goal within the budget.
    pub share: f64,
    /// The median number of evaluations over all runs, if at least half of them reach the goal.
    pub median: Option<usize>,
}

/// The course of a run after each evaluation.
#[derive(Debug, Default)]
struct ReplayRun {
    /// The recorded time of the best configuration so far in milliseconds; infinite before the
    /// first success.
    best_ms: Vec<f64>,
    /// The simulated clock in milliseconds.
    clock_ms: Vec<f64>,
}

/// Runs all seeds of a plan. The result does not depend on the number of processors.
pub fn replay(recorded: &RecordedSpace, plan: &ReplayPlan) -> ReplayResult {
    let space: Arc<dyn SearchSpace> = Arc::new(recorded.space.clone());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let run = |seed| run(&space, &recorded.trials, plan, seed);
    let mut runs: Vec<(u64, ReplayRun)> = thread::scope(|scope| {
        let work = |first: u64| {
            move || {
                // Interleaved, so that the workers' numbers of runs differ by one at most.
                let seeds = (first..plan.seeds).step_by(workers);
                seeds.map(|seed| (seed, run(seed))).collect::<Vec<_>>()
            }
        };
        let workers: Vec<_> = (0..workers as u64)
            .map(|first| scope.spawn(work(first)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        let runs = joined.map(|runs| runs.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        runs.flatten().collect()
    });
    // Sums of reals depend on the order, and that of the workers on their number.
    runs.sort_by_key(|run| run.0);
    let runs: Vec<ReplayRun> = runs.into_iter().map(|run| run.1).collect();
    let optimum = recorded.optimum_ms();
    let checkpoints = CHECKPOINTS
        .into_iter()
        .filter(|&count| count <= plan.budget);
    let best = checkpoints.map(|count| (count, geometric_mean(&runs, count, optimum)));
    let baseline = RandomBaseline::new(&recorded.trials);
    ReplayResult {
        best: best.collect(),
        within_5_percent: reach(&runs, 1.05 * optimum),
        within_1_percent: reach(&runs, 1.01 * optimum),
        score_by_evaluations: score::by_evaluations(&runs, &baseline),
        score_by_time: score::by_time(&runs, &baseline),
    }
}

fn run(
    space: &Arc<dyn SearchSpace>,
    trials: &[RecordedTrial],
    plan: &ReplayPlan,
    seed: u64,
) -> ReplayRun {
    let setup = SearchSetup {
        seed,
        // A recorded space has no default and nothing known, so that each run starts cold.
        default: None,
        known: None,
        batch: plan.batch,
    };
    let mut search = plan.strategy.search(space, setup);
    let mut noise = plan
        .has_noise
        .then(|| seeded_random::generator(seed, NOISE_STREAM));
    let mut run = ReplayRun::default();
    let (mut seen_ms, mut best_ms, mut clock_ms) = (f64::INFINITY, f64::INFINITY, 0.0);
    while run.best_ms.len() < plan.budget {
        let count = plan.batch.min(plan.budget - run.best_ms.len());
        let asked = search.ask(count);
        // The search has all results, so an empty answer means an exhausted space.
        if asked.is_empty() {
            break;
        }
        for rank in asked {
            let trial = &trials[rank as usize];
            let observed = observation(trial, noise.as_mut());
            if let (Some(observed), Some(time)) = (observed, trial.time_ms)
                && observed < seen_ms
            {
                // The observed time decides, and the recorded one counts: they differ with noise.
                (seen_ms, best_ms) = (observed, time);
            }
            clock_ms += trial.cost_ms;
            run.best_ms.push(best_ms);
            run.clock_ms.push(clock_ms);
            let merit = |time_ms: f64| Merit {
                // Recorded trials have no tie-break to be behind of.
                is_behind: false,
                time_us: time_ms * 1e3,
            };
            search.tell(rank, observed.map(merit));
        }
    }
    run
}

/// Returns the time that a strategy sees.
fn observation(trial: &RecordedTrial, noise: Option<&mut Random>) -> Option<f64> {
    let time = trial.time_ms?;
    let samples = trial.samples_ms.len() as u64;
    Some(match noise {
        Some(random) if samples > 0 => {
            trial.samples_ms[seeded_random::below(random, samples) as usize]
        }
        _ => time,
    })
}

impl ReplayRun {
    /// Returns the best time after some evaluations; infinite before the first success.
    fn after(&self, evaluations: usize) -> f64 {
        let last = self.best_ms.len().min(evaluations);
        match last.checked_sub(1) {
            Some(last) => self.best_ms[last],
            None => f64::INFINITY,
        }
    }

    /// Returns the best time of the trials that end by `clock_ms`.
    fn at(&self, clock_ms: f64) -> f64 {
        self.after(self.clock_ms.partition_point(|&end| end <= clock_ms))
    }
}

fn geometric_mean(runs: &[ReplayRun], evaluations: usize, optimum: f64) -> Option<f64> {
    let logarithms = runs
        .iter()
        .map(|run| (run.after(evaluations) / optimum).ln());
    let mean = logarithms.sum::<f64>() / runs.len().max(1) as f64;
    // A run without a success has an infinite best time.
    Some(mean.exp()).filter(|mean| mean.is_finite())
}

fn reach(runs: &[ReplayRun], goal_ms: f64) -> Reach {
    let first = |run: &ReplayRun| run.best_ms.iter().position(|&best| best <= goal_ms);
    let mut reached: Vec<usize> = runs
        .iter()
        .filter_map(first)
        .map(|place| place + 1)
        .collect();
    reached.sort_unstable();
    // The lower median, so that it is the count of an actual run.
    let half = runs.len().div_ceil(2);
    Reach {
        share: reached.len() as f64 / runs.len().max(1) as f64,
        median: half
            .checked_sub(1)
            .and_then(|place| reached.get(place).copied()),
    }
}

#[cfg(test)]
mod tests;
