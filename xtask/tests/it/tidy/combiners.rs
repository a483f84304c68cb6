//! The combiners of a fold: code that depends on one instead of a property.
//!
//! A reduction has one representation, so nothing casts it to a kind. Few places tell combiners
//! apart: those that make an operation of MLIR, a kernel or a reference of one. Other code asks
//! for a property (`configgen/src/reduction/mod.rs`).

use crate::tidy::source::Source;
use crate::tidy::{none, texts};

/// Folders and files that tell combiners apart.
const TELL_COMBINERS_APART: [&str; 8] = [
    "configgen/src/reduction/",
    "configgen/src/problem/mod.rs",
    // The operations of MLIR and IREE: `iree_linalg_ext.arg_compare` and `linalg.generic`.
    "configgen/src/linalg/",
    "configgen/src/generator/iree/",
    "iree/",
    "codegen/src/native/combiner/",
    // A reference and its inputs.
    "bench-harness/src/inputs/mod.rs",
    "bench-harness/src/rowwise/",
];

/// Crates without casts of a value to its type.
const CAST_NOTHING: [&str; 4] = ["configgen/", "codegen/", "bench-harness/", "iree/"];

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

/// Returns the sources of the product, without its tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    let is_test = |file: &str| {
        let mut parts = file.split('/');
        parts.any(|it| matches!(it, "tests" | "tests.rs" | "benches" | "contract"))
    };
    texts(".rs").into_iter().filter(move |it| !is_test(&it.0))
}

/// Returns the uses of a combiner in a source, without its tests.
fn uses(text: &str) -> Vec<String> {
    let source = Source::new(text);
    let is_use = |words: &&[&str]| {
        matches!(
            words,
            [
                "reduction" | "combiner",
                ".",
                "comparison" | "pairwise",
                "("
            ] | [_, "Combiner", "::", "Comparison" | "Pairwise"]
                | [".", "sole_combiner" | "arg_compare", "(", ")"]
        )
    };
    let found = source.words.windows(4).filter(is_use);
    found.map(|words| words.concat()).collect()
}

/// Returns the casts of a source to a type, without its tests.
fn casts(text: &str) -> usize {
    let source = Source::new(text);
    let casts = source.words.iter();
    casts.filter(|it| it.starts_with("downcast")).count()
}

#[test]
fn reductions_are_cast_to_no_kind() {
    let places = sources().filter(|it| CAST_NOTHING.iter().any(|place| it.0.starts_with(place)));
    let casts = places.flat_map(|(file, text)| vec![format!("{file}: a cast"); casts(&text)]);
    none(casts.collect());
}

#[test]
fn few_places_tell_combiners_apart() {
    let mut findings = Vec::new();
    for (file, text) in sources() {
        let found = uses(&text);
        let is_listed = TELL_COMBINERS_APART.iter().any(|it| file.starts_with(it));
        if !is_listed {
            let told = found
                .iter()
                .map(|it| format!("{file}: {it}: ask for a property"));
            findings.extend(told);
        }
    }
    none(findings);
    for place in TELL_COMBINERS_APART {
        let mut of_place = sources().filter(|it| it.0.starts_with(place));
        let tells = of_place.any(|(_, text)| !uses(&text).is_empty());
        assert!(tells, "{place} tells none apart: remove it from the list");
    }
}

#[test]
fn uses_of_a_combiner_and_casts_are_found() {
    let text = "fn a() { problem.reduction.comparison(); it\n    .sole_combiner()\n; x.comparison() } \
                // reduction.pairwise()\nfn b() -> Combiner { any.downcast_ref(); Combiner::Pairwise(it) }\n\
                #[cfg(test)]\nmod tests { fn c() { reduction.pairwise(); any.downcast_ref() } }\n";
    let expected = [
        "reduction.comparison(",
        ".sole_combiner()",
        ";Combiner::Pairwise",
    ];
    assert_eq!(uses(text), expected);
    assert_eq!(casts(text), 1);
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
