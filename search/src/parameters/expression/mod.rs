//! Expressions over parameters, in the Python subset of T1 files.
//!
//! The grammar has comparison chains, `and`, `or`, `not`, `in`, `+ - * / // % **`, parentheses,
//! numbers, texts and booleans. Lists of constants may also be ranges and comprehensions. The
//! meaning is Python's, with 64-bit integers. A parser makes code for a stack machine, so that
//! neither nesting nor length causes deep recursion.
//!
//! An expression that fails to evaluate (a division by zero, an integer beyond 64 bits) counts as
//! false. The result then does not depend on the order of conditions.

mod evaluation;
mod list;
mod parser;
mod token;

pub use evaluation::{Expression, ExpressionStack};
pub(super) use list::parse_list;

use std::fmt;

use super::{MAX_VALUES, Parameter};

impl Expression {
    /// Parses a condition over `parameters`.
    ///
    /// # Errors
    ///
    /// The first fault, with its position.
    pub fn parse(text: &str, parameters: &[Parameter]) -> Result<Expression, ExpressionError> {
        parser::parse(text, parameters)
    }
}

/// A fault of an expression's text.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpressionError {
    text: String,
    /// The position of the fault in characters, from 0.
    position: usize,
    message: String,
}

impl ExpressionError {
    /// Creates an error at a byte position of the text.
    fn new(text: &str, byte: usize, message: impl Into<String>) -> ExpressionError {
        // Tokens have byte positions, but the caret counts characters.
        let before = text.get(..byte).unwrap_or(text);
        ExpressionError {
            text: text.to_owned(),
            position: before.chars().count(),
            message: message.into(),
        }
    }

    /// Returns the position of the fault in characters, from 0.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl std::error::Error for ExpressionError {}

/// Characters of the text before and behind the fault that an error shows.
const SHOWN: usize = 40;

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.position.saturating_sub(SHOWN);
        // A line break or a tab would move the caret.
        let part = self.text.chars().skip(first).take(2 * SHOWN);
        let part: String = part.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let caret = " ".repeat(self.position - first) + "^";
        let (place, message) = (self.position + 1, &self.message);
        write!(f, "character {place}: {message}\n  {part}\n  {caret}")
    }
}

#[cfg(test)]
mod tests;
