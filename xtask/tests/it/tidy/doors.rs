//! The doors of a reduction: methods that return its kind, for code that depends on a kind
//! instead of a property.
//!
//! `doors.tsv` beside this file lists the uses of each file, and the counts only fall. Code that
//! needs one more asks the reduction for a property (`Reduce` of
//! `configgen/src/reduction/mod.rs`) instead. `UPDATE_EXPECT=1` rewrites the list, also after
//! files have moved, if the sum has not risen.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::tidy::source::Source;
use crate::tidy::{none, root, texts};

const REDUCTION: &str = "configgen/src/reduction/mod.rs";

/// Folders and files that must not know `arg_compare`, the first kind of reduction.
const KNOW_NO_COMPARATOR: [&str; 9] = [
    "configgen/src/space/",
    "configgen/src/space_contents/",
    "configgen/src/generator/native/space.rs",
    "configgen/src/generator/iree/space.rs",
    "configgen/src/layout.rs",
    "configgen/src/generator/native/legality.rs",
    "configgen/src/generator/native/knobs.rs",
    "configgen/src/generator/native/serial.rs",
    "codegen/src/native/stages/",
];

/// The list of files that use doors, each with its number of uses.
const COUNTS: &str = "xtask/tests/it/tidy/doors.tsv";

/// Returns the sources of the product, without its tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    let is_test = |file: &str| {
        let mut parts = file.split('/');
        parts.any(|it| matches!(it, "tests" | "tests.rs" | "benches" | "contract"))
    };
    texts(".rs").into_iter().filter(move |it| !is_test(&it.0))
}

/// Returns the methods of a source that return one kind of reduction.
fn doors(text: &str) -> Vec<String> {
    let methods = text.split("    pub fn ").skip(1);
    let door = |method: &str| {
        let (name, rest) = method.split_once("(&self) -> Option<&")?;
        let body = rest.split("\n    }\n").next()?;
        body.contains("downcast_ref").then(|| name.to_owned())
    };
    methods.filter_map(door).collect()
}

/// Counts the calls of these methods in a source, without its tests.
fn uses(text: &str, doors: &[String]) -> usize {
    let source = Source::new(text);
    let is_call = |words: &&[&str]| match words {
        [".", name, "(", ")"] => doors.iter().any(|door| door == name),
        _ => false,
    };
    source.words.windows(4).filter(is_call).count()
}

/// Parses lines of a count and a file.
fn counts(text: &str) -> BTreeMap<String, usize> {
    let line = |line: &str| {
        let (count, file) = line.split_once('\t')?;
        Some((file.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Compares the uses of each file with the list.
fn deviations(found: &BTreeMap<String, usize>, listed: &BTreeMap<String, usize>) -> Vec<String> {
    let files: BTreeSet<&String> = found.keys().chain(listed.keys()).collect();
    let deviation = |file: &String| {
        let [found, listed] = [found, listed].map(|it| it.get(file).copied().unwrap_or_default());
        let times = format!("{file} asks {found} times which reduction it has, not {listed}");
        match found.cmp(&listed) {
            Ordering::Greater => Some(format!("{times}: ask it for a property (`Reduce`)")),
            Ordering::Less => Some(format!("{times}: lower the count with UPDATE_EXPECT=1")),
            Ordering::Equal => None,
        }
    };
    files.into_iter().filter_map(deviation).collect()
}

#[test]
fn reductions_are_told_apart_no_more_often() {
    let all: Vec<(String, String)> = sources().collect();
    let reduction = all.iter().find(|(file, _)| file == REDUCTION);
    let doors = doors(&reduction.expect("reductions have gone").1);
    assert!(doors.len() >= 4, "{doors:?}");
    let others = all.iter().filter(|(file, _)| file != REDUCTION);
    let found: BTreeMap<String, usize> = others
        .map(|(file, text)| (file.clone(), uses(text, &doors)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let mut listed = counts(&fs::read_to_string(root().join(COUNTS)).unwrap());
    let sum = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    println!("{} doors in {} files", sum(&found), found.len());
    if std::env::var_os("UPDATE_EXPECT").is_some() && sum(&found) <= sum(&listed) {
        let rows = found
            .iter()
            .map(|(file, count)| format!("{count}\t{file}\n"));
        fs::write(root().join(COUNTS), rows.collect::<String>()).unwrap();
        listed.clone_from(&found);
    }
    none(deviations(&found, &listed));
}

#[test]
fn a_file_with_more_or_fewer_doors_is_found() {
    let found = counts("2\ta.rs\n1\tb.rs\n1\tc.rs\n");
    let listed = counts("1\ta.rs\n2\tb.rs\n1\tc.rs\n1\td.rs\n");
    let all = deviations(&found, &listed).join("\n");
    assert_eq!(deviations(&found, &found), [""; 0]);
    for part in [
        "a.rs asks 2 times",
        "b.rs asks 1 times",
        "d.rs asks 0 times",
    ] {
        assert!(all.contains(part), "{all}");
    }
    assert!(!all.contains("c.rs"), "{all}");
}

#[test]
fn doors_and_their_uses_are_found() {
    let text = "    pub fn fold(&self) -> Option<&Fold> {\n        any.downcast_ref()\n    }\n\n    \
                pub fn text(&self) -> (&str, &str) {\n        downcast_ref\n    }\n";
    let doors = doors(text);
    assert_eq!(doors, ["fold"]);
    let used = "fn a() { it.fold().is_some(); it\n    .fold()\n; all.fold(0, f) } // .fold()\n\
                #[cfg(test)]\nmod tests { fn b() { it.fold() } }\n";
    assert_eq!(uses(used, &doors), 2);
}

#[test]
fn spaces_rules_and_stages_know_no_comparator() {
    let sources = texts(".rs");
    for place in KNOW_NO_COMPARATOR {
        assert!(
            sources.iter().any(|(file, _)| file.starts_with(place)),
            "{place} has gone"
        );
    }
    let names = [
        "ArgCompare",
        "arg_compare",
        "Comparator",
        "comparator::order",
    ];
    let mut findings = Vec::new();
    for (file, text) in sources {
        if !KNOW_NO_COMPARATOR
            .iter()
            .any(|place| file.starts_with(place))
        {
            continue;
        }
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for (name, line) in
            (names.iter()).flat_map(|name| code.clone().map(move |line| (name, line)))
        {
            if line.contains(name) {
                findings.push(format!("{file}: {name}: {}", line.trim()));
            }
        }
    }
    none(findings);
}
