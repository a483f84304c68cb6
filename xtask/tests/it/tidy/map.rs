//! The map is true: what ARCHITECTURE.md says without exception is held by a test or a type, which docs/invariants.md names.

use std::collections::BTreeSet;

use crate::tidy::{none, root};

/// Words that allow no exception.
const ABSOLUTE: &[&str] = &["always", "every", "never", "none", "nothing", "only"];

const MARK: &str = "*Invariant:*";

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The sentences of a document, on one line each: of paragraphs, of entries of lists and of rows of tables.
fn sentences(document: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in document.lines() {
        let is_code =
            line.starts_with("    ") && !line.trim_start().starts_with(|c: char| c.is_alphabetic());
        let begins = line.starts_with(MARK)
            || line.starts_with(['#', '|', '-'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        if line.trim().is_empty() || is_code || begins {
            blocks.push(String::new());
        }
        if let (Some(block), false) = (blocks.last_mut(), is_code) {
            block.push(' ');
            block.push_str(line.trim());
        }
    }
    let ends = |block: &String| -> Vec<String> {
        let mut sentences: Vec<String> = block
            .split_inclusive(". ")
            .map(|one| one.trim().to_owned())
            .collect();
        sentences.retain(|one| !one.is_empty());
        sentences
    };
    blocks.iter().flat_map(ends).collect()
}

fn is_absolute(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    sentence.contains(MARK) || words.any(|word| ABSOLUTE.contains(&word.to_lowercase().as_str()))
}

/// A row of the table: words of sentences, and who holds them.
struct Held {
    words: String,
    by: String,
}

fn table(document: &str) -> Vec<Held> {
    let rows = document
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1);
    let cells = |row: &str| {
        let (words, by) = row.trim_matches('|').trim().split_once(" | ")?;
        Some(Held {
            words: words.trim().to_owned(),
            by: by.trim().to_owned(),
        })
    };
    rows.filter_map(cells).collect()
}

/// What is wrong with a cell that names files and what is in them; `text` gives the text of a file.
fn missing(by: &str, text: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut named = BTreeSet::new();
    let (mut findings, mut file) = (Vec::new(), None);
    for span in by.split('`').skip(1).step_by(2) {
        if span.contains('/') {
            file = text(span);
            if file.is_none() {
                findings.push(format!("there is no {span}"));
            }
            continue;
        }
        named.insert(span);
        let declared = |kind: &&str| {
            let declaration = format!("{kind} {span}");
            let text = file.as_deref().unwrap_or_default();
            text.match_indices(&declaration).any(|(at, found)| {
                let next = text[at + found.len()..].chars().next();
                next.is_some_and(|next| !next.is_alphanumeric() && next != '_')
            })
        };
        let kinds = ["fn", "const", "static", "struct", "enum", "trait"];
        // Programs that a test compiles are named by it.
        let is_text = file
            .as_ref()
            .is_some_and(|text| text.contains(&format!("\"{span}\"")));
        if !kinds.iter().any(declared) && !is_text {
            findings.push(format!("{span} is not where it is said to be"));
        }
    }
    if named.is_empty() {
        findings.push("no test and no type is named".to_owned());
    }
    findings
}

#[test]
fn what_is_said_without_exception_is_held() {
    let (map, invariants) = (
        sentences(&read("ARCHITECTURE.md")),
        read("docs/invariants.md"),
    );
    let table = table(&invariants);
    let mut findings = Vec::new();
    for sentence in map.iter().filter(|sentence| is_absolute(sentence)) {
        if !table.iter().any(|row| sentence.contains(&row.words)) {
            findings.push(format!("held by nothing: {sentence}"));
        }
    }
    for Held { words, by } in &table {
        if !map.iter().any(|sentence| sentence.contains(words)) {
            findings.push(format!("ARCHITECTURE.md does not say: {words}"));
        }
        let text = |file: &str| std::fs::read_to_string(root().join(file)).ok();
        let missing = missing(by, text).into_iter();
        findings.extend(missing.map(|what| format!("{words}: {what}")));
    }
    assert!(table.len() > 40, "only {} rows", table.len());
    none(findings);
}

#[test]
fn a_map_that_is_not_true_is_noticed() {
    let document = "# A\n\nIt is so. Nothing else\nis. Is it?\n\n*Invariant:* x is y.\n*Invariant:* z.\n\n    code only\n| never |\n";
    let found = sentences(document);
    let absolute: Vec<&String> = found.iter().filter(|one| is_absolute(one)).collect();
    assert_eq!(
        absolute,
        [
            "Nothing else is.",
            "*Invariant:* x is y.",
            "*Invariant:* z.",
            "code only",
            "| never |"
        ]
    );
    #[track_caller]
    fn check(by: &str, expected: &[&str]) {
        let text =
            |file: &str| (file == "a/b.rs").then(|| "fn tested() {}\nenum Kind {".to_owned());
        assert_eq!(missing(by, text), expected);
    }
    check("`a/b.rs` `tested`, `Kind`", &[]);
    check("`a/b.rs` `test`", &["test is not where it is said to be"]);
    check(
        "`a/c.rs` `tested`",
        &["there is no a/c.rs", "tested is not where it is said to be"],
    );
    check("`a/b.rs`", &["no test and no type is named"]);
}
