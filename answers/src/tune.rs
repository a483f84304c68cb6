//! The output of `wavetune tune`: a line for each problem.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Ties};

use crate::foreign_schema;

/// The result for one problem.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TuneOutcome {
    /// The problem was tuned.
    // A result is many times as large as a refusal, so it is boxed.
    Tuned(Box<TuneResult>),
    /// The problem was refused.
    Refused(ProblemRefusal),
}

/// The result of a study.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TuneResult {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set that the kernels were built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device that ran the kernels.
    pub device: String,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The search strategy, such as `auto`.
    pub strategy: &'static str,
    /// The seed of the search.
    pub seed: u64,
    /// The number of configurations in the space.
    pub space: u64,
    /// The numbers of trials.
    pub trials: Trials,
    /// The untuned configuration; `null` if no trial has it.
    pub default: Option<TriedConfiguration>,
    /// The requested index for elements that tie.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// The configuration to use; `null` if no kernel may be served.
    pub best: Option<TriedConfiguration>,
    /// A configuration that is faster than `best`, which is `right`, but breaks ties otherwise;
    /// absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faster_tie: Option<TriedConfiguration>,
    /// The default's time over the best's time; `null` if either has none.
    pub speedup: Option<f64>,
    /// The result of the finals: interleaved samples of the best few and the default. Only on
    /// devices whose times vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finals: Option<Finals>,
    /// The rows on which each kernel was verified; for a large problem only some of its rows.
    pub checked_rows: u64,
    /// The modelled lower bound for any kernel, in microseconds.
    pub bound_us: f64,
    /// The time in microseconds to move the compulsory bytes at the DRAM peak.
    pub dram_peak_us: f64,
    /// The reason that the search ended.
    pub end: SearchEnd,
    /// The duration of the study on this machine in seconds.
    pub seconds: f64,
}

/// The reason that a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// All trials of the budget were made.
    Budget,
    /// The whole space was tried.
    Space,
    /// The best time is within 3 % of the lower bound.
    Bound,
    /// The model of the search expects less gain than the effort asks for.
    Gain,
}

impl SearchEnd {
    /// Returns the reason for people, as the end of a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Budget => "the budget is spent",
            Self::Space => "the whole space was tried",
            Self::Bound => "the best time is within 3 % of the bound",
            Self::Gain => "the model expects too little gain of more trials",
        }
    }
}

/// Trials by verdict.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Trials {
    /// All trials.
    pub total: u64,
    /// Trials with the reference results.
    pub right: u64,
    /// Trials with the reference values, and another index on ties.
    pub tie: u64,
    /// Trials with other results.
    pub wrong: u64,
    /// Trials without results.
    pub failed: u64,
    /// Trials that were timed and, being slow, not verified.
    pub timed: u64,
    /// The trials of `total` that an earlier run made, or another process at the same time.
    pub resumed: u64,
}

/// The end of the finals.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
// Untagged: `reason` is only in abandoned finals, so no tag is necessary.
pub enum Finals {
    /// The finals were held.
    Held {
        /// The speed of the fastest other configuration over the default's.
        speedup: f64,
        /// The lower end of its confidence interval.
        low: f64,
        /// The upper end of its confidence interval.
        high: f64,
        /// The number of sample pairs that it is computed from.
        pairs: usize,
        /// `true` if the configuration replaces the default.
        faster: bool,
    },
    /// The finals were abandoned.
    Abandoned {
        /// The reason.
        reason: String,
    },
}

/// One configuration, and the result of its trial.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TriedConfiguration {
    /// The configuration. `null` if the default is not expressible as one, as with IREE's
    /// fallback pipeline.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds; `null` unless its values are correct.
    pub time_us: Option<f64>,
    /// The fault, or the index that differs; absent if there is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The answer for a refused problem: the generator does not support it, or it is too large to
/// verify.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProblemRefusal {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The generator that refuses it.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The rule of the generator that the problem breaks; `null` if the problem is too large.
    pub rule: Option<String>,
    /// The reason, with the numbers.
    pub message: String,
    /// Always `null`, so that `best` is present on every line.
    // serde prints a unit as `null`.
    pub best: (),
}
