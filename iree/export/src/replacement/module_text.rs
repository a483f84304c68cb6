//! MLIR as iree-compile prints it: functions, their operations by the names of their results, and
//! tokens.
//!
//! The printed text has one operation per line, except for those with regions. All other text is
//! skipped.

use std::collections::HashMap;

/// The operations that are read with their regions. For all others, only the first line is read,
/// and nested operations stand alone.
const WITH_REGIONS: [&str; 2] = ["linalg.generic", "iree_linalg_ext.arg_compare"];

/// An operation with results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'a> {
    /// The text from its name on.
    pub(super) text: &'a str,
}

impl<'a> Statement<'a> {
    /// Returns the operation's name.
    pub(super) fn name(&self) -> &'a str {
        let end = self
            .text
            .find(|c: char| c.is_whitespace() || "({<".contains(c));
        &self.text[..end.unwrap_or(self.text.len())]
    }
}

/// A scope of values: operations that may use each other's results.
#[derive(Debug, Default)]
pub(super) struct Function<'a> {
    /// The name of its symbol, or nothing.
    pub(super) name: &'a str,
    /// True for an initializer of globals, which nobody calls.
    pub(super) is_initializer: bool,
    pub(super) statements: Vec<Statement<'a>>,
    /// The name of each operation's first result.
    names: Vec<&'a str>,
    /// The operation that defines a value, by the value's name without `%`.
    definitions: HashMap<&'a str, usize>,
}

impl<'a> Function<'a> {
    /// Iterates over the operations, each with the name of its first result without `%`.
    pub(super) fn named_statements(&self) -> impl Iterator<Item = (&'a str, Statement<'a>)> {
        let statements = self.statements.iter().zip(&self.names);
        statements.map(|(statement, name)| (*name, *statement))
    }

    /// Returns the operation that defines a value.
    pub(super) fn definition(&self, name: &str) -> Option<Statement<'a>> {
        self.definitions.get(name).map(|&at| self.statements[at])
    }
}

const INITIALIZER: &str = "util.initializer";

/// Returns true if a line begins an operation with its own scope of names: one with a symbol,
/// such as a function, or an initializer.
fn opens_scope(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    let symbol = words.find(|word| !matches!(*word, "public" | "private" | "nested"));
    let has_symbol = symbol.is_some_and(|word| word.starts_with('@'));
    line.ends_with('{') && !line.starts_with('%') && (has_symbol || line.starts_with(INITIALIZER))
}

/// Returns the symbol of a line, without its `@`. IREE adds `$async` to the name of a user's
/// function.
fn symbol(line: &str) -> &str {
    let (_, name) = line.split_once('@').unwrap_or_default();
    let end = name.find(|c: char| !c.is_alphanumeric() && !"_.-".contains(c));
    &name[..end.unwrap_or(name.len())]
}

/// Returns the functions of a text, and all other scopes.
pub(super) fn functions(text: &str) -> Vec<Function<'_>> {
    // Operations before the first scope belong to the module itself.
    let mut functions = vec![Function::default()];
    let mut rest = text;
    // Models may have megabytes of text, so this scans lines without a parser of MLIR.
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest[..line_end].trim();
        if opens_scope(line) {
            functions.push(Function {
                name: symbol(line),
                is_initializer: line.starts_with(INITIALIZER),
                ..Function::default()
            });
        }
        let Some((defined, operation)) = line
            .starts_with('%')
            .then(|| line.split_once(" = "))
            .flatten()
        else {
            rest = &rest[line_end..];
            continue;
        };
        let begin = line_end - rest[..line_end].trim_start().len() + defined.len() + " = ".len();
        let has_regions = WITH_REGIONS.iter().any(|name| operation.starts_with(name));
        let end = match has_regions {
            true => begin + closed(&rest[begin..]),
            false => line_end,
        };
        let function = functions
            .last_mut()
            .expect("there is one from the beginning");
        let at = function.statements.len();
        // `%a:2` defines two values, `%a#0` and `%a#1`, under one name.
        for (number, name) in defined.split(',').enumerate() {
            let name = name.trim().trim_start_matches('%');
            let name = name.split(':').next().unwrap_or(name);
            function.definitions.insert(name, at);
            if number == 0 {
                function.names.push(name);
            }
        }
        function.statements.push(Statement {
            text: rest[begin..end].trim(),
        });
        rest = &rest[end..];
    }
    functions
}

/// Returns the end of the first line on which all brackets are closed, or the text's end.
fn closed(text: &str) -> usize {
    let mut depth = 0usize;
    let (mut is_quoted, mut is_escaped, mut before) = (false, false, ' ');
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow `->` closes nothing.
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '\n' if depth == 0 => return at + 1,
            _ => {}
        }
        before = c;
    }
    text.len()
}

/// A token of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementToken<'a> {
    /// The value `%name#number`: its name, and `#number` or nothing.
    Value(&'a str, &'a str),
    Other(&'a str),
}

/// Splits an operation into tokens.
pub(super) fn tokens(text: &str) -> Vec<StatementToken<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let run = |from: usize, part: fn(char) -> bool| {
            let tail = &rest[from..];
            from + tail.find(|c| !part(c)).unwrap_or(tail.len())
        };
        // A number may have an exponent: 1.000000e+02.
        let in_word: fn(char) -> bool = |c| c.is_ascii_alphanumeric() || "_.$-+".contains(c);
        let end = match first {
            '%' => {
                let name = run(1, in_word);
                let end = match rest[name..].starts_with('#') {
                    true => run(name + 1, |c| c.is_ascii_digit()),
                    false => name,
                };
                tokens.push(StatementToken::Value(&rest[1..name], &rest[name..end]));
                rest = rest[end..].trim_start();
                continue;
            }
            // Escaped quotes end a token early, which only splits it in both texts alike.
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("->") => 2,
            c if in_word(c) => run(first.len_utf8(), in_word),
            c => c.len_utf8(),
        };
        tokens.push(StatementToken::Other(&rest[..end]));
        rest = rest[end..].trim_start();
    }
    tokens
}
