//! The time model: a formula over features gives the order of magnitude, and boosted trees correct
//! it.
//!
//! The trees learnt from modelled trials of native kernels, and are stored in `time_model.json`.
//! `cargo xtask train` makes the file.

use std::cmp::Reverse;
use std::sync::LazyLock;

use configgen::{Configuration, Device, ElementType, Problem, Target};
use serde::{Deserialize, Serialize};

use crate::boosted_trees::BoostedTrees;
use crate::kernel_features::{FEATURES, PROBLEM_FEATURES, kernel_features, problem_features};

/// The stored model as JSON. A search by estimates depends on it.
pub const STORED_MODEL: &str = include_str!("time_model.json");

/// The devices and problems of the training, one on each line.
pub const TRAINING_PROBLEMS: &str = include_str!("training_problems.txt");

static STORED: LazyLock<TimeModel> = LazyLock::new(|| {
    // A test reads the file, so no build has a broken one.
    serde_json::from_str(STORED_MODEL).expect("the stored model is JSON")
});

/// The trained families, with those of different targets apart.
static FAMILIES: LazyLock<Vec<TrainedFamily>> =
    LazyLock::new(|| trained_families(|one, other| one == other));

/// The trained families of all targets together.
static WIDE_FAMILIES: LazyLock<Vec<TrainedFamily>> =
    LazyLock::new(|| trained_families(|_, _| true));

/// The places of the features that must equal those of a trained problem: operands, flags, state.
const STRUCTURE: std::ops::Range<usize> = 4..9;
/// The places of the bytes of an element, without and with operands.
const BYTES: std::ops::Range<usize> = 2..4;
/// The places of rows, columns and bytes of an element.
const ELEMENTS: std::ops::Range<usize> = 0..3;
/// The largest size of the elements in bytes, as a logarithm to base 2.
// Beyond it, predictions for three of 24 random problems were 3 to 9 % slower than the default;
// below it, none of 78 was.
const LARGEST: f32 = 22.0;
/// A row's length in bytes is a multiple of this.
// No feature has the alignment. Predictions for ten of 200 random problems were 3 to 42 % slower
// than the default. All of these had other lengths.
const ALIGNMENT: u64 = 16;
/// The least trained problems of a family, on the same target.
// Predictions for random problems of smaller families were up to 37 % slower than the default.
const LEAST_TRAINED: usize = 4;
/// The features that say whether the innermost dimension is reduced, and whether any is.
const IS_INNER_REDUCED: [usize; 2] = [5, 7];
/// The largest distance of sizes from those of the training, as a logarithm to base 2.
// Factors of two change a kernel by one step of each knob.
const MARGIN: f32 = 1.0;

/// A model of the times of native kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeModel {
    /// The correction of the formula.
    pub trees: BoostedTrees,
    /// The 5 % and the 95 % quantile of the logarithm of actual over estimated time. They are those
    /// of the best ranked configurations of problems that the model did not learn.
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

    /// Returns the estimated logarithm of microseconds of a problem's kernel.
    pub fn estimate(
        &self,
        problem: &Problem,
        device: &Device,
        configuration: &Configuration,
    ) -> f32 {
        self.log_time(&kernel_features(problem, device, configuration))
    }

    /// Returns whether the training had enough similar problems on the same target.
    ///
    /// They are reductions of the inner of two dimensions, with the same kind of folds, results and
    /// layout. Sizes may differ by a factor of two. The problem has at most 4 MiB, and rows of a
    /// multiple of 16 bytes.
    pub fn knows(problem: &Problem, device: &Device) -> bool {
        let features = problem_features(problem, device);
        let is_small = features[ELEMENTS].iter().sum::<f32>() <= LARGEST;
        let mut families = FAMILIES.iter();
        let row = problem.shape.reduced_size() * u64::from(problem.element.bytes());
        is_small
            && row.is_multiple_of(ALIGNMENT)
            && families.any(|family| {
                family.forms.len() >= LEAST_TRAINED
                    && family.target == device.target()
                    && family.knows(problem, &features)
            })
    }

    /// Returns whether the training had a similar problem on any target, of any size.
    pub(crate) fn has_similar(problem: &Problem, device: &Device) -> bool {
        let features = problem_features(problem, device);
        let mut families = WIDE_FAMILIES.iter();
        families.any(|family| family.knows(problem, &features))
    }
}

/// Returns the inputs of a problem's text, with `_` for each type of elements, and its options.
/// These have the maps and views of operands. No feature has them.
fn form(problem: &Problem) -> String {
    let mut names: Vec<&str> = ElementType::ALL
        .into_iter()
        .map(ElementType::name)
        .collect();
    // `bf16` contains `f16`.
    names.sort_by_key(|name| Reverse(name.len()));
    let inputs = names
        .into_iter()
        .fold(problem.inputs().to_string(), |text, name| {
            text.replace(name, "_")
        });
    inputs + &problem.options().to_string()
}

/// Trained problems of one structure on one target, with the ranges of their features.
struct TrainedFamily {
    target: &'static Target,
    /// The form of each problem.
    forms: Vec<String>,
    low: [f32; PROBLEM_FEATURES],
    high: [f32; PROBLEM_FEATURES],
}

impl TrainedFamily {
    fn has_structure_of(&self, features: &[f32; PROBLEM_FEATURES]) -> bool {
        self.low[STRUCTURE] == features[STRUCTURE]
    }

    /// Returns whether a problem is a reduction of rows like those of the family.
    fn knows(&self, problem: &Problem, features: &[f32; PROBLEM_FEATURES]) -> bool {
        // An open count has no one time.
        let is_plain = problem.shape.counts().is_none() && problem.shape.is_dense();
        // The training has hardly any others: a prediction for 4x45x[248] took 38 % longer than the
        // default.
        let is_plain = is_plain && problem.shape.rank() == 2;
        let name = problem.name();
        let is_named = name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
        let is_row = IS_INNER_REDUCED.iter().all(|&place| features[place] == 1.0);
        is_plain
            && is_named
            && is_row
            && self.contains(features)
            && self.forms.contains(&form(problem))
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

fn trained_families(is_together: impl Fn(&Target, &Target) -> bool) -> Vec<TrainedFamily> {
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
            .find(|it| is_together(it.target, device.target()) && it.has_structure_of(&features));
        match known {
            Some(family) => {
                family.forms.push(form(&problem));
                for (place, &feature) in features.iter().enumerate() {
                    family.low[place] = family.low[place].min(feature);
                    family.high[place] = family.high[place].max(feature);
                }
            }
            None => families.push(TrainedFamily {
                target: device.target(),
                forms: vec![form(&problem)],
                low: features,
                high: features,
            }),
        }
    }
    families
}
