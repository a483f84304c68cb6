//! The output of `wavetune profile`: the commands of a model's functions with their times.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// The profile of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelProfile {
    /// The name of the device.
    pub device: String,
    /// The clock of all times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// `true` if the figures of the time model were measured on this part.
    pub calibrated: bool,
    /// The version of iree-compile; `null` for a compiled module.
    pub compiler: Option<String>,
    /// The profiled calls, one for each function.
    pub functions: Vec<FunctionProfile>,
}

/// The profile of one call.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FunctionProfile {
    /// The name of the function.
    pub function: String,
    /// The inputs of the call, in the notation of `iree-run-module --input`.
    pub inputs: Vec<String>,
    /// The sum of all known times, and of the lower bounds of unknown ones, in microseconds.
    pub time_us: f64,
    /// The number of commands that count with a lower bound. Unless it is 0, `time_us` is a lower
    /// bound, too.
    pub bounded: usize,
    /// The sum of the bounds of all commands in microseconds; `null` if a bound is unknown.
    pub bound_us: Option<f64>,
    /// The number of launches of kernels.
    pub kernels: usize,
    /// The number of commands without a time and without a lower bound of it.
    pub untimed: usize,
    /// The commands, in the order of their launch.
    pub commands: Vec<CommandProfile>,
    /// The kernels that run once when the module is loaded.
    pub at_load: Vec<CommandProfile>,
}

/// A command of the device.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CommandProfile {
    /// The kind: `kernel`, `copy` or `fill`.
    pub kind: &'static str,
    /// The name of the kernel; `copy` or `fill` for the others.
    pub name: String,
    /// The operations of the module that the kernel computes, in order; empty if they are
    /// unknown.
    pub operations: Vec<String>,
    /// The number of workgroups in each dimension; `null` unless it is a kernel.
    pub workgroups: Option<[u32; 3]>,
    /// The size of a workgroup in each dimension; `null` unless it is a kernel.
    pub workgroup_size: Option<[u32; 3]>,
    /// The time in microseconds; `null` if it is unknown.
    pub time_us: Option<f64>,
    /// A lower bound of an unknown time, in microseconds; absent if the time is known, and if
    /// there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_us: Option<f64>,
    /// The reason why there is no time; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unknown: Option<String>,
    /// The share of the sum of all known times; `null` if the time is unknown, and if the sum is a
    /// lower bound.
    pub share: Option<f64>,
    /// The distinct bytes that it reads; `null` if they are unknown.
    pub bytes_read: Option<u64>,
    /// The distinct bytes that it writes; `null` if they are unknown.
    pub bytes_written: Option<u64>,
    /// The least modelled time of any kernel with these bytes, in microseconds; `null` if the
    /// bytes are unknown.
    pub bound_us: Option<f64>,
    /// The resource that limits the time, such as `dram`; `null` if it is unknown.
    pub bottleneck: Option<String>,
    /// The waves that a SIMD holds at a time; `null` if they are unknown.
    pub waves_per_simd: Option<u32>,
    /// The resource that limits the waves of a SIMD, such as `vgprs`; `null` if it is unknown.
    pub limited_by: Option<String>,
}
