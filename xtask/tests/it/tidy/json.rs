//! JSON for programs comes from one crate, so that all of it has a schema.

use crate::tidy::source::Source;

/// The crates that write JSON for programs, by `answers` alone.
const SPEAKERS: [&str; 4] = [
    "cli/src/",
    "kernel-export/src/",
    "lookup/src/",
    "server/src/",
];

/// Returns the first word of a source that creates JSON. Reading JSON is allowed.
fn maker(text: &str) -> Option<String> {
    let source = Source::new(text);
    if source.words.contains(&"Serialize") {
        return Some("Serialize".to_owned());
    }
    let mut uses = source.words.windows(3);
    let made = uses.find(|words| words[..2] == ["serde_json", "::"] && words[2] != "from_str");
    made.map(|words| words.concat())
}

#[test]
fn json_is_made_in_one_crate() {
    let speaks = |file: &str| SPEAKERS.iter().any(|folder| file.starts_with(folder));
    let sources = crate::tidy::texts(".rs")
        .into_iter()
        .filter(|(file, _)| speaks(file));
    let found = sources.filter_map(|(file, text)| {
        let maker = maker(&text)?;
        Some(format!(
            "{file}: {maker}: what programs read is made in answers/"
        ))
    });
    crate::tidy::none(found.collect());
}

#[test]
fn planted_makers_are_found() {
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(maker(text).as_deref(), expected);
    }
    check(
        "#[derive(Debug, serde::Serialize)] struct A;",
        Some("Serialize"),
    );
    check(
        "fn f() { print(serde_json::json!({})) }",
        Some("serde_json::json"),
    );
    check("use serde_json::{from_str, to_vec};", Some("serde_json::{"));
    check("fn f() { serde_json::from_str(text) }", None);
    check(
        "// serde_json::json!\n#[cfg(test)] mod tests { use serde::Serialize; }",
        None,
    );
}
