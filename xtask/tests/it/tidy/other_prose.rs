//! The comments of files that are not Rust: C, Python, CSS, JavaScript and configuration.
//!
//! Migrations are left out: their checksums forbid changes.

use crate::tidy::language::{opens_badly, sentences};
use crate::tidy::{none, texts};

/// The ends of the files' names.
const KINDS: [&str; 9] = [
    ".h", ".c", ".py", ".css", ".js", ".yaml", ".yml", ".toml", ".service",
];
/// The beginnings of a line that is a comment. The longer ones come first.
const MARKS: [&str; 7] = ["/**", "/*", "// ", "#: ", "# ", "* ", "\"\"\""];

/// Returns the comments of a file. Adjacent lines are one comment.
fn comments(text: &str) -> Vec<String> {
    let mut comments = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let line = line.trim();
        let mark = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
        // A comment behind code is one of its own.
        let (content, is_own) = match (mark, line.split_once("/* ")) {
            (Some(content), _) => (content, line.starts_with('/') || line.starts_with('"')),
            (None, Some((_, content))) => (content, true),
            (None, None) => ("", true),
        };
        if is_own && !open.is_empty() {
            comments.push(std::mem::take(&mut open));
        }
        let content = content.trim_end_matches("*/").trim_end_matches("\"\"\"");
        open.push(' ');
        open.push_str(content.trim());
    }
    comments.push(open);
    comments
}

#[test]
fn no_comment_of_another_language_opens_with_a_free_relative() {
    let mut findings = Vec::new();
    for (file, text) in KINDS.iter().flat_map(|kind| texts(kind)) {
        for comment in comments(&text) {
            let found = sentences(&comment).into_iter().filter(|it| opens_badly(it));
            findings.extend(found.map(|sentence| format!("{file}: {sentence}")));
        }
    }
    none(findings);
}

#[test]
fn comments_of_other_languages_are_found() {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = comments(text);
        let found: Vec<&str> = (found.iter().map(|it| it.trim()))
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(found, expected, "{text}");
    }
    check("/* One. */\nint x; /* Two. */\n", &["One.", "Two."]);
    check(
        "// One\n// and the same.\nf();\n",
        &["One", "and the same."],
    );
    check("#include <a.h>\n# One\n# two.\n", &["One two."]);
    check(
        "x = 1\n#: Where it is.\n\"\"\"Two.\"\"\"\n",
        &["Where it is.", "Two."],
    );
}
