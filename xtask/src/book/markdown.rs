//! Links and anchors of Markdown: the part of the syntax that the documents here use.

use std::collections::BTreeMap;
use std::ops::Range;

/// An inline link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentLink {
    /// The words that a reader sees.
    pub(super) label: Range<usize>,
    /// The target between the parentheses.
    pub(super) target: Range<usize>,
    /// The number of the line, from 1 on.
    pub(super) line: usize,
}

impl DocumentLink {
    /// Returns the byte range of the whole link, with the `!` of a picture.
    pub(super) fn whole(&self, text: &str) -> Range<usize> {
        let bracket = self.label.start - 1;
        let is_picture = text[..bracket].ends_with('!');
        bracket - usize::from(is_picture)..self.target.end + 1
    }
}

/// Lists the links outside of code.
pub(super) fn links(text: &str) -> Vec<DocumentLink> {
    let prose = without_code(text);
    let mut found = Vec::new();
    for (at, _) in prose.match_indices("](") {
        let start = at + 2;
        let Some(length) = prose[start..].find([')', '\n']) else {
            continue;
        };
        let target = start..start + length;
        if let Some(bracket) = opening(&prose[..at]) {
            found.push(DocumentLink {
                label: bracket + 1..at,
                target,
                line: text[..at].matches('\n').count() + 1,
            });
        }
    }
    found
}

/// Finds the opening bracket of a link label.
fn opening(text: &str) -> Option<usize> {
    // The label may contain brackets, as in code or a picture.
    let mut depth = 0;
    let mut brackets = text.rmatch_indices(['[', ']']);
    brackets.find_map(|(at, bracket)| {
        match bracket {
            "]" => depth += 1,
            _ if depth > 0 => depth -= 1,
            _ => return Some(at),
        }
        None
    })
}

/// Lists the anchors of the headings, as mdBook and GitHub make them.
pub(super) fn anchors(text: &str) -> Vec<String> {
    // Repeated headings get a number.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let prose = without_fences(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let numbered = headings.map(|heading| {
        let anchor = anchor(heading.trim_start_matches('#').trim());
        let count = counts.entry(anchor.clone()).or_default();
        *count += 1;
        match *count {
            1 => anchor,
            count => format!("{anchor}-{}", count - 1),
        }
    });
    numbered.collect()
}

/// Returns the anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// Blanks code, so that each byte keeps its position.
fn without_code(text: &str) -> String {
    let mut prose = without_fences(text).into_bytes();
    let mut at = 0;
    while at < prose.len() {
        let run = run_of_backticks(&prose[at..]);
        if run == 0 {
            at += 1;
            continue;
        }
        let start = at + run;
        match end_of_span(&prose[start..], run) {
            Some(length) => {
                blank(&mut prose[start..start + length]);
                at = start + length + run;
            }
            None => at = start,
        }
    }
    String::from_utf8(prose).expect("only whole characters become blanks")
}

fn run_of_backticks(text: &[u8]) -> usize {
    text.iter().take_while(|&&it| it == b'`').count()
}

/// Returns the length of a code span that ends with `run` backticks, in the same paragraph.
fn end_of_span(text: &[u8], run: usize) -> Option<usize> {
    // A code span does not cross an empty line (CommonMark 6.1).
    let mut at = 0;
    while at < text.len() && !text[at..].starts_with(b"\n\n") {
        match run_of_backticks(&text[at..]) {
            0 => at += 1,
            length if length == run => return Some(at),
            length => at += length,
        }
    }
    None
}

/// Blanks fenced blocks.
fn without_fences(text: &str) -> String {
    let mut prose = text.as_bytes().to_vec();
    let mut at = 0;
    let mut in_fence = false;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence || in_fence {
            blank(&mut prose[at..at + line.len()]);
        }
        in_fence ^= is_fence;
        at += line.len();
    }
    String::from_utf8(prose).expect("only whole characters become blanks")
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|it| **it != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let links = links(text);
        let found = links.iter().map(|it| {
            let [label, target] = [&it.label, &it.target].map(|it| &text[it.clone()]);
            (label, target, &text[it.whole(text)])
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn links_stand_outside_of_code() {
        check("no [link] (here)", &[]);
        check("a [b](c.md#d), e", &[("b", "c.md#d", "[b](c.md#d)")]);
        check("![é](p.webp)", &[("é", "p.webp", "![é](p.webp)")]);
        check("`[a](b)` ``c`[d](e)``", &[]);
        check("[`a[0]`](b)", &[("`a[0]`", "b", "[`a[0]`](b)")]);
        check("```sh\n[a](b)\n```\n[c](d)", &[("c", "d", "[c](d)")]);
        check("a ` b\n\n[c](d) `", &[("c", "d", "[c](d)")]);
        assert_eq!(links("a\n\n[b](c)")[0].line, 3);
    }

    #[test]
    fn anchors_are_those_of_headings() {
        let text =
            "# In C, and C++\n## `a_b` -- c\n```\n# no\n```\n# One\n# One\n# One more\n# One\n";
        let expected = [
            "in-c-and-c",
            "a_b----c",
            "one",
            "one-1",
            "one-more",
            "one-2",
        ];
        assert_eq!(anchors(text), expected);
    }
}
