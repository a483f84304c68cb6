//! The context of an operation: the values, maps and attributes that it refers to by name.

use std::collections::HashMap;

use super::header::{Traits, attributes};
use super::map::{Iterators, MapCache, Maps};
use crate::comparator::{ComparatorError, Cursor, MlirToken, Scopes};

/// The named parts of a module that an operation may refer to.
#[derive(Default)]
pub(super) struct OperationContext<'a> {
    /// The values that are defined before it.
    pub(super) scopes: Scopes<'a>,
    /// The positions of the maps by their alias, `#map`.
    pub(super) maps: Maps<'a>,
    /// The attributes of whole operations by their alias.
    pub(super) traits: Traits<'a>,
    /// The parsed maps.
    pub(super) read: MapCache,
    /// The parsed lists of iterators, by position.
    pub(super) iterators: HashMap<usize, Result<Iterators, ComparatorError>>,
}

impl<'a> OperationContext<'a> {
    /// Records a definition behind `#`: `map = affine_map<…>` or `trait = {…}`.
    pub(super) fn alias(&mut self, cursor: &mut Cursor<'a>) -> Result<(), ComparatorError> {
        let mut ahead = *cursor;
        let MlirToken::Word(name) = ahead.next() else {
            return Ok(());
        };
        if !ahead.accept("=") {
            return Ok(());
        }
        // A map is parsed at its use, because its rank is known only there.
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
