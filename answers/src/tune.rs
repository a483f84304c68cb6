//! What `wavetune tune` prints: a line for each problem.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Ties};

use crate::foreign_schema;

/// What came of one problem.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TuneOutcome {
    /// It was tuned.
    Tuned(Box<TuneResult>),
    /// It is not taken.
    Refused(ProblemRefusal),
}

/// What a study has found.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TuneResult {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// What kernels were built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device that they were tried on.
    pub device: String,
    /// Who made them.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whose time these are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The strategy that chose them, such as `evolution`.
    pub strategy: &'static str,
    /// The seed of the search.
    pub seed: u64,
    /// Configurations in the space.
    pub space: u64,
    /// How many were tried.
    pub trials: Trials,
    /// The untuned configuration; none where it was not tried.
    pub default: Option<TriedConfiguration>,
    /// The index that was asked for where elements tie.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// The configuration to take; none where no kernel may be served.
    pub best: Option<TriedConfiguration>,
    /// What is faster than the best, which is right, and gives another index on ties; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faster_tie: Option<TriedConfiguration>,
    /// The default's time over the best's; none where one has no time.
    pub speedup: Option<f64>,
    /// What samples of the best few and the default, taken in turn, say; only on devices whose times vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finals: Option<Finals>,
    /// Rows that every kernel was verified on; of very many only some.
    pub checked_rows: u64,
    /// The least time in microseconds that the model gives any kernel.
    pub bound_us: f64,
    /// What the compulsory bytes take at the DRAM peak alone, in microseconds.
    pub dram_peak_us: f64,
    /// Seconds from the beginning of the study to its end on this machine.
    pub seconds: f64,
}

/// Trials by how they ended.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Trials {
    /// All of them.
    pub total: u64,
    /// With the fold's results.
    pub right: u64,
    /// With the fold's values, and another index on ties.
    pub tie: u64,
    /// With other results.
    pub wrong: u64,
    /// Without results.
    pub failed: u64,
    /// Those of all that an earlier run made, or meanwhile another process.
    pub resumed: u64,
}

/// How finals ended.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Finals {
    /// They were held.
    Held {
        /// How many times the default's speed the fastest other has.
        speedup: f64,
        /// The lower end of its interval.
        low: f64,
        /// The upper end of its interval.
        high: f64,
        /// Pairs of samples that it is taken from.
        pairs: usize,
        /// Whether the default's place is taken.
        faster: bool,
    },
    /// They came to no end.
    Abandoned {
        /// Why.
        reason: String,
    },
}

/// One configuration and what it did.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TriedConfiguration {
    /// The configuration; none where the default is none, as with IREE's fallback pipeline.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds; none unless its value is right.
    pub time_us: Option<f64>,
    /// What went wrong, or which index differs; left out where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The answer for a problem that is not taken: by the generator, or because it is too large to be verified.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProblemRefusal {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// Who does not take it.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The rule of the generator that it breaks; none where it is too large.
    pub rule: Option<String>,
    /// Why, with the numbers.
    pub message: String,
    /// Nothing, so that `best` is there on every line.
    pub best: (),
}
