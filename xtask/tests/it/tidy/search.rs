//! Each question of a newcomer has one module as its obvious answer, found by its file's name.

use crate::tidy::{none, texts};

/// The words of a search, and the module that it finds.
const SEARCHES: [(&str, &str); 14] = [
    ("heartbeat", "server/agent/src/heartbeat.rs"),
    ("retry", "server/agent/src/retry.rs"),
    ("lookup cache", "lookup/src/answer_index/mod.rs"),
    ("rate limit", "server/src/access/rate_limit.rs"),
    ("middleware", "server/src/request_middleware.rs"),
    ("grid barrier", "codegen/src/native/lower/grid_barrier.rs"),
    ("tail", "codegen/src/native/lower/tail_mask.rs"),
    (
        "bank conflict",
        "gpu/emulator/src/profile/bank_conflicts.rs",
    ),
    ("occupancy", "gpu/emulator/src/model/occupancy.rs"),
    ("wish", "store/src/wish.rs"),
    ("connection admission", "server/src/connection_admission.rs"),
    ("write timeout", "server/src/write_timeout.rs"),
    ("origin check", "server/src/origin_check.rs"),
    ("blocking pool", "server/src/blocking_pool.rs"),
];

/// Returns the modules that a search finds: by their whole name, else by a part of it, else by the
/// first line of their documentation.
fn hits<'a>(words: &str, sources: &'a [(String, String)]) -> Vec<&'a str> {
    let stem = |file: &str| {
        let name = file.trim_end_matches("/mod.rs").trim_end_matches(".rs");
        name.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let all = |text: &str| words.split(' ').all(|word| text.contains(word));
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_lowercase();
    let found = |is_hit: &dyn Fn(&(String, String)) -> bool| {
        let hits = sources.iter().filter(|it| is_hit(it));
        hits.map(|it| it.0.as_str()).collect::<Vec<_>>()
    };
    let tiers = [
        found(&|it| stem(&it.0) == words.replace(' ', "_")),
        found(&|it| all(&stem(&it.0))),
        found(&|it| all(&first_line(&it.1))),
    ];
    let mut tiers = tiers.into_iter().filter(|it| !it.is_empty());
    tiers.next().unwrap_or_default()
}

#[test]
fn questions_have_one_obvious_answer() {
    let mut sources = texts(".rs");
    sources.retain(|(file, _)| {
        let is_tool = file.starts_with("xtask/") || file.starts_with("testing/");
        file.contains("/src/") && !is_tool && !file.contains("/tests")
    });
    let findings = SEARCHES.iter().filter_map(|(words, expected)| {
        let hits = hits(words, &sources);
        (hits != [*expected]).then(|| format!("{words:?} finds {hits:?}, not {expected}"))
    });
    none(findings.collect());
}

#[test]
fn a_whole_name_is_the_best_hit() {
    let source = |file: &str, text: &str| (file.to_owned(), text.to_owned());
    let sources = [
        source("a/src/retry.rs", "//! Attempts."),
        source("a/src/retry_log.rs", "//! A log."),
        source("b/src/index.rs", "//! A cache of lookups."),
    ];
    #[track_caller]
    fn check(words: &str, sources: &[(String, String)], expected: &[&str]) {
        assert_eq!(hits(words, sources), expected, "{words}");
    }
    check("retry", &sources, &["a/src/retry.rs"]);
    check("log", &sources, &["a/src/retry_log.rs"]);
    check("lookup cache", &sources, &["b/src/index.rs"]);
    check("tail", &sources, &[]);
}
