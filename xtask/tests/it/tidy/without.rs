//! Forbidden paths and words: of a folder, or of all files but some.

use crate::tidy::source::Source;
use crate::tidy::{none, texts};

/// A folder, the forbidden paths and words of its sources, and the reason.
const WITHOUT: &[(&str, &[&str], &str)] = &[
    (
        "configgen/src/",
        &[
            "std::fs",
            "std::io",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "std::time",
            "rand::rng",
        ],
        "it is a function of its arguments",
    ),
    (
        "bench-harness/src/timing/",
        &[
            "Instant",
            "SystemTime",
            "crate::device",
            "crate::emulated",
            "crate::hip",
        ],
        "it knows no device and no clock",
    ),
    (
        "codegen/src/native/print/",
        &["native::stages", "native::lower"],
        "no printer knows a stage",
    ),
    (
        "gpu/emulator/src/",
        &["configgen", "codegen", "arg_compare"],
        "it knows nothing of reductions or configurations",
    ),
    (
        "store/src/",
        &["sqlx", "std::path", "PathBuf"],
        "no type of the interface knows a driver or a path",
    ),
    (
        "store/relational/src/",
        &["sqlx"],
        "what the dialects share is no driver's",
    ),
    (
        "server/dispatch/src/",
        &["sqlx", "configgen", "Deserialize"],
        "what it carries are bytes",
    ),
    (
        "lookup/table/src/",
        &["configgen", "sqlx", "serde", "tokio", "std::net"],
        "it knows keys and texts",
    ),
    (
        "kernel-export/src/",
        &["std::fs", "std::io", "std::path", "std::net", "axum", "tar"],
        "it knows nothing of where the files go",
    ),
    (
        "server/src/",
        &["sqlx", "store_sqlite", "store_postgres", "codegen", "tuner"],
        "it has no knowledge of its own",
    ),
];

/// Path prefixes, the paths and words that only their sources may have, and the reason.
const ALONE: &[(&str, &[&str], &[&str], &str)] = &[
    (
        "",
        &["Generator::NATIVE", "Generator::IREE"],
        &[
            "configgen/src/",
            "codegen/src/native/",
            "iree/src/",
            "tuner/src/build/",
            "prediction/src/",
            "tuner/src/kernel_search/",
            "cli/src/explain.rs",
            "cli/src/export/range_samples.rs",
            "cli/src/iree_compile/mod.rs",
            "cli/src/tune/model_tuning.rs",
            "answers/explanation/src/",
            "kernel-export/src/",
            "iree/export/src/",
            "lookup/src/ladder/prediction_rung.rs",
            "lookup/src/table_file/write.rs",
        ],
        "who has a generator asks it, unless it makes something for the kernels of one",
    ),
    (
        "cli/src/",
        &["Deserialize"],
        // It reads the manifest of an export by any version.
        &["cli/src/export/kernels.rs"],
        "an answer is read as the type that prints it",
    ),
    (
        "server/client/src/",
        &["Deserialize"],
        &["server/client/src/error.rs"],
        "an answer is read as the type that prints it",
    ),
    (
        "store/postgres/src/",
        &["pool . begin"],
        &["store/postgres/src/transaction.rs"],
        "a transaction whose beginning nobody waits for stays open",
    ),
    (
        "gpu/hip-library/src/",
        &["unsafe {"],
        &[
            "gpu/hip-library/src/ffi.rs",
            "gpu/hip-library/src/mapping.rs",
            "gpu/hip-library/src/memory.rs",
        ],
        "what a program passes is trusted there, and pages are mapped",
    ),
];

/// Returns whether a source has a path or a sequence of words. A path may be that of a group,
/// `std::{fs, io}`.
fn has(source: &Source<'_>, path: &str) -> bool {
    let spaced = path.replace("::", " :: ");
    let path: Vec<&str> = spaced.split_whitespace().collect();
    let words = &source.words;
    let is_group = |at: usize| {
        let Some((last, before)) = path.split_last().filter(|(_, before)| !before.is_empty())
        else {
            return false;
        };
        let Some(group) = words[at..].strip_prefix(before) else {
            return false;
        };
        let group = group.strip_prefix(&["{"]).unwrap_or_default();
        let end = group.iter().position(|word| *word == "}");
        group[..end.unwrap_or(0)].contains(last)
    };
    (0..words.len()).any(|at| words[at..].starts_with(&path) || is_group(at))
}

/// Returns the sources below a folder, without files that only tests use.
fn sources(folder: &str) -> Vec<(String, String)> {
    let is_source = |file: &str| {
        let tests = ["/tests/", "/tests.rs", "_tests.rs", "/fuzz/", "/contract/"];
        file.contains("/src/")
            && !file.starts_with("testing/")
            && !tests.iter().any(|part| file.contains(part))
    };
    let mut sources = texts(".rs");
    sources.retain(|(file, _)| file.starts_with(folder) && is_source(file));
    assert!(!sources.is_empty(), "{folder}");
    sources
}

#[test]
fn folders_do_without() {
    let mut findings = Vec::new();
    for (folder, without, reason) in WITHOUT {
        for (file, text) in sources(folder) {
            let source = Source::new(&text);
            let found = without.iter().filter(|path| has(&source, path));
            findings.extend(found.map(|path| format!("{file}: {path}: {reason}")));
        }
    }
    none(findings);
}

#[test]
fn some_files_alone_have_it() {
    let mut findings = Vec::new();
    for (folder, words, files, reason) in ALONE {
        for (file, text) in sources(folder) {
            let source = Source::new(&text);
            let found = words.iter().filter(|path| has(&source, path));
            let is_free = files.iter().any(|free| file.starts_with(free));
            findings.extend(
                found
                    .filter(|_| !is_free)
                    .map(|path| format!("{file}: {path}: {reason}")),
            );
        }
    }
    none(findings);
}

#[test]
fn planted_words_are_found() {
    #[track_caller]
    fn check(text: &str, path: &str, expected: bool) {
        assert_eq!(has(&Source::new(text), path), expected, "{text}");
    }
    check("use std::time::Instant;", "std::time", true);
    check("use std::{fmt, time::Instant};", "std::time", true);
    check("use std::fmt; // std::time", "std::time", false);
    check("use std::fmt; fn time() {}", "std::time", false);
    check("const TEXT: &str = \"std::time\";", "std::time", false);
    check(
        "#[cfg(test)] mod tests { use std::time::Instant; }",
        "std::time",
        false,
    );
    check("fn f() { unsafe { g() } }", "unsafe {", true);
    check("#[unsafe(no_mangle)] fn f() {}", "unsafe {", false);
    check(
        "if generator == Generator::IREE {}",
        "Generator::IREE",
        true,
    );
}

/// Checks that a build of wavetune links nothing of LLVM, ROCm or IREE.
#[test]
fn nothing_is_linked_that_a_build_would_need() {
    // SQLite, which is compiled here, and bindings to libraries of every Linux; the others are
    // for other systems.
    const KNOWN: &[&str] = &[
        "core-foundation-sys",
        "dirs-sys",
        "js-sys",
        "libsqlite3-sys",
        "linux-raw-sys",
        "security-framework-sys",
        "windows-sys",
    ];
    let lock = texts("Cargo.lock");
    let mut findings = Vec::new();
    for (file, text) in &lock {
        let names = text.lines().filter_map(|line| line.strip_prefix("name = "));
        let names = names.map(|name| name.trim_matches('"'));
        let bindings = names.filter(|name| name.ends_with("-sys") && !KNOWN.contains(name));
        findings.extend(bindings.map(|name| format!("{file}: {name}")));
    }
    for (file, text) in texts(".rs") {
        // In two halves, so that this file does not have them.
        for (first, second) in [("#[li", "nk("), ("rustc-link", "-lib")] {
            let word = format!("{first}{second}");
            findings.extend(text.contains(&word).then(|| format!("{file}: {word}")));
        }
    }
    none(findings);
}

/// Checks that numbers of the database decide the newest entry. A clock decides only about wishes
/// and silent workers.
#[test]
fn no_clock_orders_results() {
    let mut queries = 0;
    let mut findings = Vec::new();
    for (file, text) in texts(".json") {
        let query = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("\"query\": "));
        let Some(query) = query.filter(|_| file.starts_with(".sqlx/")) else {
            continue;
        };
        queries += 1;
        // A duration does not depend on the time of day.
        let query = query.replace("compile_ms", "");
        let orders = ["ORDER BY", "max(", "min("].iter().any(|word| {
            let mut after = query.split(word).skip(1);
            after.any(|rest| {
                rest.split([',', ')', '\\'])
                    .next()
                    .is_some_and(|by| by.contains("_ms") || by.contains("_at"))
            })
        });
        let is_theirs = ["wish", "worker"].iter().any(|table| query.contains(table));
        findings.extend((orders && !is_theirs).then(|| format!("{file}: {query}")));
    }
    assert!(queries > 20, "only {queries} queries");
    none(findings);
}
