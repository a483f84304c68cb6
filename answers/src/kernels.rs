//! The manifest of exported kernels: all data for launching them, and their provenance.

use std::borrow::Cow;

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;
use crate::lookup::Provenance;

/// The version of the format. It changes if a field is removed or changes its meaning.
pub const FORMAT: u32 = 1;

/// The manifest file.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format. It changes if a field is removed or changes its meaning.
    pub format: u32,
    /// The version of the program.
    pub wavetune: &'static str,
    /// The instruction set that the kernels are built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// A fact that readers must know, such as that no model was compared; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The kernels, one row each.
    pub kernels: Vec<ManifestKernel>,
}

/// A kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ManifestKernel {
    /// The problem that the kernel computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The file name of the code object in the manifest's directory.
    pub file: String,
    /// The file name of the same kernel as HIP C++. It computes the same as the code object, but
    /// is not its source.
    pub source: String,
    /// The name of the kernel in the code object.
    pub symbol: String,
    /// The workgroups along x, y and z (HIP's gridDim).
    pub grid: [u32; 3],
    /// The rule for the grid of a launch whose count is known at launch only; absent if all sizes
    /// are known. With it, `grid` and buffer sizes are those of the largest count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// The work-items of a workgroup along x, y and z (HIP's blockDim).
    pub block: [u32; 3],
    /// The number of consecutive workgroups that wait for each other. All of them must be
    /// resident at once, beside other waiting workgroups on the device. Absent if none waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_workgroups: Option<u32>,
    /// The lanes of a subgroup.
    pub subgroup_size: u32,
    /// The static LDS of a workgroup in bytes. A launch needs no dynamic LDS.
    pub lds_bytes: u32,
    /// The size of the argument block in bytes. There are no hidden arguments.
    pub kernarg_bytes: u32,
    /// The arguments, in the order of the kernel's parameters.
    pub arguments: Vec<ManifestArgument>,
    /// The configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The origin of the configuration.
    #[serde(flatten)]
    pub chosen: ConfigurationChoice,
    /// The generator and the compiler of the code object.
    pub made_by: KernelOrigin,
}

/// The outermost dimension's size, if it is known at launch only. With n = ceil(count / tile) *
/// workgroups_per_tile workgroups, `min(n, grid[0])` lie along x and `ceil(n / grid[0])` along y.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// The smallest count.
    pub least: u32,
    /// The largest count. A larger count is not allowed.
    pub largest: u32,
    /// The extent of a tile along the outermost dimension.
    pub tile: u64,
    /// The workgroups of each tile.
    pub workgroups_per_tile: u64,
}

/// A parameter of a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ManifestArgument {
    /// The name: `input`, `operand_1` and so on, `explicit_indices`, `values`, `indices`,
    /// `workspace`, `index_base` or `count`.
    // Only the names of further operands are formatted; all others are constants.
    pub name: Cow<'static, str>,
    /// The kind of the argument: address or number.
    pub kind: ArgumentKind,
    /// The type of an element or of the number, such as `f32`.
    #[serde(rename = "type")]
    // `type` is a keyword of Rust.
    pub element: &'static str,
    /// The offset in the argument block, in bytes.
    pub offset: u32,
    /// The size in the argument block, in bytes. For a buffer, the size of its address.
    pub size: u32,
    /// The buffer that the argument points to.
    #[serde(flatten)]
    pub pointee: Pointee,
}

/// The kind of an argument.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    /// The address of a buffer.
    Buffer,
    /// A number.
    Value,
}

/// The target of an argument.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Pointee {
    /// A buffer.
    Buffer(Buffer),
    /// No target, because the argument is a number.
    // With braces, so that serde flattens it as a struct without fields.
    Nothing {},
}

/// The buffer that an argument points to.
#[derive(Serialize, JsonSchema)]
pub struct Buffer {
    /// The accesses of the kernel.
    pub access: BufferAccess,
    /// The minimum size in bytes.
    pub bytes: u64,
    /// The elements along each dimension; empty if the kernel does not need them.
    pub shape: Vec<u32>,
    /// The elements from one position to the next along each dimension.
    pub strides: Vec<u64>,
    /// The bytes that must be 0 before the first launch, and that each launch leaves 0; absent if
    /// there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<ByteRange>,
}

/// A range of bytes of a buffer.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ByteRange {
    /// The offset of the range in bytes.
    pub offset: u64,
    /// The length of the range in bytes.
    pub bytes: u64,
}

/// The accesses of a kernel to a buffer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferAccess {
    /// The kernel reads the buffer.
    Read,
    /// The kernel writes the buffer.
    Write,
    /// The kernel replaces initial pairs by results.
    ReadWrite,
    /// The kernel uses the buffer as scratch memory. Only the bytes of `zero` matter before and
    /// after a launch.
    Workspace,
}

/// The origin of a kernel's configuration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "chosen", rename_all = "snake_case")]
pub enum ConfigurationChoice {
    /// The best known configuration.
    Tuned(Box<KnownTiming>),
    /// The generator's default, because no tuned configuration is known.
    Default,
    /// A configuration from the command line.
    Given,
}

/// The known times of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnownTiming {
    /// The time in microseconds.
    pub time_us: f64,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The time of the default in microseconds; `null` if it has none.
    pub default_time_us: Option<f64>,
    /// The provenance of the times.
    pub tuned_with: Provenance,
}

/// The generator and the compiler of a code object.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelOrigin {
    /// The generator.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The version of the generator.
    pub generator_version: &'static str,
    /// The compiler.
    pub compiler: String,
    /// The version of the compiler.
    pub compiler_version: String,
}
