//! Tokens of expressions.

use super::ExpressionError;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    Integer(i64),
    Real(f64),
    Text(String),
    Name(&'a str),
    /// An operator, a bracket or a comma.
    Sign(&'static str),
    End,
}

/// All signs; a longer one stands before its prefixes.
// "=" and "!" are no operators. As tokens, they reach the parser's better messages.
const SIGNS: [&str; 20] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",",
    "=", "!",
];

/// Returns the tokens of a text with their byte positions. The last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = if first.is_ascii_digit() || starts_fraction(rest) {
            number(text, at)?
        } else if first == '_' || first.is_ascii_alphabetic() {
            let is_end = |c: char| c != '_' && !c.is_ascii_alphanumeric();
            let length = rest.find(is_end).unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else if first == '"' || first == '\'' {
            quoted(text, at, first)?
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(ExpressionError::new(
                text,
                at,
                format!("unexpected {first:?}"),
            ));
        };
        found.push((at, token));
        at += length;
    }
    found.push((text.len(), Token::End));
    Ok(found)
}

fn starts_fraction(rest: &str) -> bool {
    let mut characters = rest.chars();
    characters.next() == Some('.') && characters.next().is_some_and(|c| c.is_ascii_digit())
}

fn number(text: &str, at: usize) -> Result<(Token<'_>, usize), ExpressionError> {
    let rest = &text[at..];
    let mut before = ' ';
    let is_part = |c: char| {
        let is_exponent_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        before = c;
        // Takes the whole of "12ab" or "1_000", so that the error shows all of it.
        c.is_ascii_alphanumeric() || c == '.' || c == '_' || is_exponent_sign
    };
    let length = rest.len() - rest.trim_start_matches(is_part).len();
    let word = &rest[..length];
    let token = match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => word.parse().ok().map(Token::Integer),
        false => {
            // Rust also reads "inf" and "nan", which begin with no digit.
            let real = word.parse::<f64>().ok().filter(|real| real.is_finite());
            real.map(Token::Real)
        }
    };
    let message = || format!("{word} is no number of 64 bits");
    let token = token.ok_or_else(|| ExpressionError::new(text, at, message()))?;
    Ok((token, length))
}

fn quoted(text: &str, at: usize, quote: char) -> Result<(Token<'_>, usize), ExpressionError> {
    let mut content = String::new();
    let mut characters = text[at + 1..].char_indices();
    while let Some((offset, c)) = characters.next() {
        match c {
            _ if c == quote => return Ok((Token::Text(content), offset + 2)),
            '\\' => match characters.next() {
                // Python's other escapes, such as "\n", name other characters.
                Some((_, escaped @ ('\\' | '\'' | '"'))) => content.push(escaped),
                _ => {
                    let message = "a backslash stands only before a quote or a backslash";
                    return Err(ExpressionError::new(text, at + 1 + offset, message));
                }
            },
            _ => content.push(c),
        }
    }
    Err(ExpressionError::new(
        text,
        at,
        "the text has no closing quote",
    ))
}
