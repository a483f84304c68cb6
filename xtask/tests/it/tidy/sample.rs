//! The sample of tests that `.ci/run` runs: nextest's filter names the tests that it leaves out.
//!
//! nextest takes a name that no test has without a word, and the test would be back in CI.

use std::collections::BTreeSet;

use crate::tidy::{none, root, texts};

/// Returns the names in a filter of `test(/SUITE::(NAME|NAME)$/)`. Each has true beside it if the
/// filter leaves out all cases of the test.
fn left_out(filter: &str) -> Vec<(&str, bool)> {
    let groups = filter.split("test(/").skip(1);
    let found = groups.filter_map(|group| {
        let (suite, rest) = group.split_once('(')?;
        let (names, end) = rest.split_once(')')?;
        let is_whole = suite.ends_with("::") && end.starts_with("$/");
        Some(names.split('|').map(move |it| (it, is_whole)))
    });
    found.flatten().collect()
}

fn names(filter: &str) -> Vec<&str> {
    left_out(filter).into_iter().map(|it| it.0).collect()
}

/// Returns the names of tests that a filter leaves out in every case.
fn whole_names(filter: &str) -> Vec<&str> {
    let whole = left_out(filter).into_iter().filter(|it| it.1);
    whole.map(|it| it.0).collect()
}

/// Returns nextest's filter of CI's tests.
fn filter() -> String {
    let config = std::fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
    let filter = config.split("default-filter = '''").nth(1).unwrap();
    filter.split("'''").next().unwrap().to_owned()
}

/// Returns what may be a test's name: words before a bracket, and texts with their first words,
/// also behind a variable. A trial of several cases has the case behind its name.
fn possible_names(sources: &[(String, String)]) -> BTreeSet<&str> {
    let mut all = BTreeSet::new();
    let is_end = |it: char| !it.is_alphanumeric() && it != '_';
    for line in sources.iter().flat_map(|(_, text)| text.lines()) {
        let (functions, texts) = (line.split("fn ").skip(1), line.split('"').skip(1));
        all.extend(texts.clone());
        let behind = texts.flat_map(|it| it.split('}'));
        all.extend(
            functions
                .chain(behind)
                .filter_map(|it| it.split(is_end).next()),
        );
    }
    all
}

/// Returns true if the dashboard has a test file of this name: each is a trial.
fn is_script(name: &str) -> bool {
    root().join(format!("web/tests/{name}.js")).is_file()
}

#[test]
fn each_test_that_ci_leaves_out_is_there() {
    let filter = filter();
    let names = names(&filter);
    assert!(names.len() > 10, "{names:?}");
    let sources = texts(".rs");
    let possible = possible_names(&sources);
    let gone = names
        .into_iter()
        .filter(|it| !is_script(it) && !possible.contains(it));
    none(
        gone.map(|it| format!(".config/nextest.toml: no test is named {it}"))
            .collect(),
    );
}

#[test]
fn mutants_without_a_test_in_ci_are_marked_as_full() {
    let filter = filter();
    let left_out = whole_names(&filter);
    let patches = texts(".patch").into_iter();
    let unmarked = patches.filter(|(_, text)| {
        let mut header = text.lines().take_while(|line| line.starts_with("# "));
        let tests = text.lines().find_map(|line| line.strip_prefix("# test: "));
        !header.any(|line| line == "# full") && tests.is_some_and(|it| left_out.contains(&it))
    });
    none(
        unmarked
            .map(|(file, _)| format!("{file}: CI leaves its test out; add `# full`"))
            .collect(),
    );
}

#[test]
fn names_of_a_filter_are_found() {
    let filter = "not (test(/a::(one|two)$/) | test(/b::accepted (three)$/))";
    assert_eq!(names(filter), ["one", "two", "three"]);
    assert_eq!(whole_names(filter), ["one", "two"]);
    assert!(whole_names("test(/a::(one) case$/)").is_empty());
    let is_defined = |text: &str| {
        let source = [(String::new(), text.to_owned())];
        possible_names(&source).contains("one")
    };
    assert!(is_defined("fn one() {}"));
    assert!(is_defined("trial(\"one\")"));
    assert!(is_defined("format!(\"one {case}\")"));
    assert!(!is_defined("fn one_more() {}"));
    assert!(is_script("bad_days") && !is_script("good_days"));
}
