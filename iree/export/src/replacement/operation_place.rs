//! Places of operations in a module.

use super::module_text::{Function, Statement};

/// The place of an operation in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationPlace {
    /// The name of its function. Empty outside of functions.
    pub function: String,
    /// The name of the operation, such as `linalg.generic`.
    pub operation: String,
    /// Its line in the text of the module, counted from 1.
    pub line: usize,
    /// Its place in the user's file, such as `model.mlir:12:5`, if that is known.
    pub location: Option<String>,
}

/// The lines of a module.
pub(super) struct Lines<'a> {
    text: &'a str,
    begins: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Lines<'a> {
        let ends = text.match_indices('\n').map(|it| it.0 + 1);
        Lines {
            text,
            begins: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the place of the operation at this byte.
    pub(super) fn place(&self, function: &Function<'_>, begin: usize) -> OperationPlace {
        self.place_of_line(function, self.begins.partition_point(|it| *it <= begin))
    }

    /// Returns the place of the operation in this line, counted from 1.
    pub(super) fn place_of_line(&self, function: &Function<'_>, line: usize) -> OperationPlace {
        let begin = self.begins.get(line.saturating_sub(1));
        let text = begin.map_or("", |&begin| &self.text[begin..]);
        let text = text.lines().next().unwrap_or("").trim();
        let (_, text) = text.split_once(" = ").unwrap_or(("", text));
        OperationPlace {
            function: function.name.to_owned(),
            operation: Statement { text }.name().to_owned(),
            line,
            location: None,
        }
    }
}
