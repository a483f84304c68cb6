//! The training of the time model. `cargo xtask train` runs it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use configgen::{Configuration, Device, Problem};
use ndarray::Array2;
use prediction::{
    BoostedTrees, FEATURES, FirstChoice, TRAINING_PROBLEMS, TimeModel, kernel_features, shortest_by,
};

use super::modelled_trials::ModelledTrials;
use super::{KernelContext, Strategy};

/// The stored model. A training replaces it.
const MODEL_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../prediction/src/time_model.json"
);
/// The trials of each problem beside its default: at random, and near the best by an evolution.
const RANDOM_TRIALS: u64 = 6;
const EVOLVED_TRIALS: usize = 18;
/// The trials of each problem that a first model chooses.
const CHOSEN_TRIALS: usize = 8;
const TREES: usize = 200;
const LEAVES: usize = 16;
/// The parts of the training problems that a model in turn does not learn, to find its error.
const PARTS: usize = 8;
/// The number of picks of a problem with errors that count.
const PICKS: usize = 3;

/// The trials of a problem.
#[derive(Clone)]
struct TrainingTrials {
    /// The device and the problem.
    line: &'static str,
    trials: Vec<(Configuration, f64)>,
}

impl TrainingTrials {
    fn device(&self) -> &'static Device {
        Device::named(self.line.split_once(' ').unwrap().0).unwrap()
    }

    /// Returns the text of the problem.
    fn problem(&self) -> &'static str {
        self.line.split_once(' ').unwrap().1
    }

    fn operation(&self) -> &'static str {
        self.problem().split_once(':').unwrap().0
    }

    fn modelled(&self) -> ModelledTrials {
        ModelledTrials::new(self.problem(), self.device().name)
    }

    /// Adds the trials of `modelled`, in the order of the space.
    fn with(&self, modelled: &ModelledTrials) -> TrainingTrials {
        let new = modelled.successes().map(|(it, time)| (it.clone(), time));
        let mut trials: Vec<(Configuration, f64)> =
            self.trials.iter().cloned().chain(new).collect();
        // A hash map has no order, and the sums of a training depend on it.
        trials.sort_by_cached_key(|(it, _)| (modelled.space.rank_of(it), it.to_string()));
        trials.dedup_by(|a, b| a.0 == b.0);
        TrainingTrials {
            line: self.line,
            trials,
        }
    }

    fn rows(&self) -> Vec<[f32; FEATURES]> {
        let problem: Problem = self.problem().parse().unwrap();
        let row = |it: &Configuration| kernel_features(&problem, self.device(), it);
        self.trials.iter().map(|(it, _)| row(it)).collect()
    }

    fn log_times(&self) -> Vec<f32> {
        self.trials
            .iter()
            .map(|(_, time)| time.ln() as f32)
            .collect()
    }
}

/// Maps all elements on two threads.
fn map<T: Sync, U: Send>(all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(place) else {
                return done;
            };
            done.push((place, work(one)));
        }
    };
    let mut done = thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(some));
        let parts = threads.map(|it| it.join().unwrap());
        parts.into_iter().flatten().collect::<Vec<_>>()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, it)| it).collect()
}

fn trials(line: &&'static str) -> TrainingTrials {
    let none = TrainingTrials {
        line,
        trials: Vec::new(),
    };
    let mut modelled = none.modelled();
    let random = modelled.space.sample(RANDOM_TRIALS, 5);
    modelled.times(&random);
    modelled.search(Strategy::Evolution, 0, EVOLVED_TRIALS);
    none.with(&modelled)
}

/// Adds the first trials by a model. They are often the best.
fn with_chosen(one: &TrainingTrials, model: &TimeModel) -> TrainingTrials {
    let mut modelled = one.modelled();
    let KernelContext {
        problem, device, ..
    } = modelled.context.clone();
    let ranks = shortest_by(&modelled.space, |configuration| {
        model.estimate(&problem, device, configuration)
    });
    let chosen = ranks.iter().take(CHOSEN_TRIALS);
    let chosen: Vec<Configuration> = chosen
        .filter_map(|&rank| modelled.space.nth(rank))
        .collect();
    modelled.times(&chosen);
    one.with(&modelled)
}

fn fit<'a>(all: impl Iterator<Item = &'a TrainingTrials>) -> TimeModel {
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for one in all {
        let times = one.log_times();
        let best = times.iter().copied().fold(f32::INFINITY, f32::min);
        for (row, time) in one.rows().iter().zip(&times) {
            // The order of the fast ones matters most.
            let weight = match time - best {
                ..0.1 => 3,
                ..0.5 => 2,
                _ => 1,
            };
            for _ in 0..weight {
                rows.extend_from_slice(row);
                targets.push(time - row[FEATURES - 1]);
            }
        }
    }
    let rows = Array2::from_shape_vec((targets.len(), FEATURES), rows).unwrap();
    TimeModel {
        trees: BoostedTrees::fit(rows.view(), &targets, TREES, LEAVES),
        error: [0.0; 2],
        gains: Vec::new(),
    }
}

/// Returns a problem's trials in the order of a model, as logarithms of the estimated and of the
/// actual time.
fn order(one: &TrainingTrials, model: &TimeModel) -> Vec<[f32; 2]> {
    let rows = one.rows();
    let estimates = rows.iter().map(|row| model.log_time(row));
    let mut order: Vec<[f32; 2]> = estimates
        .zip(one.log_times())
        .map(|(estimate, time)| [estimate, time])
        .collect();
    order.sort_by(|a, b| a[0].total_cmp(&b[0]));
    order
}

/// The errors of models for problems that they did not learn.
struct HeldOut {
    /// The 5 % and the 95 % quantile of the errors of first picks.
    error: [f32; 2],
    /// The expected and the actual gain of the first choice over the default, for each problem.
    gains: Vec<[f32; 2]>,
}

fn held_out(all: &[TrainingTrials]) -> HeldOut {
    let problems: BTreeSet<&str> = all.iter().map(TrainingTrials::problem).collect();
    // A problem on several devices is in one part.
    let part = |one: &TrainingTrials| problems.range(..one.problem()).count() % PARTS;
    let parts: Vec<usize> = (0..PARTS).collect();
    let models = map(&parts, |&omitted| {
        fit(all.iter().filter(|one| part(one) != omitted))
    });
    let found = map(all, |one| {
        let model = &models[part(one)];
        let picks = order(one, model).into_iter().take(PICKS);
        let errors: Vec<f32> = picks.map(|[estimate, time]| time - estimate).collect();
        (errors, gains(one, model))
    });
    let mut errors: Vec<f32> = found.iter().flat_map(|it| it.0.clone()).collect();
    errors.sort_by(f32::total_cmp);
    HeldOut {
        error: [0.05, 0.95].map(|share| errors[(share * errors.len() as f32) as usize]),
        gains: found.into_iter().map(|it| it.1).collect(),
    }
}

/// Returns the expected and the actual gain of a model's first choice over the default.
fn gains(one: &TrainingTrials, model: &TimeModel) -> [f32; 2] {
    let mut modelled = one.modelled();
    let KernelContext {
        problem, device, ..
    } = modelled.context.clone();
    let choice = FirstChoice::new(model, &problem, device).unwrap();
    let times = modelled.times(&[choice.first.clone(), choice.default.clone()]);
    let [first, default] = [times[0], times[1]].map(|it| it.unwrap_or(f64::INFINITY));
    let gain = (default / first).ln() as f32;
    let round = |it: f32| (it * 1e4).round() / 1e4;
    [round(choice.gain), round(gain)]
}

/// Returns the best of the first 1, 5 and 10 trials in the order of a model, as multiples of the
/// best trial.
fn picks(one: &TrainingTrials, model: &TimeModel) -> [f32; 3] {
    let order = order(one, model);
    let best = |count| {
        let first = order.iter().take(count).map(|it| it[1]);
        first.fold(f32::INFINITY, f32::min)
    };
    [1, 5, 10].map(|count| (best(count) - best(usize::MAX)).exp())
}

/// Makes the trials, shows a model's picks for operations that it did not learn, and writes the
/// model of all trials.
#[test]
#[ignore = "4000 kernels; writes the time model"]
fn train_the_time_model() {
    let lines: Vec<&str> = TRAINING_PROBLEMS.lines().collect();
    let all: Vec<TrainingTrials> = map(&lines, trials);
    let first = fit(all.iter());
    let all: Vec<TrainingTrials> = map(&all, |one| with_chosen(one, &first));
    let mut sums = [0.0; 3];
    let operations: BTreeSet<&str> = all.iter().map(TrainingTrials::operation).collect();
    for operation in operations {
        let model = fit(all.iter().filter(|one| one.operation() != operation));
        for one in all.iter().filter(|one| one.operation() == operation) {
            let picks = picks(one, &model);
            println!("{:44} {picks:.3?}", one.line);
            (0..3).for_each(|place| sums[place] += picks[place].ln());
        }
    }
    let means = sums.map(|sum| (sum / all.len() as f32).exp());
    println!("geometric mean, best of 1, 5 and 10: {means:.4?}");
    let HeldOut { error, gains } = held_out(&all);
    println!("5 % and 95 % quantile of the errors: {error:?}");
    let model = TimeModel {
        error,
        gains,
        ..fit(all.iter())
    };
    let model = serde_json::to_string(&model).unwrap();
    fs::write(MODEL_FILE, model + "\n").unwrap();
}
