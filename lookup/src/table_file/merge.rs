//! The differences between two tables, and the merge of several.

use std::collections::{BTreeMap, BTreeSet};

use answers::tables::TableChange;
use lookup_table::{EntryRef, Status, Table, TableWriter, WriteError};
use store::{Ties, UnreadableRow};

use super::{copied, found_configuration, table_entry, ties};

/// An entry that differs between two tables.
#[derive(Debug, Clone, Copy)]
pub struct EntryChange<'a> {
    /// The entry of the first table.
    pub before: Option<EntryRef<'a>>,
    /// The entry of the second table.
    pub after: Option<EntryRef<'a>>,
}

impl EntryChange<'_> {
    /// Converts the change to its serialized form.
    ///
    /// # Errors
    ///
    /// This build cannot read one of the entries.
    pub fn table_change(&self) -> Result<TableChange, UnreadableRow> {
        Ok(TableChange {
            before: self.before.map(table_entry).transpose()?,
            after: self.after.map(table_entry).transpose()?,
        })
    }
}

/// Returns the differences of `after` from `before`, by key.
pub fn changes<'a>(before: &'a Table, after: &'a Table) -> Vec<EntryChange<'a>> {
    let mut all: BTreeMap<&str, EntryChange<'a>> = BTreeMap::new();
    let none = EntryChange {
        before: None,
        after: None,
    };
    for entry in before.entries() {
        all.entry(entry.key()).or_insert(none).before = Some(entry);
    }
    for entry in after.entries() {
        all.entry(entry.key()).or_insert(none).after = Some(entry);
    }
    let differ = |changed: &EntryChange<'_>| match (changed.before, changed.after) {
        (Some(before), Some(after)) => !is_same(before, after),
        _ => true,
    };
    all.into_values().filter(differ).collect()
}

/// Returns whether two entries have equal content, regardless of its place in the file.
fn is_same(one: EntryRef<'_>, other: EntryRef<'_>) -> bool {
    // The key determines the family and the sizes.
    texts(one) == texts(other) && numbers(one) == numbers(other)
}

fn texts<'a>(entry: EntryRef<'a>) -> [&'a str; 5] {
    [
        entry.key(),
        entry.configuration(),
        entry.attributes(),
        entry.generator(),
        entry.provenance(),
    ]
}

fn numbers(entry: EntryRef<'_>) -> (Status, f64, [Option<f64>; 2], i64, u32) {
    let others = [entry.default_time_us(), entry.bound_us()];
    let (study, ordinal) = (entry.study(), entry.ordinal());
    (entry.status(), entry.time_us(), others, study, ordinal)
}

/// Merges several tables. Returns the writer of the merged table and the number of entries.
///
/// If several tables have an entry for one problem and target, the merge takes the one that a
/// lookup prefers. An entry that this build cannot read is behind all readable ones. The result
/// does not depend on the order of the tables.
///
/// # Errors
///
/// The tables are made for different tie-breaks, or their entries make no table.
pub fn merge_tables(tables: &[Table]) -> Result<(TableWriter, usize), TableMergeError> {
    // A table without this metadatum was made for the fold's tie-break.
    let wanted: BTreeSet<&str> = tables.iter().map(|table| ties(table).name()).collect();
    if wanted.len() > 1 {
        return Err(TableMergeError::Ties);
    }
    let ties = tables.first().map_or_else(Ties::default, ties);
    let mut best: BTreeMap<&str, EntryRef<'_>> = BTreeMap::new();
    let mut metadata: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for table in tables {
        for entry in table.entries() {
            let known = best.entry(entry.key()).or_insert(entry);
            if is_better(entry, *known, ties) {
                *known = entry;
            }
        }
        for (name, value) in table.metadata() {
            // A metadatum may list several values, such as compilers, and the merged table has
            // all of them.
            let values = value.split(',').map(str::trim);
            let values = values.filter(|value| !value.is_empty());
            metadata.entry(name).or_default().extend(values);
        }
    }
    let mut writer = TableWriter::new();
    for (name, values) in metadata {
        let values: Vec<&str> = values.into_iter().collect();
        writer.metadatum(name, &values.join(", "))?;
    }
    for entry in best.values() {
        writer.add(&copied(entry, entry.family().text(), &entry.sizes()))?;
    }
    Ok((writer, best.len()))
}

/// An error of a merge.
#[derive(Debug, thiserror::Error)]
pub enum TableMergeError {
    /// The tables have different tie-breaks. For one problem, some have the correct configuration
    /// and others the fastest.
    #[error("the tables have different tie-breaks; export them again with the same --ties")]
    Ties,
    /// The entries make no table.
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn is_better(one: EntryRef<'_>, other: EntryRef<'_>, ties: Ties) -> bool {
    if is_same(one, other) {
        return false;
    }
    let place = |entry: EntryRef<'_>| {
        let clock = found_configuration(entry).ok().map(|found| found.clock);
        let is_tie = entry.status() == Status::Tie && ties == Ties::Fold;
        (clock.is_none(), is_tie, clock)
    };
    let by_kind = place(one).cmp(&place(other));
    // The full text decides between otherwise equal entries, so that the order of the files does
    // not.
    let by_time = by_kind.then(one.time_us().total_cmp(&other.time_us()));
    by_time
        .then_with(|| format!("{one:?}").cmp(&format!("{other:?}")))
        .is_lt()
}
