//! What `wavetune studies` and `wavetune trials` print, a line for each study or trial, and the service's lists of both.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Role, Status, Ties, Unreadable};

use crate::foreign_schema;
use crate::runs::Run;

/// A study, and how far it is.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudySummary {
    /// Its number in the database, which other commands take.
    pub id: i64,
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
    /// The device's driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// Version of the generator.
    pub generator_version: String,
    /// How samples are taken.
    pub timing: String,
    /// The strategy that chose the configurations, such as `evolution`.
    pub strategy: String,
    /// The seed of the search.
    pub seed: u64,
    /// What tells the space that is searched from that of another version; empty where nobody noted it.
    pub space: String,
    /// The index that is wanted on ties; none where that decides nothing in the search.
    #[schemars(with = "Option<foreign_schema::Ties>")]
    pub ties: Option<Ties>,
    /// The least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// When it was opened first: RFC 3339, UTC.
    pub first_opened: String,
    /// When it was opened last: RFC 3339, UTC.
    pub last_opened: String,
    /// How many configurations were tried.
    pub trials: VerdictCounts,
    /// The best that may be served of this study, with the fold's index on ties where there is one; none where there is
    /// none.
    pub best: Option<BestTrial>,
    /// The untuned configuration in microseconds; none where it is not served or not tried.
    pub default_time_us: Option<f64>,
    /// `default_time_us` over the best's time; none where one has no time.
    pub speedup: Option<f64>,
    /// The latest finals; none where there were none.
    pub finals: Option<HeldFinals>,
    /// The processes that work on it now.
    pub workers: Vec<String>,
}

/// A page of the studies of a database.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedStudies {
    /// The studies, those that were opened last first.
    pub studies: Vec<StudySummary>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A study, and what a service was asked to do about it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RecordedStudy {
    /// The study, as `wavetune studies show` prints it.
    pub study: StudySummary,
    /// What the service was asked to do; none of what a command tuned, and where no studies are carried on.
    pub run: Option<Run>,
}

/// Trials by how they ended.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VerdictCounts {
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
}

/// The best trial of a study.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BestTrial {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// Its configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
}

/// What finals decided.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeldFinals {
    /// How many trials the study had; one that has others now is not decided by them.
    pub trials: u32,
    /// Ordinal of the trial that won.
    pub winner: u32,
    /// The index that was wanted on ties.
    #[schemars(with = "foreign_schema::Ties")]
    pub ties: Ties,
    /// By how much the best of the search is faster than the default.
    pub speedup: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// When they ended: RFC 3339, UTC.
    pub ended: String,
}

/// What went with a study that was deleted.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeletedStudy {
    /// The number that it had.
    pub id: i64,
    /// Its trials.
    pub trials: u64,
    /// Its finals.
    pub finals: u64,
}

/// One configuration of a study, and what it did.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Trial {
    /// The number of the study.
    pub study: i64,
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it is for.
    #[schemars(with = "foreign_schema::Role")]
    pub role: Role,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Why there is no verdict; none where there is one.
    #[schemars(with = "Option<foreign_schema::FailureKind>")]
    pub failure: Option<FailureKind>,
    /// The first difference, or the failure's own words; none where it is right.
    pub message: Option<String>,
    /// How far the farthest of its results was from the exact one, as a share of what is right: 0 where all of them are right to
    /// the bit, 1 where one is only just right. Only sums and products of floats have other errors than 0. None unless it is
    /// right, of what is right but for the sign of a zero, and of what was tried before errors were kept.
    pub error: Option<f64>,
    /// Its time in microseconds; none unless its value is right.
    pub time_us: Option<f64>,
    /// Every sample of the time in microseconds, in the order of measurement; none where there is no time.
    pub samples_us: Option<Vec<f64>>,
    /// Time of the compilation in milliseconds; none where there is no kernel.
    pub compile_ms: Option<f64>,
    /// The configuration; none of a default that is none.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// Its name in logs and other databases: BLAKE3 of its canonical text; none where there is no configuration.
    pub configuration_hash: Option<String>,
    /// Seed of the inputs.
    pub input_seed: u64,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// When it ended: RFC 3339, UTC.
    pub ended: String,
}

/// A page of trials.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedTrials {
    /// The trials, in the order that was asked for.
    pub trials: Vec<Trial>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The last line of a stream of trials some of which were left out.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOutTrials {
    /// What is known and cannot be read.
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// What is to be tried again.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RequeueReport {
    /// The number of the study.
    pub study: i64,
    /// How many trials that were abandoned are gone, so that the study makes them again.
    pub trials: u64,
}
