//! The numbered rules of generators: each checked rule is documented, each documented rule is
//! checked, and a text about all of them names the last one.

use std::collections::BTreeSet;

use crate::tidy::source::Source;
use crate::tidy::{none, texts};

/// The folders or files of a generator's rules, and the file that documents them.
const GENERATORS: [(&[&str], &str); 2] = [
    (
        &[
            "configgen/src/generator/native/legality.rs",
            "configgen/src/generator/native/knobs.rs",
            "configgen/src/generator/native/serial.rs",
            "configgen/src/generator/native/summation_limit.rs",
        ],
        "configgen/src/generator/native/legality.rs",
    ),
    (
        &["configgen/src/generator/iree/legality/"],
        "configgen/src/generator/iree/legality/mod.rs",
    ),
];

/// Returns the rules in a module's documentation: `//! - **N7** …`.
fn documented(text: &str) -> BTreeSet<&str> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! - **"));
    lines
        .filter_map(|line| Some(line.split_once("**")?.0))
        .collect()
}

/// Returns whether a string is the number of a rule: a letter, a number, or a letter with a
/// number.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    text.len() - digits.len() <= 1
        && !text.is_empty()
        && digits.len() <= 2
        && digits.chars().all(|c| c.is_ascii_digit())
}

/// Returns the numbers of rules among the strings of a source, without its tests.
fn checked(text: &str) -> BTreeSet<&str> {
    let words = Source::new(text).words;
    let strings = words.iter().filter_map(|word| word.strip_prefix('"'));
    strings.filter(|it| is_number(it)).collect()
}

#[test]
fn rules_are_documented_and_checked() {
    let sources = texts(".rs");
    let text = |name: &str| &sources.iter().find(|(file, _)| file == name).expect(name).1;
    let mut findings = Vec::new();
    for (places, documentation) in GENERATORS {
        let listed = documented(text(documentation));
        assert!(listed.len() > 10, "{documentation}: {listed:?}");
        let files = sources
            .iter()
            .filter(|(file, _)| places.iter().any(|it| file.starts_with(it)));
        let found: BTreeSet<&str> = files.flat_map(|(_, text)| checked(text)).collect();
        for rule in found.symmetric_difference(&listed) {
            let (is, is_not) = match listed.contains(rule) {
                true => ("documented", "checked"),
                false => ("checked", "documented"),
            };
            findings.push(format!(
                "{documentation}: rule {rule} is {is} and not {is_not}"
            ));
        }
    }
    none(findings);
}

/// Describes the faults of a text about the native rules, for this number of the last one: a
/// range from the first rule with another end, or a rule that does not exist.
fn misnamed(text: &str, last: u32) -> Vec<String> {
    let number = |rest: &str| -> Option<u32> {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    let ranges = text.match_indices("N1 to N").filter_map(|(at, found)| {
        let named = number(&text[at + found.len()..])?;
        (named != last).then(|| format!("N1 to N{named}, and the last is N{last}"))
    });
    let single = ["rule N", "Rule N", "rules N", "Rules N"]
        .into_iter()
        .flat_map(|it| {
            text.match_indices(it).filter_map(move |(at, found)| {
                let named = number(&text[at + found.len()..])?;
                (named > last || named == 0).then(|| format!("there is no rule N{named}"))
            })
        });
    ranges.chain(single).collect()
}

#[test]
fn texts_name_the_rules_that_there_are() {
    let sources = texts(".rs");
    let (_, documentation) = GENERATORS[0];
    let native = sources.iter().find(|(file, _)| file == documentation);
    let listed = documented(&native.expect(documentation).1);
    let numbers = listed
        .iter()
        .filter_map(|it| it.strip_prefix('N')?.parse::<u32>().ok());
    let last = numbers.max().unwrap_or_default();
    assert_eq!(
        listed.len(),
        last as usize,
        "numbers are left out: {listed:?}"
    );
    let all = sources.into_iter().chain(texts(".md"));
    let all = all.filter(|(file, _)| !file.ends_with("tidy/rules.rs"));
    let found = all.flat_map(|(file, text)| {
        let found = misnamed(&text, last).into_iter();
        found.map(|it| format!("{file}: {it}")).collect::<Vec<_>>()
    });
    none(found.collect());
}

#[test]
fn wrong_names_of_rules_are_noticed() {
    assert_eq!(misnamed("rules N1 to N17, rule N3", 17), [""; 0]);
    let wrong = misnamed("Rules N1 to N15; rule N18", 17);
    assert_eq!(
        wrong,
        ["N1 to N15, and the last is N17", "there is no rule N18"]
    );
    assert!(is_number("N7") && is_number("0") && is_number("A") && is_number("E1"));
    assert!(!is_number("") && !is_number("no") && !is_number("NN1") && !is_number("100"));
    assert_eq!(checked("ensure(a, \"N7\", b); // \"N8\"\n").len(), 1);
}
