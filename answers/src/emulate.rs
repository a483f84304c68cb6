//! What `wavetune emulate` prints.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// What a kernel did, and how long the model says it takes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Emulation {
    /// Name of the device.
    pub device: String,
    /// The instruction set that the kernel was compiled for.
    pub isa: &'static str,
    /// Name of the kernel.
    pub kernel: String,
    /// Whose time `time_us` is.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// Its time in microseconds; none if it cannot be modelled.
    pub time_us: Option<f64>,
    /// Why there is no time; left out if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unknown: Option<String>,
    /// Whether the time model's figures were measured on this part.
    pub calibrated: bool,
    /// Waves that ran.
    pub waves: u64,
    /// Instructions that they executed, each counted once a wave.
    pub wave_instructions: u64,
    /// Instructions whose result AMD gives only to an error bound.
    pub approximate_instructions: u64,
    /// Bytes that they read of memory.
    pub bytes_read: u64,
    /// Bytes that they wrote to memory.
    pub bytes_written: u64,
    /// How many waves the device holds at once; none where there is no time.
    pub occupancy: Option<Occupancy>,
    /// What limits the time, such as `latency`; none where there is no time.
    pub bottleneck: Option<&'static str>,
    /// What the checker found; empty without `--check`.
    pub findings: Vec<Finding>,
    /// The buffers that were asked for with `--dump`; left out where none were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dumps: Vec<Dump>,
    /// Seconds that the emulation took on this machine.
    pub seconds: f64,
}

/// How many waves are on the device at once.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Occupancy {
    /// Waves on each SIMD.
    pub waves_per_simd: u32,
    /// What there would have to be more of, such as `vgprs`.
    pub limited_by: &'static str,
}

/// A finding of the checker.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Finding {
    /// What kind of mistake it is.
    pub kind: &'static str,
    /// What is wrong.
    pub message: String,
    /// Address of the instruction in the code object.
    pub pc: u64,
    /// The instruction, disassembled.
    pub instruction: String,
    /// The workgroup, along x, y and z.
    pub workgroup: [u32; 3],
    /// The wave of the workgroup.
    pub wave: u32,
    /// The lane; none where it is of the whole wave.
    pub lane: Option<u32>,
    /// The address in memory; none where it is about no memory.
    pub address: Option<u64>,
    /// File and line of the source; none where the code object has none.
    pub source: Option<String>,
    /// How often it happened at this instruction.
    pub count: u64,
}

/// A buffer's elements after the launch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dump {
    /// Number of the argument, from 0.
    pub argument: usize,
    /// Type of an element, such as `f32`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The elements in their order.
    pub values: Vec<Element>,
}

/// An element. What JSON has no number for is a string.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Element {
    /// Of a signed integer type.
    Signed(i64),
    /// Of an unsigned integer type.
    Unsigned(u64),
    /// Of a type of at most 32 bits, in the fewest digits that tell it from all others of 32 bits.
    Single(f32),
    /// Of a type of 64 bits.
    Double(f64),
    /// `NaN`, `inf` or `-inf`.
    Text(String),
}
