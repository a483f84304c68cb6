//! The map is true: `docs/invariants.md` names a test or a type for each invariant.
//!
//! Invariants are the list entries below the heading *Invariants*, in ARCHITECTURE.md and in the
//! documentation of crate roots. Further sentences of ARCHITECTURE.md without an exception are
//! invariants, too.

use std::collections::BTreeSet;

use crate::tidy::{none, root, texts};

/// Words that allow no exception.
const ABSOLUTE: &[&str] = &["always", "every", "never", "none", "nothing", "only"];

const MAP: &str = "ARCHITECTURE.md";
const HEADING: &str = "Invariants";

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the sentences of a document, on one line each: of paragraphs, list entries and table
/// rows.
fn sentences(document: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in document.lines() {
        let is_code =
            line.starts_with("    ") && !line.trim_start().starts_with(|c: char| c.is_alphabetic());
        let begins =
            line.starts_with(['#', '|', '-']) || line.starts_with(|c: char| c.is_ascii_digit());
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
    words.any(|word| ABSOLUTE.contains(&word.to_lowercase().as_str()))
}

/// Returns the list entries below the heading, each on one line.
fn invariants(document: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    let mut is_below = false;
    for line in document.lines() {
        let is_numbered = line.starts_with(|c: char| c.is_ascii_digit());
        if let Some(heading) = line.strip_prefix('#') {
            is_below = heading.trim_start_matches('#').trim() == HEADING;
        } else if is_below && (line.starts_with("- ") || is_numbered) {
            entries.push(line.to_owned());
        } else if is_below
            && line.starts_with(' ')
            && let Some(entry) = entries.last_mut()
        {
            entry.push(' ');
            entry.push_str(line.trim());
        }
    }
    entries
}

/// Returns the documentation of a source file's module.
pub(crate) fn documentation(source: &str) -> String {
    let lines = source.lines().map_while(|it| it.strip_prefix("//!"));
    let text: Vec<&str> = lines.map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
    text.join("\n")
}

/// A text with invariants: the map, or a crate root under the name of the crate's folder.
struct Document {
    name: String,
    text: String,
    /// Sentences and list entries that need a row.
    needs: Vec<String>,
}

fn documents() -> Vec<Document> {
    let text = read(MAP);
    let mut needs = invariants(&text);
    needs.extend(sentences(&text).into_iter().filter(|it| is_absolute(it)));
    let map = Document {
        name: MAP.to_owned(),
        text: sentences(&text).join(" "),
        needs,
    };
    let roots = texts(".rs").into_iter().filter_map(|(file, source)| {
        let folder = ["src/lib.rs", "src/main.rs"]
            .iter()
            .find_map(|end| file.strip_suffix(end))?;
        let needs = invariants(&documentation(&source));
        (!needs.is_empty()).then(|| Document {
            name: folder.to_owned(),
            text: needs.join(" "),
            needs,
        })
    });
    std::iter::once(map).chain(roots).collect()
}

/// A row of the table: a document, words of its sentences, and the tests that hold them.
struct Held {
    document: String,
    words: String,
    by: String,
}

fn table(document: &str) -> Vec<Held> {
    let rows = document
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1);
    let cells = |row: &str| {
        let (document, rest) = row.trim_matches('|').trim().split_once(" | ")?;
        let (words, by) = rest.split_once(" | ")?;
        Some(Held {
            document: document.trim().trim_matches('`').to_owned(),
            words: words.trim().to_owned(),
            by: by.trim().to_owned(),
        })
    };
    rows.filter_map(cells).collect()
}

/// Describes the faults of a cell that names files and their items. `text` returns the text of a
/// file.
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
        // A test names the programs that it compiles.
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
fn claims_without_exception_are_held() {
    let documents = documents();
    let table = table(&read("docs/invariants.md"));
    let mut findings = Vec::new();
    for document in &documents {
        let rows: Vec<&Held> = (table.iter())
            .filter(|row| row.document == document.name)
            .collect();
        for sentence in &document.needs {
            if !rows.iter().any(|row| sentence.contains(&row.words)) {
                findings.push(format!("{}: held by nothing: {sentence}", document.name));
            }
        }
    }
    for row in &table {
        let document = documents.iter().find(|it| it.name == row.document);
        if !document.is_some_and(|it| it.text.contains(&row.words)) {
            findings.push(format!("{} does not say: {}", row.document, row.words));
        }
        let text = |file: &str| std::fs::read_to_string(root().join(file)).ok();
        let missing = missing(&row.by, text).into_iter();
        findings.extend(missing.map(|what| format!("{}: {what}", row.words)));
    }
    assert!(table.len() > 100, "only {} rows", table.len());
    assert!(documents.len() > 15, "only {} documents", documents.len());
    none(findings);
}

#[test]
fn a_map_that_is_not_true_is_noticed() {
    let document = "# A\n\nIt is so. Nothing else\nis. Is it?\n\n    code only\n| never |\n\n## Invariants\n\n1. x is\n   y.\n- z.\n\n# B\n\n- w.\n";
    assert_eq!(invariants(document), ["1. x is y.", "- z."]);
    assert_eq!(
        documentation("//! # A\n//!\n//! b\nfn c() {}\n//! d\n"),
        "# A\n\nb"
    );
    let found = sentences(document);
    let absolute: Vec<&String> = found.iter().filter(|one| is_absolute(one)).collect();
    assert_eq!(absolute, ["Nothing else is.", "code only", "| never |"]);
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
