//! C++ as text, line by line: indented, wrapped, and without the definitions that nobody uses.
//!
//! Whoever prints a part defines what the part may need; [`Source::into_text`] then leaves out every definition whose name
//! no later line has. So no part has to know what the others use.

use std::collections::HashSet;

/// Lines longer than this are broken where they can be.
const WIDTH: usize = 118;
const INDENT: &str = "  ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A line, or several that belong together.
    Lines,
    /// The head of a scope, which ends in a brace.
    Open,
    /// The end of a scope.
    Close,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    /// What it defines.
    name: Option<String>,
    text: String,
}

/// The text under construction.
#[derive(Debug, Default)]
pub(super) struct Source {
    items: Vec<Item>,
    depth: usize,
}

impl Source {
    fn push(&mut self, kind: Kind, name: Option<&str>, text: &str) {
        let lines = text.trim_matches('\n').lines();
        let lines: Vec<String> = lines
            .map(|line| match line.is_empty() || line.starts_with('#') {
                // Directives stand in the first column.
                true => line.to_owned(),
                false => wrapped(&INDENT.repeat(self.depth), line),
            })
            .collect();
        self.items.push(Item {
            kind,
            name: name.map(str::to_owned),
            text: lines.join("\n"),
        });
    }

    /// Appends lines.
    pub(super) fn lines(&mut self, text: impl AsRef<str>) {
        self.push(Kind::Lines, None, text.as_ref());
    }

    /// Appends the definition of `name`.
    pub(super) fn define(&mut self, name: &str, text: impl AsRef<str>) {
        self.push(Kind::Lines, Some(name), text.as_ref());
    }

    /// Appends an empty line. Several in a row are one.
    pub(super) fn blank(&mut self) {
        self.push(Kind::Lines, None, "");
    }

    /// Begins a scope; one in which nothing remains is left out.
    pub(super) fn open(&mut self, head: impl AsRef<str>) {
        let head = format!("{} {{", head.as_ref());
        self.push(Kind::Open, None, head.trim_start());
        self.depth += 1;
    }

    /// Ends the innermost scope.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.push(Kind::Close, None, "}");
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        let mut used: HashSet<String> = HashSet::new();
        let mut kept: Vec<Item> = Vec::new();
        for item in self.items.into_iter().rev() {
            if item.name.as_ref().is_some_and(|name| !used.contains(name)) {
                continue;
            }
            used.extend(words(&item.text).map(str::to_owned));
            let ends_empty_scope = kept.last().is_some_and(|next| next.kind == Kind::Close);
            match item.kind {
                Kind::Open if ends_empty_scope => {
                    kept.pop();
                }
                _ => kept.push(item),
            }
        }
        let mut text = String::new();
        let mut after = Kind::Open;
        let mut gap = false;
        for item in kept.into_iter().rev() {
            if item.text.is_empty() {
                gap = true;
                continue;
            }
            if gap && after != Kind::Open && item.kind != Kind::Close {
                text.push('\n');
            }
            text += &item.text;
            text.push('\n');
            (after, gap) = (item.kind, false);
        }
        aligned(&text)
    }
}

/// The text with the comments behind neighbouring lines below each other.
fn aligned(text: &str) -> String {
    let code = |line: &str| {
        line.find("  // ")
            .filter(|&place| !line[..place].trim().is_empty())
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut aligned = String::new();
    for group in lines.chunk_by(|a, b| code(a).is_some() && code(b).is_some()) {
        let widest = group.iter().filter_map(|line| code(line)).max();
        for line in group {
            match code(line) {
                Some(place) => {
                    let width = widest.unwrap_or(place);
                    aligned += &format!("{:width$}{}\n", &line[..place], &line[place..]);
                }
                None => aligned += &format!("{line}\n"),
            }
        }
    }
    aligned
}

/// The words of C++, comments left out; `dim1::size` is one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')))
        .filter(|word| !word.is_empty())
}

/// The line behind `indent`, broken after operators, or of a comment between words, so that it is not too long.
fn wrapped(indent: &str, line: &str) -> String {
    let (separators, continuation): (&[&str], String) = match line.starts_with("//") {
        true => (&[" "], format!("{indent}// ")),
        false => (&[" + ", " && "], format!("{indent}    ")),
    };
    let mut text = format!("{indent}{line}");
    let mut start = 0;
    while text.len() - start > WIDTH {
        let least = start + continuation.len() + 1;
        let fits = text.get(least..start + WIDTH);
        let place = separators
            .iter()
            .filter_map(|separator| {
                let place = fits?.rfind(separator)?;
                Some(least + place + separator.len())
            })
            .max();
        let Some(place) = place else { break };
        let rest = text.split_off(place);
        text.truncate(text.trim_end().len());
        text.push('\n');
        start = text.len();
        text += &continuation;
        text += &rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(print: impl FnOnce(&mut Source), expected: &str) {
        let mut source = Source::default();
        print(&mut source);
        assert_eq!(source.into_text(), expected);
    }

    #[test]
    fn what_nobody_uses_is_left_out_with_its_scope() {
        check(
            |source| {
                source.open("namespace a");
                source.define("a::x", "int x = 1;");
                source.close();
                source.blank();
                source.open("namespace b");
                source.define("b::y", "int y = 1;");
                source.define("b::z", "int z = y;  // not a::x");
                source.close();
                source.blank();
                source.define("once", "int once = b::y;");
                source.define("twice", "int twice = once;");
                source.lines("return once;");
            },
            "namespace b {\n  int y = 1;\n}\n\nint once = b::y;\nreturn once;\n",
        );
    }

    #[test]
    fn long_lines_are_broken() {
        let sum = ["a_long_term"; 12].join(" + ");
        let mut lines = wrapped("  ", &sum);
        assert!(lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        lines = lines.replace("\n     ", "");
        assert_eq!(lines, format!("  {sum}"));
        let name = "a".repeat(200);
        assert_eq!(wrapped("", &name), name);
    }
}
