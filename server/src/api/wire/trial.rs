//! Schemas of trials and finals from agents and databases.

use answers::ConfigurationSchema;
use schemars::JsonSchema;

/// A trial.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ToldTrial {
    /// Its place in the study's sequence, counted from 0.
    ordinal: u32,
    /// Its role in the study.
    role: TrialRole,
    /// The configuration; none for a default without one.
    configuration: Option<ConfigurationSchema>,
    /// The verdict.
    outcome: TrialOutcome,
    /// Distance of the farthest result from the exact one, as a fraction of the allowed bound.
    #[schemars(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// Seed of the inputs.
    input_seed: u64,
    /// Time of the compilation, in milliseconds.
    compile_ms: Option<f64>,
    /// The time of its begin.
    started: Moment,
    /// The time of its end.
    ended: Moment,
}

/// A point in time.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Moment {
    /// Whole seconds since 1970, UTC.
    secs_since_epoch: u64,
    /// Nanoseconds in addition.
    nanos_since_epoch: u32,
}

/// The role of a trial.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum TrialRole {
    /// The generator's default.
    Default,
    /// A candidate of the strategy.
    Candidate,
}

/// The verdict of a trial.
#[derive(JsonSchema)]
pub(super) enum TrialOutcome {
    /// Value and index are correct on every input.
    Right(TrialTiming),
    /// The value is correct, and the index differs at a tie: the time, and the first such tie.
    Tie(TrialTiming, String),
    /// The value or the index is wrong: the first difference.
    Wrong(String),
    /// The kind of the failure, and its message.
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
    /// The sampling protocol, as JSON.
    protocol: Option<String>,
}

/// The kind of a failure.
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
    /// The kernel needs more memory than the device has.
    Memory,
    /// Two launches on the same input gave different results.
    Nondeterministic,
    /// No agent finished it.
    Abandoned,
}

/// The result of finals, or the reason for which there is none.
#[derive(JsonSchema)]
pub(super) enum FinalsResult {
    /// They were held.
    Ok(ToldFinals),
    /// They failed for this reason.
    Err(String),
}

/// The result of finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ToldFinals {
    /// Every sample of the race, in order: index in the short list, and microseconds.
    race: Vec<(u64, f64)>,
    /// The winner of the race: an index in the short list.
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
    /// The finding of the comparison.
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

/// The finding of a comparison.
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
