//! The time model: a formula over features gives the order of magnitude, and boosted trees correct
//! it.
//!
//! The trees learnt from modelled trials of native kernels, and are stored in `time_model.json`.
//! `cargo xtask train` makes the file.

use std::sync::LazyLock;

use configgen::{Device, Problem};
use serde::{Deserialize, Serialize};

use crate::boosted_trees::BoostedTrees;
use crate::kernel_features::{FEATURES, PROBLEM_FEATURES, problem_features};

/// The stored model as JSON. A search by estimates depends on it.
pub const STORED_MODEL: &str = include_str!("time_model.json");

/// The devices and problems of the training, one on each line.
pub const TRAINING_PROBLEMS: &str = include_str!("training_problems.txt");

static STORED: LazyLock<TimeModel> = LazyLock::new(|| {
    // A test reads the file, so no build has a broken one.
    serde_json::from_str(STORED_MODEL).expect("the stored model is JSON")
});

static FAMILIES: LazyLock<Vec<TrainedFamily>> = LazyLock::new(trained_families);

/// The places of the features that must equal those of a trained problem: operands, flags, state.
const STRUCTURE: std::ops::Range<usize> = 4..9;
/// The places of the bytes of an element, without and with operands.
const BYTES: std::ops::Range<usize> = 2..4;
/// The logarithm to base 2 by which sizes may lie outside of those of the training.
// Factors of two change a kernel by one step of each knob.
const MARGIN: f32 = 1.0;

/// A model of the times of native kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeModel {
    /// The correction of the formula.
    pub trees: BoostedTrees,
    /// The logarithms of actual over estimated time of the best ranked configurations: the 5 % and
    /// the 95 % quantile over problems that the model did not learn.
    pub error: [f32; 2],
}

impl TimeModel {
    /// Returns the model that wavetune ships.
    pub fn stored() -> &'static TimeModel {
        &STORED
    }

    /// Returns the estimated logarithm of microseconds of a configuration with these features.
    pub fn log_time(&self, features: &[f32; FEATURES]) -> f32 {
        features[FEATURES - 1] + self.trees.predict(features)
    }

    /// Returns whether the training had similar problems: with the same kind of folds, results and
    /// layout, and with sizes within a factor of two.
    pub fn knows(problem: &Problem, device: &Device) -> bool {
        // An open count has no one time.
        let is_closed = problem.shape.counts().is_none();
        let features = problem_features(problem, device);
        is_closed && FAMILIES.iter().any(|family| family.contains(&features))
    }
}

/// Trained problems of one structure, with the ranges of their features.
struct TrainedFamily {
    low: [f32; PROBLEM_FEATURES],
    high: [f32; PROBLEM_FEATURES],
}

impl TrainedFamily {
    fn has_structure_of(&self, features: &[f32; PROBLEM_FEATURES]) -> bool {
        self.low[STRUCTURE] == features[STRUCTURE]
    }

    fn contains(&self, features: &[f32; PROBLEM_FEATURES]) -> bool {
        let is_near = |place: usize| {
            let margin = match BYTES.contains(&place) {
                true => 0.0,
                false => MARGIN,
            };
            (self.low[place] - margin..=self.high[place] + margin).contains(&features[place])
        };
        self.has_structure_of(features) && (0..PROBLEM_FEATURES).all(is_near)
    }
}

fn trained_families() -> Vec<TrainedFamily> {
    let mut families: Vec<TrainedFamily> = Vec::new();
    for line in TRAINING_PROBLEMS.lines() {
        let parsed = line.split_once(' ').and_then(|(device, problem)| {
            Some((problem.parse::<Problem>().ok()?, Device::named(device)?))
        });
        // A test parses each line.
        let Some((problem, device)) = parsed else {
            continue;
        };
        let features = problem_features(&problem, device);
        let known = families
            .iter_mut()
            .find(|it| it.has_structure_of(&features));
        match known {
            Some(family) => {
                for (place, &feature) in features.iter().enumerate() {
                    family.low[place] = family.low[place].min(feature);
                    family.high[place] = family.high[place].max(feature);
                }
            }
            None => families.push(TrainedFamily {
                low: features,
                high: features,
            }),
        }
    }
    families
}
