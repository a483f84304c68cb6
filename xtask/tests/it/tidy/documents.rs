//! Documents for people: their size, and the addresses of the service that they name.

use std::collections::BTreeSet;

use crate::tidy::language::{opens_badly, sentences, word_count};
use crate::tidy::map::documentation;
use crate::tidy::{none, root, texts};

/// The most words of a sentence in a page of [`CLEAN`].
const MOST_WORDS: usize = 25;
const MOST_COLUMNS: usize = 100;
/// Pages without any violation of the rules for sentences, by the beginning of their path.
/// Crate roots are the others.
const CLEAN: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/guide-",
];

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn front_pages_are_short() {
    let words = |file: &str| read(file).split_whitespace().count();
    let (readme, map, guide) = (
        read("README.md").len(),
        words("ARCHITECTURE.md"),
        words("CONTRIBUTING.md"),
    );
    assert!(readme <= 9_000, "README.md has {readme} bytes");
    assert!(map <= 3_000, "ARCHITECTURE.md has {map} words");
    assert!(guide <= 2_500, "CONTRIBUTING.md has {guide} words");
}

#[test]
fn front_pages_keep_to_the_style() {
    let clean = |file: &str| CLEAN.iter().any(|it| file.starts_with(it));
    let mut pages = texts(".md");
    pages.retain(|it| clean(&it.0));
    assert!(pages.len() > CLEAN.len(), "{}", pages.len());
    let roots = texts(".rs").into_iter();
    let roots = roots
        .filter(|it| it.0.ends_with("src/lib.rs") || it.0.ends_with("src/main.rs"))
        .map(|(file, source)| (file, documentation(&source)));
    pages.extend(roots);
    let findings = pages.iter().flat_map(|(file, text)| {
        let bad = |it: &String| opens_badly(it) || word_count(it) > MOST_WORDS;
        let found = sentences(text).into_iter().filter(bad);
        found
            .map(|it| format!("{file}: {it}"))
            .collect::<Vec<String>>()
    });
    none(findings.collect());
}

/// Tables, code, pictures and links alone may be wider.
#[test]
fn lines_of_front_pages_are_narrow() {
    let clean = |file: &str| CLEAN.iter().any(|it| file.starts_with(it));
    let is_wide = |line: &&str| {
        let is_free = line.starts_with(['|', '!', '[']) || line.starts_with("    ");
        !is_free && line.chars().count() > MOST_COLUMNS
    };
    let pages = texts(".md").into_iter().filter(|it| clean(&it.0));
    let findings = pages.flat_map(|(file, text)| {
        let wide = text.lines().filter(is_wide);
        wide.map(|it| format!("{file}: {it}"))
            .collect::<Vec<String>>()
    });
    none(findings.collect());
}

/// The addresses of the API in a text, with `1` and the like for parameters.
fn addresses(text: &str) -> BTreeSet<&str> {
    let found = text.match_indices("/api/v1/").map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"/_:-.".contains(c));
        rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ':', '/'])
    });
    found.collect()
}

/// Returns true if an address has the form of a described path, `/a/{id}/b`.
fn has_form(address: &str, path: &str) -> bool {
    let (address, path): (Vec<&str>, Vec<&str>) =
        (address.split('/').collect(), path.split('/').collect());
    address.len() == path.len()
        && (address.iter().zip(&path)).all(|(part, form)| part == form || form.starts_with('{'))
}

#[test]
fn addresses_in_guides_are_those_of_the_service() {
    let description = read("server/openapi.json");
    let paths = description
        .lines()
        .filter_map(|it| it.trim().strip_prefix('"'));
    let mut paths: Vec<&str> = paths
        .filter_map(|it| it.strip_suffix("\": {"))
        .filter(|it| it.starts_with('/'))
        .collect();
    paths.extend(["/api/v1/openapi.json", "/api/v1/docs"]);
    assert!(paths.len() > 20, "{paths:?}");
    let guides = texts(".md")
        .into_iter()
        .filter(|it| it.0.starts_with("docs/guide-"));
    let mut count = 0;
    let mut findings = Vec::new();
    for (file, text) in guides {
        for address in addresses(&text) {
            count += 1;
            if !paths.iter().any(|path| has_form(address, path)) {
                findings.push(format!("{file}: there is no {address}"));
            }
        }
    }
    assert!(count > 20, "only {count} addresses");
    none(findings);
}

#[test]
fn addresses_are_found() {
    let text = "`/api/v1/studies/1/trials`, \"/api/v1/best?x=1\".\n";
    let found: Vec<&str> = addresses(text).into_iter().collect();
    assert_eq!(found, ["/api/v1/best", "/api/v1/studies/1/trials"]);
    assert!(has_form(found[1], "/api/v1/studies/{id}/trials"));
    assert!(!has_form(found[1], "/api/v1/studies/{id}"));
}
