//! Which values are defined where an operation stands.
//!
//! It knows brackets and equals signs, and no operation but `arith.constant`.

use std::collections::HashMap;

use super::cursor::{Cursor, MlirToken};

/// The values that can be seen from a place: those defined within each bracket that is open. Of each the place behind the
/// equals sign, where the operation that gives it begins.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
    /// Of each name the definitions that are in scope, the innermost last.
    definitions: HashMap<&'a str, Vec<Cursor<'a>>>,
    /// The names of these definitions, in the order in which they stand in the text.
    names: Vec<&'a str>,
    /// For each bracket that is open, how many of these there were before.
    open: Vec<usize>,
}

impl<'a> Scopes<'a> {
    /// Takes in the value of this name, if it is one that is defined where `cursor` goes on: `= …`, or `:2 = …` where the name is that
    /// of several. Gives whether it is.
    pub(crate) fn define(&mut self, name: &'a str, mut cursor: Cursor<'a>) -> bool {
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
        let Some(before) = self.open.pop() else {
            return;
        };
        for name in self.names.drain(before..) {
            if let Some(definitions) = self.definitions.get_mut(name) {
                definitions.pop();
            }
        }
    }

    /// Where the operation begins that gives this value.
    pub(crate) fn find(&self, name: &str) -> Option<Cursor<'a>> {
        self.definitions.get(name)?.last().copied()
    }

    /// Where the literal of this value stands, if it is a constant.
    pub(crate) fn constant(&self, name: &str) -> Option<Cursor<'a>> {
        let mut cursor = self.find(name)?;
        match cursor.next() {
            MlirToken::Word("arith.constant") => Some(cursor),
            MlirToken::Quoted("arith.constant") => {
                let generic = ["(", ")", "<", "{", "value", "="];
                let is_so = generic.into_iter().all(|it| cursor.accept(it));
                is_so.then_some(cursor)
            }
            _ => None,
        }
    }
}
