//! The doors of a reduction: methods that say which kind it is, where a kind is known instead of a property.
//!
//! How many are used is counted, folder by folder. The counts only fall: code that needs one more asks the reduction for a
//! property (`Reduce` of `configgen/src/reduction/mod.rs`) instead.

use std::collections::BTreeMap;

use crate::tidy::source::Source;
use crate::tidy::{none, texts};

const REDUCTION: &str = "configgen/src/reduction/mod.rs";

/// Where nothing of `arg_compare`, the first reduction that there was, is known.
const KNOW_NO_COMPARATOR: [&str; 6] = [
    "configgen/src/space/",
    "configgen/src/layout.rs",
    "configgen/src/legality/native.rs",
    "configgen/src/legality/knobs.rs",
    "configgen/src/legality/serial.rs",
    "codegen/src/native/stages/",
];

/// How often doors are used in each folder, of which the longest that a file is in counts.
const USES: &[(&str, usize)] = &[
    ("bench-harness/", 4),
    ("cli/", 1),
    ("codegen/src/native/combiner/", 4),
    ("codegen/src/native/stages/", 3),
    ("configgen/src/default_rule/", 5),
    ("configgen/src/generator/", 2),
    ("configgen/src/generic.rs", 1),
    ("configgen/src/legality/", 1),
    ("configgen/src/legality/iree/", 13),
    ("configgen/src/linalg/", 4),
    ("configgen/src/arg_compare_operation.rs", 1),
    ("configgen/src/problem/", 1),
    ("configgen/src/range.rs", 1),
    ("configgen/src/row_kernel/", 1),
    ("configgen/src/space/", 1),
    ("configgen/src/spec/", 3),
    ("kernel-export/", 4),
    ("server/", 1),
    ("store/", 1),
];

/// The sources of the product, without those of its tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    let is_test = |file: &str| {
        let mut parts = file.split('/');
        parts.any(|it| matches!(it, "tests" | "tests.rs" | "benches" | "contract"))
    };
    texts(".rs").into_iter().filter(move |it| !is_test(&it.0))
}

/// The methods of a source that give one kind of reduction.
fn doors(text: &str) -> Vec<String> {
    let methods = text.split("    pub fn ").skip(1);
    let door = |method: &str| {
        let (name, rest) = method.split_once("(&self) -> Option<&")?;
        let body = rest.split("\n    }\n").next()?;
        body.contains("downcast_ref").then(|| name.to_owned())
    };
    methods.filter_map(door).collect()
}

/// How often these methods are called in a source, its tests left out.
fn uses(text: &str, doors: &[String]) -> usize {
    let source = Source::new(text);
    let is_call = |words: &&[&str]| match words {
        [".", name, "(", ")"] => doors.iter().any(|door| door == name),
        _ => false,
    };
    source.words.windows(4).filter(is_call).count()
}

#[test]
fn reductions_are_told_apart_no_more_often() {
    let all: Vec<(String, String)> = sources().collect();
    let reduction = all.iter().find(|(file, _)| file == REDUCTION);
    let doors = doors(&reduction.expect("reductions have gone").1);
    assert!(doors.len() >= 4, "{doors:?}");
    let mut found: BTreeMap<&str, usize> = USES.iter().map(|it| (it.0, 0)).collect();
    let mut findings = Vec::new();
    for (file, text) in all.iter().filter(|(file, _)| file != REDUCTION) {
        let count = uses(text, &doors);
        let folder = USES.iter().filter(|it| file.starts_with(it.0));
        match folder.max_by_key(|it| it.0.len()) {
            Some((folder, _)) => *found.entry(folder).or_default() += count,
            None if count > 0 => {
                findings.push(format!("{file} asks {count} times which reduction it has"));
            }
            None => {}
        }
    }
    for (folder, allowed) in USES {
        let count = found[folder];
        if count > *allowed {
            let message = "ask it for a property (`Reduce`)";
            findings.push(format!(
                "{folder} asks {count} times which reduction it has, not {allowed}: {message}"
            ));
        }
        if count < *allowed {
            findings.push(format!("{folder}: only {count} now; say so in USES"));
        }
    }
    none(findings);
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
