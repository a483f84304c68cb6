//! Schemas of batches.

use answers::ConfigurationSchema;
use schemars::JsonSchema;

/// A batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct WorkBatch {
    /// Its name.
    id: BatchName,
    /// The setup of its study.
    job: StudyJob,
    /// Its work.
    work: BatchWork,
}

/// The name of a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct BatchName {
    /// The director that gave it out.
    owner: String,
    /// The number of the study.
    study: i64,
    /// Counts the batches of this director and study.
    number: u64,
}

/// The setup of a study, for its agents.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct StudyJob {
    /// The problem.
    problem: String,
    /// Name of the generator of the kernels.
    generator: String,
    /// Seed of the inputs.
    input_seed: u64,
    /// The generator's default, which is the control kernel of the device.
    default: KernelChoice,
}

/// A kernel to build.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum KernelChoice {
    /// The generator's default.
    Default(KernelPipeline),
    /// A configuration that a strategy chose.
    Configured(ConfigurationSchema),
}

/// A lowering pipeline of IREE.
#[derive(JsonSchema)]
pub(super) enum KernelPipeline {
    /// The reduction is distributed over lanes.
    VectorDistribute(ConfigurationSchema),
    /// Each thread computes whole outputs.
    TileAndFuse(TiledThreads),
}

/// A pipeline in which each thread of a workgroup's tile computes one output.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct TiledThreads {
    /// Tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    workgroup: Vec<u32>,
    /// Lanes of a subgroup.
    subgroup_size: u32,
    /// Threads of a workgroup along x, y and z.
    workgroup_size: [u32; 3],
}

/// The work of a batch.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum BatchWork {
    /// Try these candidates.
    Try(Vec<NumberedCandidate>),
    /// Hold finals of these and the default.
    Finals {
        /// The best of the search, the fastest first.
        finalists: Vec<NumberedCandidate>,
        /// Seed of the order in which they are measured.
        seed: u64,
        /// The terms of the decision.
        terms: FinalsTerms,
    },
}

/// A candidate with its place in the study.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct NumberedCandidate {
    /// Its place in the study's sequence, counted from 0.
    ordinal: u32,
    /// The kernel to build.
    choice: KernelChoice,
    /// The time in microseconds from which on a kernel is only timed, on a device with exact
    /// times. Without it, every kernel is verified.
    #[schemars(skip_serializing_if = "Option::is_none")]
    verified_below_us: Option<f64>,
}

/// The terms of finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct FinalsTerms {
    /// Trials of the study that had ended.
    trials: u32,
    /// The tie-break.
    ties: WantedTies,
    /// True if the default gives way to the best finalist even if the default wins.
    default_yields: bool,
}

/// The tie-break.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum WantedTies {
    /// The index that the fold gives.
    Fold,
    /// The index of any winner.
    Any,
}
