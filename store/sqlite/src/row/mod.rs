//! Rows of the database to the types of the interface, and back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

mod record;
mod study;
mod trial;

use configgen::{Generator, Problem};
use store::{Coverage, Status, StudyId, UnreadableRow, Wish, Wished};

pub(crate) use record::{CountRow, HeldRow, WorkerRow};
pub(crate) use study::{PartColumns, StudyRow, studies};
pub(crate) use trial::{FinalRow, TrialRow};

/// Unix milliseconds. A clock that stands before 1970 counts as 1970.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn time_of(millis: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

/// A JSON array of words, in which form SQLite takes a list as one parameter.
pub(crate) fn json_words<const N: usize>(words: [&'static str; N]) -> String {
    format!("[\"{}\"]", words.join("\",\""))
}

/// The ids of studies in the form in which SQLite takes a list as one parameter: a JSON array.
pub(crate) fn list(of: &[StudyId]) -> String {
    let ids: Vec<String> = of.iter().map(|id| id.0.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// Where a value stands, to say that it cannot be read.
struct Place {
    table: &'static str,
    id: i64,
}

impl Place {
    fn error(&self, column: &'static str, reason: impl ToString) -> UnreadableRow {
        UnreadableRow {
            table: self.table,
            id: self.id,
            column,
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

    fn parse<T>(&self, column: &'static str, text: &str) -> Result<T, UnreadableRow>
    where
        T: std::str::FromStr<Err: ToString>,
    {
        text.parse()
            .map_err(|error: T::Err| self.error(column, error))
    }

    /// One of these generators.
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
pub(crate) struct ProblemRow {
    pub(crate) id: i64,
    pub(crate) text: String,
}

impl ProblemRow {
    pub(crate) fn problem(self) -> Result<Problem, UnreadableRow> {
        let place = Place {
            table: "problem",
            id: self.id,
        };
        place.parse("text", &self.text)
    }
}

/// A count of trials; `id` is one of the provenances that they have.
pub(crate) struct CoverageRow {
    pub(crate) id: i64,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) generator: String,
    pub(crate) clock: String,
    pub(crate) status: String,
    pub(crate) trials: i64,
}

impl CoverageRow {
    pub(crate) fn coverage(self, generators: &[Generator]) -> Result<Coverage, UnreadableRow> {
        let place = Place {
            table: "provenance",
            id: self.id,
        };
        Ok(Coverage {
            target: place.parse("target", &self.target)?,
            generator: place.generator(&self.generator, generators)?,
            clock: place.parse("clock", &self.clock)?,
            status: place.named("status", &self.status, &Status::ALL, Status::name)?,
            device: self.device,
            trials: self.trials.cast_unsigned(),
        })
    }
}

/// A row of `wish`.
pub(crate) struct WishRow {
    pub(crate) problem: String,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) generator: String,
    pub(crate) count: i64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
}

impl WishRow {
    /// `number` is the row's place in the list: the table numbers no rows.
    pub(crate) fn wished(
        self,
        number: i64,
        generators: &[Generator],
    ) -> Result<Wished, UnreadableRow> {
        let place = Place {
            table: "wish",
            id: number,
        };
        let generator = Some(self.generator.as_str()).filter(|name| !name.is_empty());
        let generator = generator.map(|name| place.generator(name, generators));
        Ok(Wished {
            wish: Wish {
                problem: place.parse("problem", &self.problem)?,
                target: place.parse("target", &self.target)?,
                device: Some(self.device).filter(|name| !name.is_empty()),
                generator: generator.transpose()?,
            },
            count: self.count.cast_unsigned(),
            first: time_of(self.first_ms),
            last: time_of(self.last_ms),
        })
    }
}
