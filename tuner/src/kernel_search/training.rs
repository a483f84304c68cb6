//! The training of the time model. `cargo xtask train` runs it.

use std::collections::BTreeSet;
use std::fs;

use configgen::Configuration;
use ndarray::Array2;
use prediction::{
    BoostedTrees, FEATURES, TRAINING_PROBLEMS, TimeModel, kernel_features, shortest_by,
};

use super::modelled_trials::ModelledTrials;
use super::{KernelContext, Strategy};

/// The stored model. A training replaces it.
const MODEL_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../prediction/src/time_model.json"
);
/// The trials of each problem: at random, and near the best by an evolution.
const RANDOM_TRIALS: usize = 40;
const EVOLVED_TRIALS: usize = 64;
/// The trials of each problem that a first model chooses.
const CHOSEN_TRIALS: usize = 24;
const TREES: usize = 160;
const LEAVES: usize = 16;
/// The parts of the training problems that a model in turn does not learn, to find its error.
const PARTS: usize = 8;
/// The number of picks of a problem with errors that count.
const PICKS: usize = 3;

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
fn with_chosen(one: TrainingTrials, model: &TimeModel) -> TrainingTrials {
    let TrainingTrials {
        name, mut modelled, ..
    } = one;
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

fn fit<'a>(all: impl Iterator<Item = &'a TrainingTrials>) -> TimeModel {
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
    TimeModel {
        trees: BoostedTrees::fit(rows.view(), &targets, TREES, LEAVES),
        error: [0.0; 2],
    }
}

/// Returns the places of a problem's trials in the order of a model.
fn order(one: &TrainingTrials, model: &TimeModel) -> Vec<usize> {
    let mut order: Vec<usize> = (0..one.rows.len()).collect();
    let estimate = |place: usize| model.log_time(&one.rows[place]);
    order.sort_by(|&a, &b| estimate(a).total_cmp(&estimate(b)));
    order
}

/// Returns the 5 % and the 95 % quantile of the errors of first picks, by models that did not
/// learn the problem.
fn quantiles(all: &[TrainingTrials]) -> [f32; 2] {
    let problem = |one: &TrainingTrials| one.name.split(' ').next_back().unwrap().to_owned();
    let problems: BTreeSet<String> = all.iter().map(problem).collect();
    // A problem on several devices is in one part.
    let part = |one: &TrainingTrials| problems.range(..problem(one)).count() % PARTS;
    let mut errors = Vec::new();
    for omitted in 0..PARTS {
        let model = fit(all.iter().filter(|one| part(one) != omitted));
        for one in all.iter().filter(|one| part(one) == omitted) {
            let picks = order(one, &model).into_iter().take(PICKS);
            errors.extend(picks.map(|place| one.times[place] - model.log_time(&one.rows[place])));
        }
    }
    errors.sort_by(f32::total_cmp);
    [0.05, 0.95].map(|share| errors[(share * errors.len() as f32) as usize])
}

/// Returns the best of the first 1, 5 and 10 trials in the order of a model, as multiples of the
/// best trial.
fn picks(one: &TrainingTrials, model: &TimeModel) -> [f32; 3] {
    let best = one.times.iter().copied().fold(f32::INFINITY, f32::min);
    let order = order(one, model);
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
    let all: Vec<TrainingTrials> = TRAINING_PROBLEMS.lines().map(trials).collect();
    let first = fit(all.iter());
    let all = all.into_iter().map(|one| with_chosen(one, &first));
    let all: Vec<TrainingTrials> = all.collect();
    let mut sums = [0.0; 3];
    let operations: BTreeSet<&str> = all.iter().map(|one| one.operation.as_str()).collect();
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
    let model = TimeModel {
        error: quantiles(&all),
        ..fit(all.iter())
    };
    println!("5 % and 95 % quantile of the errors: {:?}", model.error);
    let model = serde_json::to_string(&model).unwrap();
    fs::write(MODEL_FILE, model + "\n").unwrap();
}
