//! What an operation refers to and is not part of it: values, and maps and attributes that have a name.

use std::collections::HashMap;

use super::header::{Traits, attributes};
use super::map::{Iterators, MapCache, Maps};
use crate::comparator::{ComparatorError, Cursor, MlirToken, Scopes};

/// What an operation may refer to.
#[derive(Default)]
pub(super) struct OperationContext<'a> {
    /// The values that are defined before it.
    pub(super) scopes: Scopes<'a>,
    /// The maps that have a name, `#map`.
    pub(super) maps: Maps<'a>,
    /// The attributes of whole operations that have one.
    pub(super) traits: Traits<'a>,
    /// The maps that were read.
    pub(super) read: MapCache,
    /// The lists of iterators that were.
    pub(super) iterators: HashMap<usize, Result<Iterators, ComparatorError>>,
}

impl<'a> OperationContext<'a> {
    /// Takes in what has a name, behind `#`: `map = affine_map<…>` or `trait = {…}`.
    pub(super) fn alias(&mut self, cursor: &mut Cursor<'a>) -> Result<(), ComparatorError> {
        let mut ahead = *cursor;
        let MlirToken::Word(name) = ahead.next() else {
            return Ok(());
        };
        if !ahead.accept("=") {
            return Ok(());
        }
        match ahead.peek() {
            MlirToken::Word("affine_map") => {
                self.maps.insert(name, ahead);
            }
            MlirToken::Symbol("{") => {
                let attributes = attributes(&mut ahead)?;
                self.traits.insert(name, attributes);
                *cursor = ahead;
            }
            _ => {}
        }
        Ok(())
    }
}
