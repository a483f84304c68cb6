//! Rows that this build cannot read: written by a newer one that has another knob, or damaged.
//!
//! Such a row is left out of what is read, and told. It is no reason not to answer from the others.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Serialize, Serializer};

/// Rows that are told one by one; the others are counted.
const TOLD: usize = 3;

/// A row with a value that this build does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {id}, {column}: {reason}")]
pub struct UnreadableRow {
    /// The table.
    pub table: &'static str,
    /// The row.
    pub id: i64,
    /// The column.
    pub column: &'static str,
    /// What is wrong with the value.
    pub reason: String,
}

impl UnreadableRow {
    /// Reads a row. If that panics, this row is unreadable, and its reader goes on.
    ///
    /// # Errors
    ///
    /// What `read` returns.
    pub fn guard<T>(
        table: &'static str,
        id: i64,
        read: impl FnOnce() -> Result<T, UnreadableRow>,
    ) -> Result<T, UnreadableRow> {
        catch_unwind(AssertUnwindSafe(read))
            .unwrap_or_else(|panic| Err(Self::panicked(table, id, panic.as_ref())))
    }

    /// A row on which its reader panicked.
    pub fn panicked(table: &'static str, id: i64, panic: &(dyn Any + Send)) -> Self {
        let texts = [
            panic.downcast_ref::<&str>().copied(),
            panic.downcast_ref::<String>().map(String::as_str),
        ];
        let said = texts.into_iter().flatten().next().unwrap_or("no reason");
        UnreadableRow {
            table,
            id,
            column: "row",
            reason: format!("a fault of this wavetune: {}", said.replace('\n', " ")),
        }
    }
}

impl Serialize for UnreadableRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The rows that were left out of something read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// How many.
    pub rows: u64,
    /// The first few of them.
    pub first: Vec<UnreadableRow>,
    /// Table and number of each: one that is read for two reasons is one row.
    #[serde(skip)]
    seen: HashSet<(&'static str, i64)>,
}

impl Unreadable {
    /// Whether every row could be read.
    pub fn is_none(&self) -> bool {
        self.rows == 0
    }

    /// What could be read; the rest is noted.
    pub fn note<T>(&mut self, read: Result<T, UnreadableRow>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(row) => {
                if self.seen.insert((row.table, row.id)) {
                    self.rows += 1;
                    if self.first.len() < TOLD {
                        self.first.push(row);
                    }
                }
                None
            }
        }
    }

    /// So many rows, of which this is the first, as one line for people.
    pub fn line(rows: u64, first: Option<&impl fmt::Display>) -> String {
        let noun = if rows == 1 { "row" } else { "rows" };
        let first = first.map(|row| format!(", the first of them {row}"));
        format!(
            "{rows} {noun} that this build cannot read{}",
            first.unwrap_or_default()
        )
    }

    /// Both.
    pub fn join(&mut self, other: Unreadable) {
        let first = other.first.into_iter();
        let new = first.filter(|row| !self.seen.contains(&(row.table, row.id)));
        let room = TOLD.saturating_sub(self.first.len());
        let new: Vec<UnreadableRow> = new.take(room).collect();
        self.first.extend(new);
        self.seen.extend(other.seen);
        self.rows = self.seen.len() as u64;
    }
}

/// As one line, for people: how many, and the first.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::line(self.rows, self.first.first()))
    }
}

/// What could be read, and what not. Collected from rows, each of which is one or the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Readable<T> {
    /// What could be.
    pub rows: Vec<T>,
    /// What could not, and is not in `rows`.
    pub unreadable: Unreadable,
}

impl<T> Default for Readable<T> {
    fn default() -> Self {
        Readable {
            rows: Vec::new(),
            unreadable: Unreadable::default(),
        }
    }
}

impl<T> FromIterator<Result<T, UnreadableRow>> for Readable<T> {
    fn from_iter<I: IntoIterator<Item = Result<T, UnreadableRow>>>(read: I) -> Self {
        let mut unreadable = Unreadable::default();
        let rows = read.into_iter().filter_map(|row| unreadable.note(row));
        Readable {
            rows: rows.collect(),
            unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_one_row() {
        let read = |id: i64| {
            UnreadableRow::guard("trial", id, || {
                assert_ne!(id, 2, "planted");
                Ok(id)
            })
        };
        let read: Readable<i64> = (1..=3).map(read).collect();
        assert_eq!(read.rows, [1, 3]);
        let said = read.unreadable.to_string();
        assert!(
            said.contains("trial 2, row: a fault of this wavetune: "),
            "{said}"
        );
        assert!(said.contains("planted") && !said.contains('\n'), "{said}");
    }
}
