//! The training of the time model. `cargo xtask train` runs it.

use std::fs;

use configgen::Configuration;
use ndarray::Array2;
use search::surrogate::BoostedTrees;
use search::time_model::{FEATURES, kernel_features, shortest_by};

use super::modelled_trials::ModelledTrials;
use super::{KernelContext, Strategy};

/// The stored trees. A training replaces them.
const TREES_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../search/src/time_model/time_model.json"
);
/// The trials of each problem: at random, and near the best by an evolution.
const RANDOM_TRIALS: usize = 40;
const EVOLVED_TRIALS: usize = 64;
/// The trials of each problem that a first model chooses.
const CHOSEN_TRIALS: usize = 24;
const TREES: usize = 160;
const LEAVES: usize = 16;

/// The trials of a problem.
struct TrainingTrials {
    /// The device and the problem.
    name: String,
    operation: String,
    modelled: ModelledTrials,
    rows: Vec<[f32; FEATURES]>,
    /// The logarithms of the times.
    times: Vec<f32>,
}

fn trials(line: &str) -> TrainingTrials {
    let (device, problem) = line.split_once(' ').unwrap();
    let mut modelled = ModelledTrials::new(problem, device);
    let random = modelled.space.sample(RANDOM_TRIALS as u64, 5);
    modelled.times(&random);
    modelled.search(Strategy::Evolution, 0, EVOLVED_TRIALS);
    of_successes(line, modelled)
}

/// Adds the first trials by a model. They are often the best.
fn with_chosen(one: TrainingTrials, model: &BoostedTrees) -> TrainingTrials {
    let TrainingTrials {
        name, mut modelled, ..
    } = one;
    let KernelContext {
        problem, device, ..
    } = modelled.context.clone();
    let ranks = shortest_by(&modelled.space, |configuration| {
        let features = kernel_features(&problem, device, configuration);
        features[FEATURES - 1] + model.predict(&features)
    });
    let chosen = ranks.iter().take(CHOSEN_TRIALS);
    let chosen: Vec<Configuration> = chosen
        .filter_map(|&rank| modelled.space.nth(rank))
        .collect();
    modelled.times(&chosen);
    of_successes(&name, modelled)
}

fn of_successes(line: &str, modelled: ModelledTrials) -> TrainingTrials {
    let (_, problem) = line.split_once(' ').unwrap();
    let context = modelled.context.clone();
    // A hash map has no order, and the sums of a training depend on it.
    let mut all: Vec<_> = modelled.successes().collect();
    all.sort_by_key(|(configuration, _)| modelled.space.rank_of(configuration));
    let row = |configuration| kernel_features(&context.problem, context.device, configuration);
    let rows = all.iter().map(|(configuration, _)| row(configuration));
    let rows = rows.collect();
    let times = all.iter().map(|(_, time)| time.ln() as f32).collect();
    TrainingTrials {
        name: line.to_owned(),
        operation: problem.split(':').next().unwrap().to_owned(),
        rows,
        times,
        modelled,
    }
}

fn fit<'a>(all: impl Iterator<Item = &'a TrainingTrials>) -> BoostedTrees {
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for one in all {
        let best = one.times.iter().copied().fold(f32::INFINITY, f32::min);
        for (row, time) in one.rows.iter().zip(&one.times) {
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
    BoostedTrees::fit(rows.view(), &targets, TREES, LEAVES)
}

/// Returns the best of the first 1, 5 and 10 trials in the order of a model, as multiples of the
/// best trial.
fn picks(one: &TrainingTrials, model: &BoostedTrees) -> [f32; 3] {
    let best = one.times.iter().copied().fold(f32::INFINITY, f32::min);
    let estimate = |row: &[f32; FEATURES]| row[FEATURES - 1] + model.predict(row);
    let mut order: Vec<usize> = (0..one.rows.len()).collect();
    order.sort_by(|&a, &b| estimate(&one.rows[a]).total_cmp(&estimate(&one.rows[b])));
    [1, 5, 10].map(|count| {
        let first = order.iter().take(count).map(|&place| one.times[place]);
        (first.fold(f32::INFINITY, f32::min) - best).exp()
    })
}

/// Makes the trials, shows a model's picks for operations that it did not learn, and writes the
/// model of all trials.
#[test]
#[ignore = "8000 kernels; writes the time model"]
fn train_the_time_model() {
    let list = include_str!("training_problems.txt").lines();
    let all: Vec<TrainingTrials> = list.map(trials).collect();
    let first = fit(all.iter());
    let all = all.into_iter().map(|one| with_chosen(one, &first));
    let all: Vec<TrainingTrials> = all.collect();
    let mut sums = [0.0; 3];
    let operations: std::collections::BTreeSet<&str> =
        all.iter().map(|one| one.operation.as_str()).collect();
    for operation in operations {
        let model = fit(all.iter().filter(|one| one.operation != operation));
        for one in all.iter().filter(|one| one.operation == operation) {
            let picks = picks(one, &model);
            println!("{:44} {picks:.3?}", one.name);
            (0..3).for_each(|place| sums[place] += picks[place].ln());
        }
    }
    let means = sums.map(|sum| (sum / all.len() as f32).exp());
    println!("geometric mean, best of 1, 5 and 10: {means:.4?}");
    let model = serde_json::to_string(&fit(all.iter())).unwrap();
    fs::write(TREES_FILE, model + "\n").unwrap();
}
