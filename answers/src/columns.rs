//! What the service says of the trials of a study to who draws charts: columns, a value of each trial in its place.

use configgen::scalars::Value;
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// Some trials of a study as columns. All columns are equally long; numbers that are no whole ones have five digits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Columns {
    /// The number of the study.
    pub study: i64,
    /// All trials that the study has now.
    pub trials: u64,
    /// What `from` says to go on; none where there are no more now.
    pub next: Option<u32>,
    /// Place in the study's sequence, ascending.
    pub ordinal: Vec<u32>,
    /// What each is for: a place in `roles`.
    pub role: Vec<usize>,
    /// Verdict: a place in `statuses`.
    pub status: Vec<usize>,
    /// Why there is none: a place in `failures`; none where there is one.
    pub failure: Vec<Option<usize>>,
    /// Time in microseconds; none unless the value is right.
    pub time_us: Vec<Option<f64>>,
    /// Time of the compilation in milliseconds; none where there is no kernel.
    pub compile_ms: Vec<Option<f64>>,
    /// Seconds from when each began to when it ended.
    pub seconds: Vec<f64>,
    /// What a trial may be for.
    #[schemars(with = "Vec<foreign_schema::Role>")]
    pub roles: Vec<&'static str>,
    /// The verdicts that a trial may have.
    #[schemars(with = "Vec<foreign_schema::Status>")]
    pub statuses: Vec<&'static str>,
    /// Why a trial may have no verdict.
    #[schemars(with = "Vec<foreign_schema::FailureKind>")]
    pub failures: Vec<&'static str>,
    /// Numbers, words and switches of the configurations that have more than one value in this answer.
    pub attributes: Vec<AttributeColumn>,
    /// Those that all configurations of this answer have in common.
    pub constants: Vec<Constant>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A number, word or switch of the configurations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AttributeColumn {
    /// Its name, such as `workgroup[0]`, for dimension 0, or `split`.
    pub name: String,
    /// The values that it has, ascending.
    #[schemars(with = "Vec<foreign_schema::Scalar>")]
    pub values: Vec<Value>,
    /// A place in `values` for each trial; none where a trial has no configuration.
    pub codes: Vec<Option<usize>>,
}

/// A number, word or switch that all configurations have in common.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    #[schemars(with = "foreign_schema::Scalar")]
    pub value: Value,
}
