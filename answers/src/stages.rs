//! What `POST /api/v1/explanations:kernel` says: the stages of a kernel side by side, and what the built kernel is.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// A kernel, explained with what was built of it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExplainedKernel {
    /// The stages, in the order in which each is made of the one before.
    pub stages: Vec<StageText>,
    /// What a launch of it takes.
    pub launch: KernelResources,
    /// How many waves a device holds; none where the device is not known.
    pub occupancy: Option<Occupancy>,
    /// What its instructions are.
    pub instructions: Instructions,
    /// Where its time goes, as the time model has it; none where the device is not known, where the problem is too large to
    /// be emulated for an answer, and where the kernel is not right.
    pub model: Option<Model>,
}

/// A stage, as text.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageText {
    /// Its name, as `wavetune explain --stage` takes it.
    pub name: &'static str,
    /// Its text.
    pub text: String,
    /// Of each line its marks: lines of two stages that share one belong together.
    pub marks: Vec<Vec<u32>>,
}

/// What a launch takes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelResources {
    /// Workgroups along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a workgroup along x, y and z.
    pub workgroup: [u32; 3],
    /// LDS of a workgroup in bytes.
    pub lds_bytes: u32,
    /// Vector registers of a lane, without accumulation registers.
    pub vgprs: u32,
    /// Accumulation registers of a lane.
    pub agprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Private memory of a lane in bytes.
    pub scratch_bytes: u32,
    /// Bytes of its code.
    pub code_bytes: u64,
}

/// How many waves fit.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Occupancy {
    /// The device.
    pub device: String,
    /// Waves that a SIMD holds at a time.
    pub waves_per_simd: u32,
    /// Waves that it holds of the smallest kernel.
    pub most_waves_per_simd: u32,
    /// What keeps more from it: `wave_slots`, `vgprs`, `lds`, `workgroup_slots`, or `workgroups`, of which the launch has no
    /// more.
    pub limit: &'static str,
    /// How many each of these leaves room for.
    pub each: Vec<Limit>,
}

/// What one limit leaves room for.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limit {
    /// Its name.
    pub limit: &'static str,
    /// Waves of a SIMD.
    pub waves: u32,
}

/// Instructions as they stand in the code, by what executes them; each is in one number.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Instructions {
    /// All of them.
    pub total: u64,
    /// Vector arithmetic, moves and comparisons.
    pub valu: u64,
    /// The scalar unit's.
    pub salu: u64,
    /// Vector loads, stores and atomics.
    pub vmem: u64,
    /// Scalar loads.
    pub smem: u64,
    /// LDS accesses.
    pub lds: u64,
    /// Those with which lanes exchange values.
    pub cross_lane: u64,
    /// Branches.
    pub branch: u64,
    /// Waits for memory, and barriers.
    pub wait: u64,
    /// Hints, and the end.
    pub other: u64,
}

/// What the emulator's time model makes of a launch.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// Whose microseconds these are: the model's.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The device.
    pub device: String,
    /// Time of a launch in microseconds, with cold caches.
    pub time_us: f64,
    /// The least that any kernel could take there, in microseconds.
    pub bound_us: f64,
    /// What the time is made of most: `launch`, `dram`, `llc`, `l2`, `l1`, `lds`, `valu`, `salu`, or `latency` where nothing
    /// is busy for half of it.
    pub bottleneck: &'static str,
    /// What it would take if only one thing took time; they overlap, so that they are no sum.
    pub parts: Vec<TimeComponent>,
}

/// A part of a modelled time.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TimeComponent {
    /// What is busy.
    pub name: &'static str,
    /// For how long, in microseconds.
    pub us: f64,
}
