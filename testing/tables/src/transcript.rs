//! The transcript of a reader: a text that the reader in C (`readers/said.c`) prints, too.

use std::fmt::Write;

use lookup_table::{Status, Table, TableError};

/// Returns the verdict, and for a valid table all its contents.
pub fn transcript(file: &[u8]) -> String {
    match Table::read(file) {
        Ok(table) => table_said(&table),
        Err(error) => format!("{}\n", verdict(&error)),
    }
}

/// Returns the name of a verdict, and the offset of the fault.
pub fn verdict(error: &TableError) -> String {
    format!("{} {}", error.fault.name(), error.fault.at())
}

/// Returns the whole contents, found through every function of the reader.
fn table_said(table: &Table) -> String {
    let mut text = entries_transcript(table);
    families_said(table, &mut text);
    text
}

/// Returns the metadata and the entries: the transcript of readers without families.
pub fn entries_transcript(table: &Table) -> String {
    let mut text = "ok 0\n".to_owned();
    for (name, value) in table.metadata() {
        assert_eq!(table.metadatum(name), Some(value));
        words(&mut text, "metadatum", &[name, value]);
        text.push('\n');
    }
    for entry in table.entries() {
        let found = table.lookup(entry.key()).map(|found| found.index());
        assert_eq!(found, Some(entry.index()), "{entry:?}");
        let texts = [
            entry.key(),
            entry.configuration(),
            entry.attributes(),
            entry.generator(),
            entry.provenance(),
            entry.family().text(),
        ];
        words(&mut text, "entry", &texts);
        let optional = |time: Option<f64>| time.map_or(0, f64::to_bits);
        let numbers = [
            u64::from(entry.status() == Status::Tie),
            entry.time_us().to_bits(),
            optional(entry.default_time_us()),
            optional(entry.bound_us()),
            entry.study().cast_unsigned(),
            u64::from(entry.ordinal()),
        ];
        numbers
            .iter()
            .chain(entry.sizes().iter())
            .for_each(|number| {
                write!(text, " {number:x}").unwrap();
            });
        text.push('\n');
        let other = format!("{}.", entry.key());
        if let Some(found) = table.lookup(&other) {
            assert_eq!(found.key(), other);
        }
    }
    text
}

fn families_said(table: &Table, text: &mut String) {
    for family in table.families() {
        let found = table.family(family.text()).map(|found| found.len());
        assert_eq!(found, Some(family.len()));
        words(text, "family", &[family.text()]);
        text.push('\n');
        for (place, entry) in family.entries().enumerate() {
            let first = family.place_of(&entry.sizes());
            assert!(first <= place && *family.sizes(first).unwrap() == *entry.sizes());
            writeln!(text, "{} {first}", entry.index()).unwrap();
        }
    }
}

fn words(text: &mut String, what: &str, texts: &[&str]) {
    text.push_str(what);
    for part in texts {
        write!(text, " {}:{part}", part.len()).unwrap();
    }
}
