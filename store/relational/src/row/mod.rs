//! Conversions between rows of the database and the types of the interface.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

mod finals;
mod model;
mod point;
mod record;
mod run;
mod study;
mod token;
mod trial;

use configgen::{Generator, Problem};
use store::{CountedWish, Coverage, Invalid, Status, UnreadableRow, Wish, is_calendar_time};

pub use finals::FinalColumns;
pub use model::ModelRow;
pub use point::{PointRow, points};
pub use record::{CountRow, HeldRow, WorkerRow, complete};
pub use run::RunRow;
pub use study::{PartColumns, StudyRow};
pub use token::{TokenRow, lifetime_ms};
pub use trial::{FinalRow, TrialRow, fastest, hash_of, pruned_samples, without_nul};

/// Returns a time as Unix milliseconds. A clock before 1970 counts as 1970.
pub fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    millis_of(since)
}

/// Returns a duration in milliseconds.
pub fn millis_of(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the time of these Unix milliseconds, for comparisons. `RowLocation::time` checks a
/// time that people read.
pub fn time_of(millis: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

/// The table and number of a row, for errors about its values.
#[derive(Clone, Copy)]
struct RowLocation {
    table: &'static str,
    id: i64,
}

impl RowLocation {
    /// Reads the row with `read`; a panic makes it unreadable.
    fn guard<T>(self, read: impl FnOnce() -> Result<T, UnreadableRow>) -> Result<T, UnreadableRow> {
        UnreadableRow::guard(self.table, self.id, read)
    }

    fn error(&self, column: &'static str, reason: impl ToString) -> UnreadableRow {
        UnreadableRow {
            table: self.table.into(),
            id: self.id,
            column: column.into(),
            reason: reason.to_string(),
        }
    }

    fn number<T: TryFrom<i64, Error: ToString>>(
        &self,
        column: &'static str,
        number: i64,
    ) -> Result<T, UnreadableRow> {
        let number = T::try_from(number);
        number.map_err(|error| self.error(column, error))
    }

    /// Reads a time that RFC 3339 can write.
    fn time(&self, column: &'static str, millis: i64) -> Result<SystemTime, UnreadableRow> {
        let time = time_of(millis);
        match millis >= 0 && is_calendar_time(time) {
            true => Ok(time),
            false => {
                let reason = format_args!("{millis} ms is before 1970, or after the year 9999");
                Err(self.error(column, reason))
            }
        }
    }

    /// Adds the row to the error of a check.
    fn checked(&self, checked: Result<(), Invalid>) -> Result<(), UnreadableRow> {
        checked.map_err(|Invalid { field, reason }| self.error(field, reason))
    }

    fn parse<T>(&self, column: &'static str, text: &str) -> Result<T, UnreadableRow>
    where
        T: std::str::FromStr<Err: ToString>,
    {
        text.parse()
            .map_err(|error: T::Err| self.error(column, error))
    }

    /// Parses the name of one of these generators.
    fn generator(&self, name: &str, generators: &[Generator]) -> Result<Generator, UnreadableRow> {
        let generator = Generator::among(generators, name);
        generator.map_err(|error| self.error("generator", error))
    }

    fn named<T: Copy>(
        &self,
        column: &'static str,
        text: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Result<T, UnreadableRow> {
        let found = all.iter().copied().find(|&value| name(value) == text);
        found.ok_or_else(|| self.error(column, format_args!("unknown value {text:?}")))
    }
}

/// A row of `problem`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct ProblemRow {
    pub id: i64,
    pub text: String,
}

impl ProblemRow {
    /// Parses the problem.
    pub fn problem(self) -> Result<Problem, UnreadableRow> {
        let place = RowLocation {
            table: "problem",
            id: self.id,
        };
        // The parser meets text of any build, and a panic on one row must not cost the others.
        place.guard(|| place.parse("text", &self.text))
    }
}

/// A count of trials; `id` is one of their provenances.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct CoverageRow {
    pub id: i64,
    pub target: String,
    pub device: String,
    pub generator: String,
    pub clock: String,
    pub status: String,
    pub trials: i64,
}

impl CoverageRow {
    /// Returns the count, if its generator is among these.
    pub fn coverage(self, generators: &[Generator]) -> Result<Coverage, UnreadableRow> {
        let place = RowLocation {
            table: "provenance",
            id: self.id,
        };
        place.guard(|| {
            Ok(Coverage {
                target: place.parse("target", &self.target)?,
                generator: place.generator(&self.generator, generators)?,
                clock: place.parse("clock", &self.clock)?,
                status: place.named("status", &self.status, &Status::ALL, Status::name)?,
                device: self.device,
                trials: self.trials.cast_unsigned(),
            })
        })
    }
}

/// A row of `wish`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct WishRow {
    pub problem: String,
    pub target: String,
    pub device: String,
    pub generator: String,
    pub count: i64,
    pub first_ms: i64,
    pub last_ms: i64,
}

impl WishRow {
    /// Returns the wish, if its generator is any or among these. `number` is the row's position
    /// in the list, because the table has no numbers.
    pub fn wished(
        self,
        number: i64,
        generators: &[Generator],
    ) -> Result<CountedWish, UnreadableRow> {
        let place = RowLocation {
            table: "wish",
            id: number,
        };
        place.guard(|| self.wished_at(place, generators))
    }

    fn wished_at(
        self,
        place: RowLocation,
        generators: &[Generator],
    ) -> Result<CountedWish, UnreadableRow> {
        // An empty text means any, because a NULL would not conflict with another in the table's
        // key.
        let generator = Some(self.generator.as_str()).filter(|name| !name.is_empty());
        let generator = generator.map(|name| place.generator(name, generators));
        Ok(CountedWish {
            wish: Wish {
                problem: place.parse("problem", &self.problem)?,
                target: place.parse("target", &self.target)?,
                device: Some(self.device).filter(|name| !name.is_empty()),
                generator: generator.transpose()?,
            },
            count: self.count.cast_unsigned(),
            first: place.time("first", self.first_ms)?,
            last: place.time("last", self.last_ms)?,
        })
    }
}
