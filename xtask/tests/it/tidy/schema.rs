//! The reference of the schema names the tables that the migrations make.

use std::collections::BTreeSet;

use crate::tidy::{none, root, texts};

const REFERENCE: &str = "docs/reference-schema.md";

/// Returns the tables after these migrations, which begin with the oldest.
fn tables<'a>(migrations: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut tables = BTreeSet::new();
    for line in migrations.flat_map(str::lines) {
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        match words.as_slice() {
            ["CREATE", "TABLE", name, ..] => _ = tables.insert(*name),
            ["DROP", "TABLE", name] => _ = tables.remove(name),
            ["ALTER", "TABLE", old, "RENAME", "TO", new] => {
                tables.remove(old);
                tables.insert(*new);
            }
            _ => {}
        }
    }
    tables
}

/// Returns the first cells of the rows below the heading *Tables*.
fn listed(document: &str) -> BTreeSet<&str> {
    let (_, section) = document.split_once("\n## Tables\n").expect("a heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| Some(row.split_once('`')?.0))
        .collect()
}

#[test]
fn each_table_of_the_migrations_is_in_the_reference() {
    let document = std::fs::read_to_string(root().join(REFERENCE)).unwrap();
    let listed = listed(&document);
    let files = texts(".sql");
    let mut findings = Vec::new();
    for folder in ["migrations/sqlite/", "migrations/postgres/"] {
        let migrations = files.iter().filter(|it| it.0.starts_with(folder));
        let mut tables = tables(migrations.map(|it| it.1.as_str()));
        // `store/sqlite/src/upgrade.rs` copies their rows and drops them.
        tables.retain(|name| !name.starts_with("old_"));
        assert!(tables.len() > 10, "{folder}: {tables:?}");
        for name in tables.symmetric_difference(&listed) {
            let (is, is_not) = match listed.contains(name) {
                true => (REFERENCE, folder),
                false => (folder, REFERENCE),
            };
            findings.push(format!("the table {name} is in {is} and not in {is_not}"));
        }
    }
    none(findings);
}

#[test]
fn tables_are_those_after_the_last_migration() {
    let migrations = [
        "CREATE TABLE a (\n    id INTEGER\n);\nCREATE TABLE b (",
        "-- CREATE TABLE c (\nCREATE TABLE b_new (\nDROP TABLE b;\nALTER TABLE b_new RENAME TO b;",
        "ALTER TABLE a ADD COLUMN x TEXT;\nDROP TABLE a;\n    CREATE TABLE d (",
    ];
    let found: Vec<&str> = tables(migrations.into_iter()).into_iter().collect();
    assert_eq!(found, ["b", "d"]);
    let document =
        "# A\n| `no` |\n\n## Tables\n\n| table |\n|---|\n| `b` | x |\n| `d` |\n\n## B\n| `no` |\n";
    let found: Vec<&str> = listed(document).into_iter().collect();
    assert_eq!(found, ["b", "d"]);
}
