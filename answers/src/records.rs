//! The output of `wavetune studies` and `wavetune trials`, a line for each study or trial, and
//! the service's lists of both.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Role, Status, Ties, Unreadable};

use crate::foreign_schema;
use crate::runs::Run;

/// A study and its results so far.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudySummary {
    /// The number of the study in the database, which other commands take.
    pub id: i64,
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
    /// The device's driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// The version of the compiler.
    pub compiler_version: String,
    /// The version of the generator.
    pub generator_version: String,
    /// The method of sampling.
    pub timing: String,
    /// The search strategy, such as `auto`.
    pub strategy: String,
    /// The seed of the search.
    pub seed: u64,
    /// An identifier of the version of the search space; empty if it was not recorded.
    pub space: String,
    /// The requested index for elements that tie; `null` if it does not affect the search.
    #[schemars(with = "Option<foreign_schema::Ties>")]
    pub ties: Option<Ties>,
    /// The lower bound for any kernel, in microseconds; `null` if the device has no published
    /// figures.
    pub bound_us: Option<f64>,
    /// The time at which the study was first opened: RFC 3339, UTC.
    pub first_opened: String,
    /// The time at which the study was last opened: RFC 3339, UTC.
    pub last_opened: String,
    /// The numbers of trials.
    pub trials: VerdictCounts,
    /// The best trial that may be served. One that breaks ties as the reference goes first.
    /// `null` if there is none.
    pub best: Option<BestTrial>,
    /// The time of the untuned configuration in microseconds; `null` if it may not be served or
    /// was not tried.
    pub default_time_us: Option<f64>,
    /// `default_time_us` over the best time; `null` if either is missing.
    pub speedup: Option<f64>,
    /// The latest finals; `null` if there were none.
    pub finals: Option<HeldFinals>,
    /// The processes that work on the study now.
    pub workers: Vec<String>,
}

/// A page of the studies of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedStudies {
    /// The studies, the last opened first.
    pub studies: Vec<StudySummary>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A study, and the request for it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RecordedStudy {
    /// The study, as `wavetune studies show` prints it.
    pub study: StudySummary,
    /// The study as the service runs it. `null` if a command tuned it, and on a service without
    /// studies.
    pub run: Option<Run>,
}

/// Trials by verdict.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VerdictCounts {
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
}

/// The best trial of a study.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BestTrial {
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds.
    pub time_us: f64,
    /// The configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
}

/// The result of finals.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeldFinals {
    /// The number of trials that the study had. If it has others now, these finals no longer
    /// decide it.
    pub trials: u32,
    /// The ordinal of the winning trial.
    pub winner: u32,
    /// The requested index for elements that tie.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// The speed of the best of the search over the default's.
    pub speedup: f64,
    /// The lower end of its confidence interval.
    pub low: f64,
    /// The upper end of its confidence interval.
    pub high: f64,
    /// The end of the finals: RFC 3339, UTC.
    pub ended: String,
}

/// A study that was deleted, with all of its rows.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeletedStudy {
    /// The number that it had.
    pub id: i64,
    /// The number of deleted trials.
    pub trials: u64,
    /// The number of deleted finals.
    pub finals: u64,
}

/// A trial: one configuration of a study, and its result.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Trial {
    /// The number of the study.
    pub study: i64,
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
    /// The role.
    #[schemars(with = "foreign_schema::Role")]
    pub role: Role,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The reason why there is no verdict; `null` if there is one.
    #[schemars(with = "Option<foreign_schema::FailureKind>")]
    pub failure: Option<FailureKind>,
    /// The first difference, or the text of the failure; `null` if the verdict is `right`.
    pub message: Option<String>,
    /// The largest error of the results, as a fraction of the allowed error: 0 if every result is
    /// exact, 1 at the limit. Only sums and products of floats have errors above 0. `null` in
    /// three cases: the verdict is not `right`, a result differs in the sign of a zero, or an
    /// older version made the trial.
    pub error: Option<f64>,
    /// The time of the kernel in microseconds; `null` unless its values are correct.
    pub time_us: Option<f64>,
    /// The samples of the time in microseconds, in the order of measurement; `null` if there is
    /// no time.
    pub samples_us: Option<Vec<f64>>,
    /// The time of the compilation in milliseconds; `null` if there is no kernel.
    pub compile_ms: Option<f64>,
    /// The configuration; `null` for a default that is not expressible as one.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// Its name in logs and other databases: BLAKE3 of its canonical text; `null` if there is no
    /// configuration.
    pub configuration_hash: Option<String>,
    /// The seed of the inputs.
    pub input_seed: u64,
    /// The begin of the trial: RFC 3339, UTC.
    pub started: String,
    /// The end of the trial: RFC 3339, UTC.
    pub ended: String,
}

/// A page of trials.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedTrials {
    /// The trials, in the requested order.
    pub trials: Vec<Trial>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The last line of a stream that omits trials.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOutTrials {
    /// The rows that this build cannot read.
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The result of a requeue: the study makes its abandoned trials again.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RequeueReport {
    /// The number of the study.
    pub study: i64,
    /// The number of abandoned trials that were deleted, so that the study makes them again.
    pub trials: u64,
}
