//! The trials of a study as columns, which the service returns for charts.

use configgen::scalars::Value;
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// Some trials of a study as columns. All columns have the same length; fractions have five
/// digits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Columns {
    /// The number of the study.
    pub study: i64,
    /// The number of trials that the study has now.
    pub trials: u64,
    /// The `from` of the next request; `null` if there are no more trials now.
    pub next: Option<u32>,
    /// The ordinal of each trial in the study, ascending.
    pub ordinal: Vec<u32>,
    /// The role of each trial: an index into `roles`.
    // Indices instead of names, because one answer has up to 20,000 trials.
    pub role: Vec<usize>,
    /// The verdict of each trial: an index into `statuses`.
    pub status: Vec<usize>,
    /// The reason why a trial has no verdict: an index into `failures`; `null` if it has one.
    pub failure: Vec<Option<usize>>,
    /// The time of each kernel in microseconds; `null` unless its values are correct.
    pub time_us: Vec<Option<f64>>,
    /// The time of each compilation in milliseconds; `null` if there is no kernel.
    pub compile_ms: Vec<Option<f64>>,
    /// The duration of each trial in seconds.
    pub seconds: Vec<f64>,
    /// The roles that a trial may have.
    #[schemars(with = "Vec<foreign_schema::Role>")]
    pub roles: Vec<&'static str>,
    /// The verdicts that a trial may have.
    #[schemars(with = "Vec<foreign_schema::Status>")]
    pub statuses: Vec<&'static str>,
    /// The reasons why a trial may have no verdict.
    #[schemars(with = "Vec<foreign_schema::FailureKind>")]
    pub failures: Vec<&'static str>,
    /// The attributes of the configurations that have more than one value in this answer.
    pub attributes: Vec<AttributeColumn>,
    /// The attributes that have one value in all configurations of this answer.
    pub constants: Vec<Constant>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// An attribute of the configurations: a number, a word or a boolean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AttributeColumn {
    /// The name, such as `split`, or `workgroup[0]` for dimension 0.
    pub name: String,
    /// The values of the attribute, ascending.
    #[schemars(with = "Vec<foreign_schema::Scalar>")]
    pub values: Vec<Value>,
    /// An index into `values` for each trial; `null` if a trial has no configuration.
    pub codes: Vec<Option<usize>>,
}

/// An attribute with one value in all configurations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Constant {
    /// The name.
    pub name: String,
    /// The value.
    #[schemars(with = "foreign_schema::Scalar")]
    pub value: Value,
}
