//! The output of `wavetune emulate`.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;
use crate::stages::TimeComponent;

/// The emulated launch of a kernel, with its modelled time.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Emulation {
    /// The name of the device.
    pub device: String,
    /// The instruction set that the kernel was compiled for.
    pub isa: &'static str,
    /// The name of the kernel.
    pub kernel: String,
    /// The clock of `time_us`.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The time of the launch in microseconds; `null` if the model cannot compute it.
    pub time_us: Option<f64>,
    /// The reason why there is no time; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unknown: Option<String>,
    /// `true` if the figures of the time model were measured on this part.
    pub calibrated: bool,
    /// The number of waves that ran; 0 with `--time-only`, as are the next four counts.
    pub waves: u64,
    /// The instructions that the waves executed, each counted once per wave.
    pub wave_instructions: u64,
    /// The executed instructions whose result AMD specifies only to an error bound.
    pub approximate_instructions: u64,
    /// The bytes that the waves read from memory.
    pub bytes_read: u64,
    /// The bytes that the waves wrote to memory.
    pub bytes_written: u64,
    /// The microseconds of each part of the time, as if the others were free; `null` if there is
    /// no time.
    pub parts: Option<Vec<TimeComponent>>,
    /// The number of waves that the device holds at once; `null` if there is no time.
    pub occupancy: Option<Occupancy>,
    /// The resource that limits the time, such as `latency`; `null` if there is no time.
    pub bottleneck: Option<&'static str>,
    /// The findings of the checker; empty without `--check`.
    pub findings: Vec<Finding>,
    /// The buffers that `--dump` asks for; absent without `--dump`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dumps: Vec<Dump>,
    /// The duration of the emulation on this machine in seconds.
    pub seconds: f64,
}

/// The waves that the device holds at once.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Occupancy {
    /// The waves on each SIMD.
    pub waves_per_simd: u32,
    /// The resource that limits occupancy, such as `vgprs`.
    pub limited_by: &'static str,
}

/// A finding of the checker.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Finding {
    /// The kind of mistake.
    pub kind: &'static str,
    /// The description of the mistake.
    pub message: String,
    /// The address of the instruction in the code object.
    pub pc: u64,
    /// The instruction, disassembled.
    pub instruction: String,
    /// The workgroup, along x, y and z.
    pub workgroup: [u32; 3],
    /// The wave of the workgroup.
    pub wave: u32,
    /// The lane; `null` if the mistake is of the whole wave.
    pub lane: Option<u32>,
    /// The memory address; `null` if the mistake is not about memory.
    pub address: Option<u64>,
    /// The file and line of the source; `null` if the code object has none.
    pub source: Option<String>,
    /// The number of occurrences at this instruction.
    pub count: u64,
}

/// The elements of a buffer after the launch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dump {
    /// The number of the argument, from 0.
    pub argument: usize,
    /// The type of the elements, such as `f32`.
    #[serde(rename = "type")]
    // `type` is a keyword of Rust.
    pub kind: &'static str,
    /// The elements in order.
    pub values: Vec<Element>,
}

/// An element. It is a string if JSON has no number for it.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Element {
    /// An element of a signed integer type.
    Signed(i64),
    /// An element of an unsigned integer type.
    Unsigned(u64),
    /// An element of a float type of at most 32 bits, in the fewest digits that distinguish it
    /// from every other 32-bit float.
    // As an `f64`, the `f32` 0.1 would print as 0.10000000149011612.
    Single(f32),
    /// An element of a 64-bit float type.
    Double(f64),
    /// `NaN`, `inf` or `-inf`.
    // JSON has no such numbers, and serde_json would print `null`.
    Text(String),
}
