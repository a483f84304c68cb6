//! The manifest of exported kernels: everything that launching its kernels takes, and where they are from.

use std::borrow::Cow;

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;
use crate::lookup::Provenance;

/// Changes when a field of the manifest changes its meaning or goes.
pub const FORMAT: u32 = 1;

/// The whole file.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Manifest {
    /// Changes when a field changes its meaning or goes.
    pub format: u32,
    /// Version of the program.
    pub wavetune: &'static str,
    /// What the kernels are built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// A row for each kernel.
    pub kernels: Vec<ManifestKernel>,
}

/// One kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ManifestKernel {
    /// What it computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The code object, in the manifest's directory.
    pub file: String,
    /// The same kernel as HIP C++, in the same place: not what the code object is made of, but what it computes.
    pub source: String,
    /// Its name in the code object.
    pub symbol: String,
    /// Workgroups along x, y and z (HIP's gridDim).
    pub grid: [u32; 3],
    /// How a launch follows from its count, where that is known at launch only: `grid` and the sizes of buffers are then those of
    /// the largest count. Left out where all sizes are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Work-items of a workgroup along x, y and z (HIP's blockDim).
    pub block: [u32; 3],
    /// How many workgroups with neighbouring numbers wait for each other: so many have to be on the device together, beside whatever
    /// else waits there. Left out where none waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_workgroups: Option<u32>,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Static LDS of a workgroup in bytes; no dynamic LDS is needed.
    pub lds_bytes: u32,
    /// Bytes of the argument block, without hidden arguments: there are none.
    pub kernarg_bytes: u32,
    /// In the order of the kernel's parameters.
    pub arguments: Vec<ManifestArgument>,
    /// Its configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// Why it has this configuration.
    #[serde(flatten)]
    pub chosen: ConfigurationChoice,
    /// Who made the code object.
    pub made_by: KernelOrigin,
}

/// A size that is known at launch only, that of the outermost dimension. Of n = ceil(count / tile) * workgroups_per_tile
/// workgroups, `min(n, grid[0])` lie along x and `ceil(n / grid[0])` along y.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// The least one.
    pub least: u32,
    /// The largest one; with more the kernel may not be launched.
    pub largest: u32,
    /// Places of the outermost dimension in a tile.
    pub tile: u64,
    /// Workgroups of each tile.
    pub workgroups_per_tile: u64,
}

/// A parameter of a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ManifestArgument {
    /// What it is: `input`, `operand_1` and so on, `explicit_indices`, `values`, `indices`, `workspace`, `index_base` or `count`.
    pub name: Cow<'static, str>,
    /// Whether it is an address.
    pub kind: ArgumentKind,
    /// Type of an element, or of the value, such as `f32`.
    #[serde(rename = "type")]
    pub element: &'static str,
    /// Where it lies in the argument block, in bytes.
    pub offset: u32,
    /// Bytes there: of a buffer those of its address.
    pub size: u32,
    /// What it points to.
    #[serde(flatten)]
    pub pointee: Pointee,
}

/// Whether an argument is an address.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    /// The address of a buffer.
    Buffer,
    /// A number.
    Value,
}

/// What an argument points to.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Pointee {
    /// A buffer.
    Buffer(Buffer),
    /// Nothing, as it is a number.
    Nothing {},
}

/// The buffer whose address an argument is.
#[derive(Serialize, JsonSchema)]
pub struct Buffer {
    /// What the kernel does with it.
    pub access: BufferAccess,
    /// Its size in bytes at least.
    pub bytes: u64,
    /// Elements along each dimension; empty where they are of no matter.
    pub shape: Vec<u32>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<u64>,
    /// What must be 0 before the first launch, and is 0 after each; left out where nothing must.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<ByteRange>,
}

/// A part of a buffer.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ByteRange {
    /// Bytes before it.
    pub offset: u64,
    /// Bytes of it.
    pub bytes: u64,
}

/// What a kernel does with a buffer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferAccess {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
    /// Initial pairs become results.
    ReadWrite,
    /// Nothing of it matters before or after the launch but what must be 0.
    Workspace,
}

/// Why a kernel has its configuration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "chosen", rename_all = "snake_case")]
pub enum ConfigurationChoice {
    /// The best that is known.
    Tuned(Box<KnownTiming>),
    /// Nothing is known, the default rule says it.
    Default,
    /// The command line says it.
    Given,
}

/// What is known of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnownTiming {
    /// Its time in microseconds.
    pub time_us: f64,
    /// Whose time it is.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The default's time in microseconds; none where it has none.
    pub default_time_us: Option<f64>,
    /// What made these numbers.
    pub tuned_with: Provenance,
}

/// Who made the code object.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelOrigin {
    /// The generator.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Its version.
    pub generator_version: &'static str,
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
}
