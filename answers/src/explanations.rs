//! The answer of `POST /api/v1/explanations`: a configuration, and the elements that each lane of
//! its kernel reads.

use configgen::{Configuration, Generator, Problem, Target};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::foreign_schema;

/// A configuration of a problem, explained without a build of its kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Explanation {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set that the kernel is built for.
    #[serde(serialize_with = "name_of")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The requested configuration, or else the untuned one; `null` if there is none.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// Its name in logs and databases: BLAKE3 of its canonical text.
    pub configuration_hash: Option<String>,
    /// The reason why there is no such kernel; `null` if there is one.
    pub refusal: Option<ConfigurationRefusal>,
    /// IREE's attribute of the configuration, `#iree_gpu.lowering_config<...>`.
    pub attributes: Option<String>,
    /// IREE's attribute beside it, `#iree_codegen.translation_info<...>`.
    pub translation_info: Option<String>,
    /// IREE's attribute of the layout of a step, `#iree_vector_ext.nested_layout<...>`; `null` if
    /// the generator refuses the configuration.
    pub nested_layout: Option<String>,
    /// The command that prints the assembly; `null` if the generator's stages cannot be printed.
    pub command: Option<String>,
    /// The elements that each lane loads; `null` if the generator is not `native`, or refuses the
    /// configuration.
    pub layout: Option<Layout>,
}

fn name_of<S: Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

/// The reason why a generator refuses a configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ConfigurationRefusal {
    /// The broken rule; `null` if the generator's own default is not expressible as a
    /// configuration.
    pub rule: Option<&'static str>,
    /// The reason, with the numbers.
    pub message: String,
}

/// The elements that each lane loads, and the exchanges between lanes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Layout {
    /// The lanes of a subgroup.
    pub subgroup_size: u32,
    /// The subgroups of a workgroup.
    pub subgroups: u32,
    /// The threads of a workgroup.
    pub threads: u32,
    /// The workgroups of the launch.
    pub workgroups: u64,
    /// The workgroups that share a tile's rows.
    pub split: u32,
    /// The dimensions of the problem, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The same as `nested_layout` of the answer.
    pub nested_layout: String,
    /// The rows of a workgroup's tile.
    pub rows: u64,
    /// The columns that a workgroup takes in all of its steps.
    pub columns: u64,
    /// The steps of a workgroup. If several dimensions have steps, those of the last dimension
    /// are the fastest.
    pub steps: u64,
    /// `true` if each lane loads the step with its row's best element once more after the last
    /// step.
    pub best_step_again: bool,
    /// The loads of workgroup 0.
    pub loads: Loads,
    /// The exchanges between the lanes of a row, in order.
    pub exchange: Vec<Exchange>,
}

/// The distribution of a dimension over subgroups, batches, lanes and elements, each within the
/// one before.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dimension {
    /// The elements of the dimension.
    pub size: u32,
    /// `true` if the dimension is reduced.
    pub reduced: bool,
    /// The elements of a workgroup's tile.
    pub tile: u32,
    /// The tiles that a workgroup takes one after the other: more than one along reduced
    /// dimensions only.
    pub steps: u32,
    /// The subgroups.
    pub subgroup: Digit,
    /// The rounds of a subgroup over its part.
    pub batch: NestLevel,
    /// The lanes of a subgroup.
    pub lane: Digit,
    /// The neighbouring elements of a lane.
    pub element: Count,
    /// The handling of the tail, the elements at the end that no whole tile covers. `exact`:
    /// there are none. `shifted`: the last tile starts earlier. `clamped`: lanes of the only tile
    /// start earlier.
    pub cover: &'static str,
}

/// Parts that an id selects.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Digit {
    /// The number of parts.
    pub count: u32,
    /// The elements from one part to the next.
    pub stride: u32,
    /// The difference of their ids: part `id / id_stride % count`.
    pub id_stride: u32,
}

/// Parts that a subgroup takes one after the other.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NestLevel {
    /// The number of parts.
    pub count: u32,
    /// The elements from one part to the next.
    pub stride: u32,
}

/// Parts side by side.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// The number of parts.
    pub count: u32,
}

/// The loads of lanes, as a table.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Loads {
    /// `true` if the table omits loads of the shown steps, because there are too many.
    pub truncated: bool,
    /// The steps of the table: the first two and the last.
    pub steps_shown: Vec<u64>,
    /// The direction in which the elements of a load are neighbours: `columns` of a row, or
    /// `rows`.
    pub along: &'static str,
    /// The names of the numbers of a load.
    pub columns: [&'static str; COLUMNS.len()],
    /// The loads, one row each. `row` and `column` are the coordinates of the first element
    /// within the whole problem. The first `repeated` of its `length` elements are loaded a
    /// second time, and a compiler may omit them. `offset` is the position of the first element
    /// in the input, in elements, with the gaps between rows.
    pub values: Vec<[u64; COLUMNS.len()]>,
}

/// The names of the numbers of a load.
pub const COLUMNS: [&str; 9] = [
    "step", "subgroup", "batch", "lane", "row", "column", "length", "repeated", "offset",
];

/// An exchange between lanes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exchange {
    /// The instructions.
    pub name: String,
    /// The kind of the instructions: `dpp`, `swizzle`, `permute`, `permlane`, `readlane`,
    /// `ballot`, `lds` or `memory`.
    pub kind: &'static str,
    /// The participants: the lanes of a `subgroup`, the subgroups of a `workgroup`, or the
    /// workgroups of the `grid` that share rows.
    pub scope: &'static str,
    /// The exchanged value: `best value`, `least index`, `holders` or `state`.
    pub what: &'static str,
    /// `true` if the kernel skips the exchange when one lane alone holds the best value.
    pub only_on_ties: bool,
    /// The lane from which each lane receives; `null` if it keeps its value, or if the lane
    /// depends on the values. For `lds`: the first thread with a state that each thread reads.
    /// Empty if workgroups read other workgroups.
    pub from: Vec<Option<u32>>,
}
