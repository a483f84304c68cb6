//! The output of `wavetune rule`.

use configgen::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// A decision list from shapes to the attributes of a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Rule {
    /// The operation.
    pub operation: String,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The device of the estimated times.
    pub device: String,
    /// The compute units of the device.
    pub compute_units: u32,
    /// The number of shapes that the rule learnt from.
    pub shapes: usize,
    /// The rows. Each shape meets the conditions of exactly one.
    pub rows: Vec<RuleRow>,
    /// The mean regret on held-out shapes. 0.1 is 10 % slower than the best without a split row.
    /// All times are estimates of the time model.
    pub mean_regret: f64,
    /// The number of held-out shapes.
    pub held_out: usize,
    /// The held-out shapes with the largest regret.
    pub worst: Vec<ShapeRegret>,
}

/// A row of a rule.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RuleRow {
    /// The smallest and the largest number of rows; `null` without a limit.
    pub rows: Limits,
    /// The smallest and the largest number of columns.
    pub columns: Limits,
    /// The smallest and the largest number of bits of an element.
    pub bits: Limits,
    /// The consecutive elements of a lane: the attribute `thread`.
    pub thread: u32,
    /// The subgroups of a workgroup, all along the columns: the attribute `subgroup_basis`.
    pub subgroups: u32,
    /// The lanes of a subgroup along the rows: the attributes `lane_basis` and `workgroup`.
    pub row_lanes: u32,
    /// The most loads of a lane per step, fewer on short rows: the attribute `partial_reduction`.
    pub loads: u32,
}

/// The limits of a value; `null` if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limits {
    /// The value must exceed this.
    pub more_than: Option<u64>,
    /// The value must be at most this.
    pub at_most: Option<u64>,
}

/// The regret of a rule on a shape.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ShapeRegret {
    /// The problem with the shape.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The regret.
    pub regret: f64,
}
