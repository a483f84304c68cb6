//! Scopes: the values that an operation can refer to.
//!
//! The module knows brackets, equals signs and `arith.constant`, but no other operation.

use std::collections::HashMap;

use super::cursor::{Cursor, MlirToken};

/// The visible values: those defined in the open brackets.
///
/// Each has the position behind its equals sign, at which its operation begins.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
    /// The visible definitions of each name, the innermost last.
    definitions: HashMap<&'a str, Vec<Cursor<'a>>>,
    /// The names of these definitions, in the order of the text.
    names: Vec<&'a str>,
    /// For each open bracket, the number of definitions before it.
    open: Vec<usize>,
}

impl<'a> Scopes<'a> {
    /// Records a value that is defined at `cursor`, and returns whether it is.
    ///
    /// A definition continues with `= …`, or with `:2 = …` for several results.
    pub(crate) fn define(&mut self, name: &'a str, mut cursor: Cursor<'a>) -> bool {
        // A definition of several results has their number between the name and the equals sign.
        let mut ahead = cursor;
        if ahead.accept(":") && matches!(ahead.next(), MlirToken::Number(_)) {
            cursor = ahead;
        }
        if !cursor.accept("=") {
            return false;
        }
        self.definitions.entry(name).or_default().push(cursor);
        self.names.push(name);
        true
    }

    pub(crate) fn open(&mut self) {
        self.open.push(self.names.len());
    }

    pub(crate) fn close(&mut self) {
        // A closing bracket without an opening one may occur in text that is not understood.
        let Some(before) = self.open.pop() else {
            return;
        };
        for name in self.names.drain(before..) {
            if let Some(definitions) = self.definitions.get_mut(name) {
                definitions.pop();
            }
        }
    }

    /// Returns the position of the operation that defines this value.
    pub(crate) fn find(&self, name: &str) -> Option<Cursor<'a>> {
        self.definitions.get(name)?.last().copied()
    }

    /// Returns the position of this value's literal, if it is a constant.
    pub(crate) fn constant(&self, name: &str) -> Option<Cursor<'a>> {
        let mut cursor = self.find(name)?;
        match cursor.next() {
            MlirToken::Word("arith.constant") => Some(cursor),
            MlirToken::Quoted("arith.constant") => {
                let is_so = cursor.accept_all(&["(", ")", "<", "{", "value", "="]);
                is_so.then_some(cursor)
            }
            _ => None,
        }
    }
}
