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

/// The trained families.
static FAMILIES: LazyLock<Vec<TrainedFamily>> = LazyLock::new(trained_families);

/// The places of the features that must equal those of a trained problem: operands, flags, state.
const STRUCTURE: std::ops::Range<usize> = 4..9;
/// The places of the bytes of an element, without and with operands.
const BYTES: std::ops::Range<usize> = 2..4;
/// The least trained problems that a gain is judged by. Those of the same target judge alone, if
/// they are as many.
const LEAST_JUDGED: usize = 8;
/// The least expected gain over the default. Below it, the default is chosen.
// The default is sound on every shape, and the order of two estimates this near to each other is
// chance. For small layer norms, expected gains of 6 to 8 % were losses of 4 to 9 %.
const LEAST_GAIN: f32 = 0.08;
/// The loss against the default that counts as one.
const LOSS: f32 = 0.01;
/// The places of rows, columns and bytes of an element.
const ELEMENTS: std::ops::Range<usize> = 0..3;
/// The largest size of the elements in bytes, as a logarithm to base 2.
// Without a limit, predictions for 10 of 307 random problems were 3 to 48 % slower than the
// default. With it, one of 245 was.
const LARGEST: f32 = 22.0;
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
    /// The expected and the actual gain of the first choice over the default, for each problem of
    /// the training. The models had not learnt the problem. A gain is a difference of logarithms.
    pub gains: Vec<[f32; 2]>,
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
        device: &'static Device,
        configuration: &Configuration,
    ) -> f32 {
        self.log_time(&kernel_features(problem, device, configuration))
    }

    /// Returns whether the training had enough similar problems on targets with the same number of
    /// lanes, one of them on the same target.
    ///
    /// They are reductions of the inner dimension, with the same kind of folds, results and layout.
    /// Sizes may differ by a factor of two. The problem has at most 4 MiB.
    pub fn knows(problem: &Problem, device: &'static Device) -> bool {
        TimeModel::stored().least_gain(problem, device).is_some()
    }

    /// Returns whether the training had a similar problem on any target.
    pub(crate) fn has_similar(problem: &Problem, device: &'static Device) -> bool {
        family(problem, &problem_features(problem, device)).is_some()
    }

    /// Returns the expected gain over the default above which the first choice is taken. Every
    /// similar problem of the training that expected more was no slower than its default. `None`
    /// if the training has too few similar problems.
    pub fn least_gain(&self, problem: &Problem, device: &'static Device) -> Option<f32> {
        let features = problem_features(problem, device);
        let family = family(problem, &features)?;
        // Judged by targets with other subgroups, predictions for 5 of 88 random problems of RDNA
        // were 3 to 12 % slower than the default.
        let subgroup = device.target().subgroup_sizes[0];
        let is_judge = |it: &&FamilyMember| it.is_small && it.target.subgroup_sizes[0] == subgroup;
        let members = || family.members.iter().filter(is_judge);
        let is_own = |it: &&FamilyMember| it.target == device.target();
        let own = members().filter(is_own).count();
        let is_known = is_small(&features) && own > 0;
        if !is_known || members().count() < LEAST_JUDGED {
            return None;
        }
        let judges = members().filter(|it| own < LEAST_JUDGED || is_own(it));
        let gains = judges.filter_map(|it| self.gains.get(it.line));
        let vain = gains.filter(|[_, actual]| *actual < -LOSS);
        Some(vain.map(|it| it[0]).fold(LEAST_GAIN, f32::max))
    }
}

fn is_small(features: &[f32; PROBLEM_FEATURES]) -> bool {
    features[ELEMENTS].iter().sum::<f32>() <= LARGEST
}

/// Returns the family of a problem with these features.
fn family(problem: &Problem, features: &[f32; PROBLEM_FEATURES]) -> Option<&'static TrainedFamily> {
    let mut families = FAMILIES.iter();
    families.find(|family| family.knows(problem, features))
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

/// Trained problems of one structure, with the ranges of their features.
struct TrainedFamily {
    members: Vec<FamilyMember>,
    low: [f32; PROBLEM_FEATURES],
    high: [f32; PROBLEM_FEATURES],
}

/// A trained problem.
struct FamilyMember {
    target: &'static Target,
    form: String,
    is_small: bool,
    /// The number of its line in the training.
    line: usize,
}

impl TrainedFamily {
    fn has_structure_of(&self, features: &[f32; PROBLEM_FEATURES]) -> bool {
        self.low[STRUCTURE] == features[STRUCTURE]
    }

    /// Returns whether a problem is a reduction of rows like those of the family.
    fn knows(&self, problem: &Problem, features: &[f32; PROBLEM_FEATURES]) -> bool {
        // An open count has no one time.
        let is_plain = problem.shape.counts().is_none() && problem.shape.is_dense();
        let name = problem.name();
        let is_named = name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
        let is_row = IS_INNER_REDUCED.iter().all(|&place| features[place] == 1.0);
        let is_of_form = || {
            let form = form(problem);
            self.members.iter().any(|it| it.form == form)
        };
        is_plain && is_named && is_row && self.contains(features) && is_of_form()
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
    for (number, line) in TRAINING_PROBLEMS.lines().enumerate() {
        let parsed = line.split_once(' ').and_then(|(device, problem)| {
            Some((problem.parse::<Problem>().ok()?, Device::named(device)?))
        });
        // A test parses each line.
        let Some((problem, device)) = parsed else {
            continue;
        };
        let features = problem_features(&problem, device);
        let member = FamilyMember {
            target: device.target(),
            form: form(&problem),
            is_small: is_small(&features),
            line: number,
        };
        let mut known = families.iter_mut();
        match known.find(|it| it.has_structure_of(&features)) {
            Some(family) => {
                family.members.push(member);
                for (place, &feature) in features.iter().enumerate() {
                    family.low[place] = family.low[place].min(feature);
                    family.high[place] = family.high[place].max(feature);
                }
            }
            None => families.push(TrainedFamily {
                members: vec![member],
                low: features,
                high: features,
            }),
        }
    }
    families
}
