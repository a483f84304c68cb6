//! The schemas of trials and finals, as agents and databases tell them.

use answers::ConfigurationSchema;
use schemars::JsonSchema;

/// A trial.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ToldTrial {
    /// Its place in the study's sequence, counted from 0.
    ordinal: u32,
    /// What it is for.
    role: TrialRole,
    /// The configuration; none of a default that is no configuration.
    configuration: Option<ConfigurationSchema>,
    /// The verdict.
    outcome: TrialOutcome,
    /// Distance of the farthest result from the exact one, as a share of the bound.
    #[schemars(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// Seed of the inputs.
    input_seed: u64,
    /// Milliseconds of the compilation.
    compile_ms: Option<f64>,
    /// When it began.
    started: Moment,
    /// When it ended.
    ended: Moment,
}

/// A moment.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Moment {
    /// Whole seconds since 1970, UTC.
    secs_since_epoch: u64,
    /// Nanoseconds beside these.
    nanos_since_epoch: u32,
}

/// What a trial is for.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum TrialRole {
    /// The generator's default.
    Default,
    /// What a strategy chose.
    Candidate,
}

/// The verdict of a trial.
#[derive(JsonSchema)]
pub(super) enum TrialOutcome {
    /// Value and index are correct on every input.
    Right(TrialTiming),
    /// The value is correct, and the index on ties is another one: the time, and the first such tie.
    Tie(TrialTiming, String),
    /// The first difference.
    Wrong(String),
    /// Why there is no verdict, and the failure's own words.
    Failed(FailedBy, String),
}

/// The time of a kernel.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct TrialTiming {
    /// The time in microseconds.
    time_us: f64,
    /// Every sample in the order of measurement, in microseconds.
    samples_us: Vec<f64>,
    /// How they were taken, as JSON.
    protocol: Option<String>,
}

/// Why a trial has no verdict.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum FailedBy {
    /// The compiler reported an error.
    Compile,
    /// Compiling or running took longer than the limit.
    Timeout,
    /// The process that compiled or ran it died.
    Crash,
    /// The device refused the code object.
    Rejected,
    /// The kernel accessed memory that is not its own, or trapped.
    Fault,
    /// The kernel asks for more memory than the device has.
    Memory,
    /// Two launches on the same input gave different results.
    Nondeterministic,
    /// No agent that had it brought it to an end.
    Abandoned,
}

/// The result of finals, or why there is none.
#[derive(JsonSchema)]
pub(super) enum FinalsResult {
    /// They were held.
    Ok(ToldFinals),
    /// They could not be held, for this reason.
    Err(String),
}

/// The result of finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ToldFinals {
    /// Every sample of the race, in order: place on the short list, microseconds.
    race: Vec<(u64, f64)>,
    /// The winner of the race: a place on the short list.
    first: u64,
    /// The winner of the race (A) and the default (B).
    comparison: PairedComparison,
}

/// The result of a comparison of two kernels.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct PairedComparison {
    /// Every sample, in order: the kernel, microseconds.
    samples: Vec<(ComparedSide, f64)>,
    /// Time of B over time of A.
    speedup: f64,
    /// Interval of the speedup.
    interval: SpeedupInterval,
    /// What the interval says.
    finding: ComparedFinding,
}

/// One of two kernels.
#[derive(JsonSchema)]
pub(super) enum ComparedSide {
    /// The first.
    A,
    /// The second.
    B,
}

/// An interval of a speedup.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SpeedupInterval {
    /// Its lower end.
    low: f64,
    /// Its upper end.
    high: f64,
}

/// What an interval says.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum ComparedFinding {
    /// A takes less time than B.
    Faster,
    /// A takes more time than B.
    Slower,
    /// The difference may be noise.
    NotSignificant,
}
