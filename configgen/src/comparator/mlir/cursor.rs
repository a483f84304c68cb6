//! The tokens of MLIR, one at a time. Every text has tokens to its end: anything else is a
//! symbol.

use super::super::error::ComparatorError;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MlirToken<'a> {
    /// `%name` or `%name#1`, without the percent sign.
    Value(&'a str),
    /// `^name`.
    Label(&'a str),
    /// A keyword or a name with dots.
    Word(&'a str),
    /// A number without sign.
    Number(&'a str),
    /// The text between quotes, with its escapes.
    Quoted(&'a str),
    /// `->`, a single character, or a line from an unmatched quote on.
    Symbol(&'a str),
    End,
}

impl MlirToken<'_> {
    /// Returns the token as messages show it.
    fn shown(self) -> String {
        let cut = |text: &str| text.chars().take(40).collect::<String>();
        match self {
            Self::Value(name) => format!("\"%{}\"", cut(name)),
            Self::Label(name) => format!("\"^{}\"", cut(name)),
            Self::Word(text) | Self::Number(text) => format!("{:?}", cut(text)),
            Self::Symbol(text) => format!("{:?}", cut(text)),
            Self::Quoted(text) => format!("the string {:?}", cut(text)),
            Self::End => "the end of the text".to_string(),
        }
    }
}

/// A position in a text. Reading a token moves it behind the token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Cursor { text, offset: 0 }
    }

    /// Returns the cursor at another position.
    pub(crate) fn at(self, offset: usize) -> Self {
        Cursor { offset, ..self }
    }

    /// Returns the cursor in a text that ends at `end`, a position behind it.
    pub(crate) fn until(self, end: usize) -> Self {
        Cursor {
            text: &self.text[..end],
            ..self
        }
    }

    /// Returns the byte offset of the next token.
    pub(crate) fn offset(&self) -> usize {
        let mut rest = &self.text[self.offset..];
        loop {
            rest = rest.trim_start();
            if !rest.starts_with("//") {
                return self.text.len() - rest.len();
            }
            rest = rest.find('\n').map_or("", |newline| &rest[newline..]);
        }
    }

    pub(crate) fn next(&mut self) -> MlirToken<'a> {
        let start = self.offset();
        let (token, length) = token(&self.text[start..]);
        self.offset = start + length;
        token
    }

    pub(crate) fn peek(&self) -> MlirToken<'a> {
        { *self }.next()
    }

    /// Reads this symbol or word if it is next, and returns whether it was.
    pub(crate) fn accept(&mut self, expected: &str) -> bool {
        let mut ahead = *self;
        // A quoted string is never a keyword.
        let found = matches!(ahead.next(), MlirToken::Symbol(text) | MlirToken::Word(text) if text == expected);
        if found {
            *self = ahead;
        }
        found
    }

    /// Reads these symbols and words up to the first that is not next, and returns whether all
    /// were.
    pub(crate) fn accept_all(&mut self, expected: &[&str]) -> bool {
        expected.iter().all(|it| self.accept(it))
    }

    /// Reads this symbol or word, which must be next.
    pub(crate) fn expect(&mut self, expected: &str, place: &str) -> Result<(), ComparatorError> {
        match self.accept(expected) {
            true => Ok(()),
            false => Err(self.expected(format_args!("{expected:?} {place}"))),
        }
    }

    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, ComparatorError> {
        let mut ahead = *self;
        match ahead.next() {
            MlirToken::Word(word) => {
                *self = ahead;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Returns the text up to the `>` that closes an opened `<`, without it.
    pub(crate) fn angled(&mut self) -> Result<&'a str, ComparatorError> {
        let start = self.offset;
        let mut depth = 1;
        loop {
            let place = self.offset();
            match self.next() {
                MlirToken::Symbol("<") => depth += 1,
                MlirToken::Symbol(">") => depth -= 1,
                MlirToken::End => return Err(self.at(start).error("\"<\" without its \">\"")),
                _ => {}
            }
            if depth == 0 {
                return Ok(&self.text[start..place]);
            }
        }
    }

    /// Skips to behind the bracket that closes the next one.
    pub(crate) fn skip_brackets(&mut self) -> Result<(), ComparatorError> {
        let start = *self;
        if !matches!(self.peek(), MlirToken::Symbol("(" | "[" | "{" | "<")) {
            return Err(self.expected("an opening bracket"));
        }
        let mut depth = 0usize;
        loop {
            match self.next() {
                MlirToken::Symbol("(" | "[" | "{" | "<") => depth += 1,
                MlirToken::Symbol(")" | "]" | "}" | ">") => depth = depth.saturating_sub(1),
                MlirToken::End => return Err(start.error("a bracket that is never closed")),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Returns the error that something else is expected next.
    pub(crate) fn expected(&self, what: impl std::fmt::Display) -> ComparatorError {
        self.error(format!("expected {what}, found {}", self.peek().shown()))
    }

    /// Returns an error at the next token.
    pub(crate) fn error(&self, message: impl Into<String>) -> ComparatorError {
        ComparatorError::at(self.text, self.offset(), message)
    }
}

/// Returns the first token of a text without leading space, and its length in bytes.
fn token(text: &str) -> (MlirToken<'_>, usize) {
    let Some(first) = text.chars().next() else {
        return (MlirToken::End, 0);
    };
    let run = |from: usize, part: fn(char) -> bool| {
        let rest = &text[from..];
        from + rest.find(|c| !part(c)).unwrap_or(rest.len())
    };
    let in_name: fn(char) -> bool =
        |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    let in_word: fn(char) -> bool = |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    match first {
        '%' => {
            let mut end = run(1, in_name);
            if text[end..].starts_with('#') {
                end = run(end + 1, |c| c.is_ascii_digit());
            }
            (MlirToken::Value(&text[1..end]), end)
        }
        '^' => {
            let end = run(1, in_name);
            (MlirToken::Label(&text[1..end]), end)
        }
        '"' => match closing_quote(text) {
            Some(end) => (MlirToken::Quoted(&text[1..end]), end + 1),
            // The rest of the line is one token. Otherwise, every quote in it would scan it
            // again.
            None => {
                let line = text.lines().next().unwrap_or(text);
                (MlirToken::Symbol(line), line.len())
            }
        },
        '0'..='9' => {
            let end = number(text);
            (MlirToken::Number(&text[..end]), end)
        }
        'a'..='z' | 'A'..='Z' | '_' => {
            let end = run(1, in_word);
            (MlirToken::Word(&text[..end]), end)
        }
        '-' if text.starts_with("->") => (MlirToken::Symbol("->"), 2),
        _ => (
            MlirToken::Symbol(&text[..first.len_utf8()]),
            first.len_utf8(),
        ),
    }
}

/// Returns the offset of the closing quote on the same line.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        // A string does not continue on the next line in MLIR.
        match byte {
            b'\n' => return None,
            b'"' if !escaped => return Some(place),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}

/// Returns the length of a number: decimal, hexadecimal, or with a point and an exponent.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let count = bytes[from.min(bytes.len())..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        from + count
    };
    if bytes.starts_with(b"0x") && bytes.get(2).is_some_and(u8::is_ascii_hexdigit) {
        return 2 + bytes[2..]
            .iter()
            .take_while(|b| b.is_ascii_hexdigit())
            .count();
    }
    let whole = digits(0);
    // In MLIR only a number with a point has an exponent.
    if bytes.get(whole) != Some(&b'.') {
        return whole;
    }
    let fraction = digits(whole + 1);
    if !matches!(bytes.get(fraction), Some(b'e' | b'E')) {
        return fraction;
    }
    let sign = usize::from(matches!(bytes.get(fraction + 1), Some(b'+' | b'-')));
    match digits(fraction + 1 + sign) {
        // An exponent needs digits; without them the `e` begins another token.
        end if end == fraction + 1 + sign => fraction,
        end => end,
    }
}
