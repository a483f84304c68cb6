//! The answer of `POST /api/v1/explanations:kernel`: the stages of a kernel side by side, and the
//! properties of the built kernel.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// A kernel, explained from its build.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExplainedKernel {
    /// The stages, each made from the one before.
    pub stages: Vec<StageText>,
    /// The resources of a launch.
    pub launch: KernelResources,
    /// The waves that the device holds; `null` if the device is unknown.
    pub occupancy: Option<Occupancy>,
    /// The instruction counts.
    pub instructions: Instructions,
    /// The parts of the modelled time. `null` if the device is unknown, the problem is too large
    /// to emulate, or the kernel is not correct.
    pub model: Option<Model>,
}

/// The text of a stage.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageText {
    /// The name, as `wavetune explain --stage` takes it.
    pub name: &'static str,
    /// The text.
    pub text: String,
    /// The marks of each line. Lines of two stages with a common mark belong together.
    pub marks: Vec<Vec<u32>>,
}

/// The resources of a launch.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelResources {
    /// The workgroups along x, y and z.
    pub grid: [u32; 3],
    /// The threads of a workgroup along x, y and z.
    pub workgroup: [u32; 3],
    /// The LDS of a workgroup in bytes.
    pub lds_bytes: u32,
    /// The vector registers of a lane, without accumulation registers.
    pub vgprs: u32,
    /// The accumulation registers of a lane.
    pub agprs: u32,
    /// The scalar registers of a wave.
    pub sgprs: u32,
    /// The private memory of a lane in bytes.
    pub scratch_bytes: u32,
    /// The code size in bytes.
    pub code_bytes: u64,
}

/// The waves that fit on a device at once.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Occupancy {
    /// The device.
    pub device: String,
    /// The waves that a SIMD holds at once.
    pub waves_per_simd: u32,
    /// The waves that a SIMD holds of the smallest kernel.
    pub most_waves_per_simd: u32,
    /// The limit: `wave_slots`, `vgprs`, `lds`, `workgroup_slots`, or `workgroups` if the launch
    /// has no more workgroups.
    pub limit: &'static str,
    /// The number of waves that each limit allows.
    pub each: Vec<Limit>,
}

/// The number of waves that one limit allows.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limit {
    /// The name of the limit.
    pub limit: &'static str,
    /// The waves of a SIMD.
    pub waves: u32,
}

/// The instructions in the code by the unit that executes them. Each instruction is in one count.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Instructions {
    /// All instructions.
    pub total: u64,
    /// Vector arithmetic, moves and comparisons.
    pub valu: u64,
    /// Instructions of the scalar unit.
    pub salu: u64,
    /// Vector loads, stores and atomics.
    pub vmem: u64,
    /// Scalar loads.
    pub smem: u64,
    /// LDS accesses.
    pub lds: u64,
    /// Exchanges between lanes.
    pub cross_lane: u64,
    /// Branches.
    pub branch: u64,
    /// Waits for memory, and barriers.
    pub wait: u64,
    /// Hints, and the end of the program.
    pub other: u64,
}

/// The modelled time of a launch, by the emulator's time model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// The clock of the times: the model's.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The device.
    pub device: String,
    /// The time of a launch in microseconds, with cold caches.
    pub time_us: f64,
    /// The lower bound for any kernel on the device, in microseconds.
    pub bound_us: f64,
    /// The largest part of the time: `launch`, `dram`, `llc`, `l2`, `l1`, `lds`, `valu`, `salu`,
    /// or `latency` if no unit is busy for half of it.
    pub bottleneck: &'static str,
    /// The time that each unit alone would take. The units overlap, so the parts do not add up to
    /// the time.
    pub parts: Vec<TimeComponent>,
}

/// A part of a modelled time.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TimeComponent {
    /// The busy unit.
    pub name: &'static str,
    /// The time that it is busy, in microseconds.
    pub us: f64,
}
