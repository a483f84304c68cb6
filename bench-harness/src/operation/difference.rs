//! Differences: the first row that is not as expected, as text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The first row that is not as expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The row, linear over the parallel dimensions.
    pub row: u64,
    /// What the row was filled with, as text; none for a row that should not have been touched.
    pub pattern: Option<String>,
    /// What else it was given, as text: the count, the index base and the initial pair, where the problem has them.
    pub given: Vec<String>,
    /// The expected results, as text.
    pub expected: String,
    /// The returned ones, as text.
    pub found: String,
}

impl Difference {
    /// Of a row that nobody looks into.
    pub(crate) fn beside(row: u64, expected: &str, found: &str) -> Difference {
        Difference {
            row,
            pattern: None,
            given: Vec::new(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<&str> = self
            .pattern
            .iter()
            .chain(&self.given)
            .map(String::as_str)
            .collect();
        write!(f, "row {}", self.row)?;
        if !given.is_empty() {
            write!(f, " ({})", given.join(", "))?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}
