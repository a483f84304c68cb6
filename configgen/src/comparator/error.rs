//! Errors of comparator texts, with their positions.

/// A fault in a comparator's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("comparator, line {line}, column {column}: {message}")]
pub struct ComparatorError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
    /// The fault there, and the expected text.
    pub message: String,
}

impl ComparatorError {
    /// Creates an error at this byte of a text.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        // The offset may be in the middle of a character, for which slicing would panic.
        let before = &text[..text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ComparatorError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}
