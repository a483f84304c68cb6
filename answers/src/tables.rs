//! What a table file has: an entry, and what two tables do not have alike.

use schemars::JsonSchema;
use serde::Serialize;

use crate::lookup::{LookupAnswer, PrintedAnswer};

/// An entry of a table.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TableEntry {
    /// The answer to who looks its problem up.
    #[schemars(with = "LookupAnswer")]
    pub exact: PrintedAnswer,
    /// Whether it is not to be used, as what its generator does unasked gives the index on ties that is wanted, and this one does not: a
    /// lookup then answers nothing.
    pub is_best_unasked: bool,
    /// The least time in microseconds that any kernel could take; none where no figures are published.
    pub bound_us: Option<f64>,
    /// The study that its trial is of, in the database that the table is from.
    pub study: i64,
    /// The place of its trial in the study's sequence.
    pub ordinal: u32,
}

/// An entry that two tables do not have alike.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TableChange {
    /// What the first table has; none where it has no such entry.
    pub before: Option<TableEntry>,
    /// What the second one has.
    pub after: Option<TableEntry>,
}
