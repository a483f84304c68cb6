//! Unreadable rows: a newer build with another knob wrote them, or they are damaged.
//!
//! Queries leave such a row out and report it, so that the readable rows still give an answer.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of unreadable rows that an answer lists; it only counts the others.
const TOLD: usize = 3;

/// A row with a value that this build does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {id}, {column}: {reason}")]
pub struct UnreadableRow {
    /// The table.
    pub table: Cow<'static, str>,
    /// The row's number.
    pub id: i64,
    /// The column.
    pub column: Cow<'static, str>,
    /// The reason.
    pub reason: String,
}

impl UnreadableRow {
    /// Reads a row. If `read` panics, the row is unreadable, and the caller goes on with the
    /// next.
    ///
    /// # Errors
    ///
    /// The error of `read`.
    pub fn guard<T>(
        table: &'static str,
        id: i64,
        read: impl FnOnce() -> Result<T, UnreadableRow>,
    ) -> Result<T, UnreadableRow> {
        // `read` only builds a value, which a panic discards, so no broken state stays visible.
        catch_unwind(AssertUnwindSafe(read))
            .unwrap_or_else(|panic| Err(Self::panicked(table, id, panic.as_ref())))
    }

    /// Returns the error of a row after a panic of its reader.
    pub fn panicked(table: &'static str, id: i64, panic: &(dyn Any + Send)) -> Self {
        // A panic with a literal carries a `&str`, one with a formatted message a `String`.
        let texts = [
            panic.downcast_ref::<&str>().copied(),
            panic.downcast_ref::<String>().map(String::as_str),
        ];
        let said = texts.into_iter().flatten().next().unwrap_or("no reason");
        UnreadableRow {
            table: table.into(),
            id,
            column: "row".into(),
            reason: format!("a bug of this wavetune: {}", said.replace('\n', " ")),
        }
    }
}

impl Serialize for UnreadableRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the text of `Display`.
impl<'de> Deserialize<'de> for UnreadableRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let row = || {
            let (place, reason) = text.split_once(": ")?;
            let (row, column) = place.split_once(", ")?;
            let (table, id) = row.split_once(' ')?;
            Some(UnreadableRow {
                table: table.to_owned().into(),
                id: id.parse().ok()?,
                column: column.to_owned().into(),
                reason: reason.to_owned(),
            })
        };
        row().ok_or_else(|| D::Error::custom("expected the table, number and column of a row"))
    }
}

/// A summary of the rows that a query left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The number of rows.
    pub rows: u64,
    /// The first rows.
    pub first: Vec<UnreadableRow>,
    /// The table and number of every row, because two columns of one row may be unreadable.
    #[serde(skip)]
    seen: HashSet<(Cow<'static, str>, i64)>,
}

impl Unreadable {
    /// Returns whether every row could be read.
    pub fn is_none(&self) -> bool {
        self.rows == 0
    }

    /// Returns the value of a readable row, or notes the unreadable one.
    pub fn note<T>(&mut self, read: Result<T, UnreadableRow>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(row) => {
                if self.seen.insert((row.table.clone(), row.id)) {
                    self.rows += 1;
                    if self.first.len() < TOLD {
                        self.first.push(row);
                    }
                }
                None
            }
        }
    }

    /// Formats a number of rows, and the first of them, as one line for people.
    pub fn line(rows: u64, first: Option<&impl fmt::Display>) -> String {
        let noun = if rows == 1 { "row" } else { "rows" };
        let first = first.map(|row| format!(", the first of them {row}"));
        format!(
            "{rows} {noun} that this build cannot read{}",
            first.unwrap_or_default()
        )
    }

    /// Adds the rows of `other`.
    pub fn join(&mut self, other: Unreadable) {
        let first = other.first.into_iter();
        // Two queries for one answer may read the same row, which counts once.
        let new = first.filter(|row| !self.seen.contains(&(row.table.clone(), row.id)));
        let room = TOLD.saturating_sub(self.first.len());
        let new: Vec<UnreadableRow> = new.take(room).collect();
        self.first.extend(new);
        let twice = self.seen.intersection(&other.seen).count() as u64;
        self.rows += other.rows - twice;
        self.seen.extend(other.seen);
    }
}

/// Prints the number of rows and the first of them on one line.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::line(self.rows, self.first.first()))
    }
}

/// The readable rows of a query with a summary of the others. Collected from the result of each
/// row.
#[derive(Debug, Clone, PartialEq)]
pub struct Readable<T> {
    /// The readable rows.
    pub rows: Vec<T>,
    /// The unreadable rows, which are not in `rows`.
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
            said.contains("trial 2, row: a bug of this wavetune: "),
            "{said}"
        );
        assert!(said.contains("planted") && !said.contains('\n'), "{said}");
    }
}
