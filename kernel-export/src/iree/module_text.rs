//! MLIR as iree-compile prints it: functions, their operations by the names of what they define, and tokens.
//!
//! What is printed has an operation a line, but for those with regions. Whatever else stands in a text is passed over.

use std::collections::HashMap;

/// Operations that are read with their regions; of any other the first line is, and what is in it stands for itself.
const WITH_REGIONS: [&str; 2] = ["linalg.generic", "iree_linalg_ext.arg_compare"];

/// An operation with results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'a> {
    /// From its name on.
    pub(super) text: &'a str,
}

impl<'a> Statement<'a> {
    /// Its name.
    pub(super) fn name(&self) -> &'a str {
        let end = self
            .text
            .find(|c: char| c.is_whitespace() || "({<".contains(c));
        &self.text[..end.unwrap_or(self.text.len())]
    }
}

/// Operations that know each other's results.
#[derive(Debug, Default)]
pub(super) struct Function<'a> {
    /// Whether it initializes globals, and is none that is called.
    pub(super) is_initializer: bool,
    pub(super) statements: Vec<Statement<'a>>,
    /// The operation that defines a value, by the value's name without `%`.
    definitions: HashMap<&'a str, usize>,
}

impl<'a> Function<'a> {
    /// What defines a value.
    pub(super) fn definition(&self, name: &str) -> Option<Statement<'a>> {
        self.definitions.get(name).map(|&at| self.statements[at])
    }
}

const INITIALIZER: &str = "util.initializer";

/// Whether a line begins an operation in whose regions names are other values: one that has a symbol, such as a function, or an
/// initializer.
fn opens_scope(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    let symbol = words.find(|word| !matches!(*word, "public" | "private" | "nested"));
    let has_symbol = symbol.is_some_and(|word| word.starts_with('@'));
    line.ends_with('{') && !line.starts_with('%') && (has_symbol || line.starts_with(INITIALIZER))
}

/// The functions of a text, and what else has a scope.
pub(super) fn functions(text: &str) -> Vec<Function<'_>> {
    let mut functions = vec![Function::default()];
    let mut rest = text;
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest[..line_end].trim();
        if opens_scope(line) {
            functions.push(Function {
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
        for name in defined.split(',') {
            let name = name.trim().trim_start_matches('%');
            let name = name.split(':').next().unwrap_or(name);
            function.definitions.insert(name, at);
        }
        function.statements.push(Statement {
            text: rest[begin..end].trim(),
        });
        rest = &rest[end..];
    }
    functions
}

/// Where the line ends at whose end all brackets are closed; the text's end where that is never so.
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
            // An arrow closes nothing.
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '\n' if depth == 0 => return at + 1,
            _ => {}
        }
        before = c;
    }
    text.len()
}

/// A part of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementToken<'a> {
    /// `%name#number`: the name, and what stands after it.
    Value(&'a str, &'a str),
    Other(&'a str),
}

/// The tokens of an operation.
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
