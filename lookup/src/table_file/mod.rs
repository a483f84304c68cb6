//! Answers in a table file: the content that it gets, and the ladder's use of it.
//!
//! A key is the problem's canonical text, a NUL and the target. The family of an entry is the
//! family of its problem, a NUL and the target. Its sizes are the first four of the problem's,
//! outermost first. A table has only the preferred answer of each problem. A lookup for one
//! device or generator may therefore find less than in the database.

mod merge;
mod question;
mod read;
mod write;

use answers::lookup::{FoundConfiguration, PrintedAnswer, Provenance};
use answers::tables::TableEntry;
use configgen::{Generator, Problem, Target};
use lookup_table::{EntryRef, MAX_SIZES, NewEntry, Status as Kept, Table};
use serde::Deserialize;
use store::{Status, Ties, Unreadable, UnreadableRow};

pub use merge::{EntryChange, changes, merge_tables};
pub use question::{AskError, NoTarget, TableQuestion, ask, only_target};
pub use read::{answer_from_table, entry, of_targets};
pub use write::{BuiltTable, TableSelection, table};

use crate::answer::LookupAnswer;

/// The name of the metadatum with the targets, separated by commas.
pub const TARGET: &str = "target";
/// The name of the metadatum with the versions of compilers.
const COMPILER: &str = "compiler";

/// The name of the metadatum with the tie-break.
const TIES: &str = "ties";

/// Returns the tie-break that a table was made for. A table that does not name it prefers correct
/// configurations.
pub fn ties(table: &Table) -> Ties {
    let said = table.metadatum(TIES).map(str::parse);
    said.and_then(Result::ok).unwrap_or_default()
}

fn key(problem: &Problem, target: &Target) -> String {
    format!("{problem}\0{target}")
}

fn family_of(family: &str, target: &Target) -> String {
    format!("{family}\0{target}")
}

fn sizes_of(problem: &Problem) -> Vec<u64> {
    let sizes = problem.shape.sizes().iter();
    sizes.take(MAX_SIZES).map(|&size| u64::from(size)).collect()
}

/// Returns the content of an entry as the exact answer to its problem.
///
/// # Errors
///
/// This build cannot read the entry: another program or a newer wavetune has written it.
pub fn found_configuration(entry: EntryRef<'_>) -> Result<FoundConfiguration, UnreadableRow> {
    let unread = |column: &'static str| {
        move |reason: &dyn std::fmt::Display| UnreadableRow {
            table: "entry".into(),
            id: i64::try_from(entry.index()).unwrap_or(i64::MAX),
            column: column.into(),
            reason: format!("{reason}, of {:?}", entry.key()),
        }
    };
    let of_key = unread("key");
    let (problem, target) = entry
        .key()
        .split_once('\0')
        .ok_or_else(|| of_key(&"it has no target"))?;
    let problem: Problem = problem.parse().map_err(|error| of_key(&error))?;
    let target = target.parse().map_err(|error| of_key(&error))?;
    let generator: Generator =
        (entry.generator().parse()).map_err(|error| unread("generator")(&error))?;
    let configuration = serde_json::from_str(entry.configuration());
    let configuration = configuration.map_err(|error| unread("configuration")(&error))?;
    // It ignores fields of a later version.
    let provenance: Result<Provenance, _> = serde_json::from_str(entry.provenance());
    let provenance = provenance.map_err(|error| unread("provenance")(&error))?;
    Ok(FoundConfiguration {
        problem,
        target,
        configuration,
        generator,
        status: match entry.status() {
            Kept::Right => Status::Right,
            Kept::Tie => Status::Tie,
        },
        time_us: entry.time_us(),
        default_time_us: entry.default_time_us(),
        speedup: entry
            .default_time_us()
            .map(|default| default / entry.time_us()),
        clock: provenance.clock,
        provenance,
        unreadable: Unreadable::default(),
    })
}

/// Returns whether an entry says only that no configuration is to be used: the generator's
/// default is the only correct one.
pub fn is_best_unasked(entry: EntryRef<'_>) -> bool {
    #[derive(Deserialize)]
    struct ProvenanceFlag {
        is_best_unasked: bool,
    }
    entry.status() == Kept::Tie
        && serde_json::from_str(entry.provenance())
            .is_ok_and(|said: ProvenanceFlag| said.is_best_unasked)
}

/// Returns the printed answer of an entry, with the other fields of the table.
///
/// # Errors
///
/// As [`found_configuration`].
pub fn table_entry(entry: EntryRef<'_>) -> Result<TableEntry, UnreadableRow> {
    let found = found_configuration(entry)?;
    Ok(TableEntry {
        exact: PrintedAnswer::of(&LookupAnswer::Exact(Box::new(found))),
        is_best_unasked: is_best_unasked(entry),
        bound_us: entry.bound_us(),
        study: entry.study(),
        ordinal: entry.ordinal(),
    })
}

/// Returns a copy of an entry for a writer.
fn copied<'a>(entry: &EntryRef<'a>, family: &'a str, sizes: &'a [u64]) -> NewEntry<'a> {
    NewEntry {
        key: entry.key(),
        configuration: entry.configuration(),
        attributes: entry.attributes(),
        generator: entry.generator(),
        status: entry.status(),
        time_us: entry.time_us(),
        default_time_us: entry.default_time_us(),
        bound_us: entry.bound_us(),
        study: entry.study(),
        ordinal: entry.ordinal(),
        provenance: entry.provenance(),
        family,
        sizes,
    }
}
