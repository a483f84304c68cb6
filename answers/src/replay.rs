//! The output of `wavetune replay`.

use schemars::JsonSchema;
use serde::Serialize;

/// The replays of one recorded space with one strategy.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Replay {
    /// The recorded space's file.
    pub file: String,
    /// The strategy.
    pub strategy: &'static str,
    /// The number of configurations of the space.
    pub configurations: u64,
    /// The shortest recorded time in milliseconds.
    pub optimum_ms: f64,
    /// The maximum number of evaluations of a run.
    pub budget: u64,
    /// The number of runs.
    pub seeds: u64,
    /// The number of proposals between two waits for results.
    pub batch: u64,
    /// True if the strategy saw recorded samples in place of times.
    pub has_noise: bool,
    /// The best so far at each checkpoint within the budget.
    pub best: Vec<Checkpoint>,
    /// The evaluations to within 5 % of the optimum.
    pub within_5_percent: Reach,
    /// The evaluations to within 1 % of the optimum.
    pub within_1_percent: Reach,
    /// The score P by evaluations: 0 is random search, 1 the optimum at once. Null if random search
    /// is at the optimum at once.
    pub score_by_evaluations: Option<f64>,
    /// The score P by the simulated clock. Null if the record has no durations.
    pub score_by_time: Option<f64>,
}

/// The best after some evaluations.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Checkpoint {
    /// The number of evaluations.
    pub evaluations: u64,
    /// The best time as a multiple of the optimum, the geometric mean over the runs. Null if a run
    /// has found nothing by then.
    pub ratio: Option<f64>,
}

/// The evaluations until a goal.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reach {
    /// The fraction of runs that reach the goal within the budget.
    pub share: f64,
    /// The median number of evaluations over all runs. Null if fewer than half of them reach the
    /// goal.
    pub median_evaluations: Option<u64>,
}
