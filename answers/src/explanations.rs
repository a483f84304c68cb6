//! What `POST /api/v1/explanations` says: a configuration, and which lane of its kernel reads which element.

use configgen::{Configuration, Generator, Problem, Target};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::foreign_schema;

/// A configuration of a problem, explained without building its kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Explanation {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// What the kernel is built for.
    #[serde(serialize_with = "name_of")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// Who makes it.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The configuration: that which was asked for, or the untuned one; none where there is none.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub configuration: Option<Configuration>,
    /// Its name in logs and databases: BLAKE3 of its canonical text.
    pub configuration_hash: Option<String>,
    /// Why there is no such kernel; none where there is one.
    pub refusal: Option<ConfigurationRefusal>,
    /// IREE's attribute of it, `#iree_gpu.lowering_config<...>`.
    pub attributes: Option<String>,
    /// The attribute beside it, `#iree_codegen.translation_info<...>`.
    pub translation_info: Option<String>,
    /// IREE's attribute of the layout of a step, `#iree_vector_ext.nested_layout<...>`; none where the configuration is
    /// refused.
    pub nested_layout: Option<String>,
    /// The command that prints its assembly; none where the generator's stages cannot be printed.
    pub command: Option<String>,
    /// Which lane loads what; none where the generator is not ours, or refuses the configuration.
    pub layout: Option<Layout>,
}

fn name_of<S: Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

/// Why a generator makes no kernel of a configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ConfigurationRefusal {
    /// The rule that is broken; none where what the generator does by itself is no configuration.
    pub rule: Option<&'static str>,
    /// Why, with the numbers.
    pub message: String,
}

/// Which lane of which subgroup loads which elements, and on which way lanes meet.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Layout {
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Subgroups of a workgroup.
    pub subgroups: u32,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Workgroups of the launch.
    pub workgroups: u64,
    /// Workgroups that share a tile's rows.
    pub split: u32,
    /// The dimensions of the problem, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The same as `nested_layout` of the answer.
    pub nested_layout: String,
    /// Rows of a workgroup's tile.
    pub rows: u64,
    /// Columns that a workgroup takes in all of its steps.
    pub columns: u64,
    /// Steps of a workgroup: where several dimensions have some, those of the last one are the fastest.
    pub steps: u64,
    /// Whether each lane loads, after the steps, what it has of the step with its row's best element once more.
    pub best_step_again: bool,
    /// What the lanes of workgroup 0 load.
    pub loads: Loads,
    /// The steps in which the lanes of a row meet, in their order.
    pub exchange: Vec<Exchange>,
}

/// How a dimension is dealt out: subgroups, batches, lanes and elements, each within the one before.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dimension {
    /// Its elements.
    pub size: u32,
    /// Whether it is reduced.
    pub reduced: bool,
    /// What a workgroup takes of it at once.
    pub tile: u32,
    /// How often a workgroup takes a tile: more than once along reduced dimensions alone.
    pub steps: u32,
    /// The subgroups.
    pub subgroup: Digit,
    /// Rounds of a subgroup over its part.
    pub batch: NestLevel,
    /// The lanes of a subgroup.
    pub lane: Digit,
    /// Elements that a lane takes side by side.
    pub element: Count,
    /// What becomes of elements of a tile that are not there: `exact`, there are none; `shifted`, the last tile starts
    /// earlier; `clamped`, lanes of the only tile start earlier.
    pub cover: &'static str,
}

/// Parts that an id chooses.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Digit {
    /// How many there are.
    pub count: u32,
    /// Elements from one to the next.
    pub stride: u32,
    /// Difference of their ids: part `id / id_stride % count`.
    pub id_stride: u32,
}

/// Parts that come one after the other.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NestLevel {
    /// How many there are.
    pub count: u32,
    /// Elements from one to the next.
    pub stride: u32,
}

/// Parts that lie side by side.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// How many there are.
    pub count: u32,
}

/// What lanes load, as a table.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Loads {
    /// Whether loads of the steps that are shown are left out, as there are too many.
    pub truncated: bool,
    /// The steps that are shown: the first two and the last.
    pub steps_shown: Vec<u64>,
    /// What the elements of a load are neighbours in: `columns` of a row, or `rows`.
    pub along: &'static str,
    /// What the numbers of a load are.
    pub columns: [&'static str; COLUMNS.len()],
    /// A load each. `row` and `column` are those of its first element, numbered among all of the problem row by row; of
    /// `length` elements the first `repeated` are nobody's business, and a compiler may leave them out. `offset` is the place of the first in the input, in elements, gaps between
    /// rows included.
    pub values: Vec<[u64; COLUMNS.len()]>,
}

/// The numbers of a load.
pub const COLUMNS: [&str; 9] = [
    "step", "subgroup", "batch", "lane", "row", "column", "length", "repeated", "offset",
];

/// A step in which lanes meet.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exchange {
    /// The instructions.
    pub name: String,
    /// What they are made of: `dpp`, `swizzle`, `permute`, `permlane`, `readlane`, `ballot`, `lds` or `memory`.
    pub kind: &'static str,
    /// Who meets: the lanes of a `subgroup`, the subgroups of a `workgroup`, or the workgroups of the `grid` that share rows.
    pub scope: &'static str,
    /// What is handed on: `best value`, `least index`, `holders` or `state`.
    pub what: &'static str,
    /// Whether it is left out where one lane alone holds the best value.
    pub only_on_ties: bool,
    /// Of each lane that from which it receives, `null` where it keeps what it has or where only the values tell. Where a
    /// workgroup meets in `lds`, of each thread the first of those whose state it reads. Empty where other workgroups are
    /// read.
    pub from: Vec<Option<u32>>,
}
