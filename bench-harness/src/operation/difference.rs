//! Differences: the first row with unexpected results, as text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The first row with unexpected results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The row, linear over the parallel dimensions.
    pub row: u64,
    /// The row's pattern, as text. `None` for a row that no kernel should have written.
    pub pattern: Option<String>,
    /// The row's other inputs, as text: the count, the index base and the initial pair, if the
    /// problem has them.
    pub given: Vec<String>,
    /// The expected results, as text.
    pub expected: String,
    /// The kernel's results, as text.
    pub found: String,
}

impl Difference {
    /// Creates the difference of a row that has no pattern.
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
