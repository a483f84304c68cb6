//! The entries of a table file, and the differences between two tables.

use schemars::JsonSchema;
use serde::Serialize;

use crate::lookup::{LookupAnswer, PrintedAnswer};

/// An entry of a table.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TableEntry {
    /// The answer of a lookup of this problem.
    #[schemars(with = "LookupAnswer")]
    pub exact: PrintedAnswer,
    /// `true` if a lookup must not return this configuration. The generator's own default then
    /// breaks ties as requested, and no known configuration does; a lookup returns nothing.
    pub is_best_unasked: bool,
    /// The lower bound for any kernel, in microseconds; `null` if the device has no published
    /// figures.
    pub bound_us: Option<f64>,
    /// The number of the trial's study, in the database that the table is from.
    pub study: i64,
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
}

/// An entry that differs between two tables.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TableChange {
    /// The entry of the first table; `null` if it has none.
    pub before: Option<TableEntry>,
    /// The entry of the second table; `null` if it has none.
    pub after: Option<TableEntry>,
}
