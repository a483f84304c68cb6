//! Combiners: what a reduction keeps (its state) and how two states become one.
//!
//! The distribution over workgroups, subgroups, lanes and steps knows a reduction by its combiner; what is special about
//! one, such as that the winner of a comparison can be found by ballot, is its own affair ([`super::lower`]'s `lanes`).
//! A *slot* is the state that a lane accumulates in the loop: it may be narrower than the state that is exchanged between
//! lanes, and positions in it are relative. [`ArgCompare`] is the combiner of every comparator.
//!
//! Loads at the end of a row may read an element twice, so a combiner must be idempotent (`combine(a, a) = a`). Of a
//! comparator that orders nothing (rule N1) no two states are combined, and the last step leaves out what was taken
//! before.
//!
//! [`region`] has the operations of comparators that are more than one comparison, [`register`] the elements in registers.
//! This module knows nothing of distribution.

mod arg_compare;
mod form;
mod keys;
pub(crate) mod region;
pub(crate) mod register;

pub(crate) use arg_compare::ArgCompare;
pub(crate) use form::Form;

use super::ir::Value;

/// The values of a state or a slot, one per scalar.
pub(crate) type State = Vec<Value>;

/// One element for one slot.
pub(crate) struct Accumulation<'a> {
    /// The slot, which is replaced.
    pub(crate) slot: &'a mut State,
    /// A value of the first scalar's type.
    pub(crate) element: Value,
    /// Its relative position, of type [`ArgCompare::position`].
    pub(crate) position: Value,
}

/// What is to be stored of a state.
pub(crate) struct Finished {
    /// Whether (i1) anything was taken from the input.
    pub(crate) won: Value,
    /// The value as it lies in memory.
    pub(crate) value: Value,
    /// Where in the row it was found, of type [`ArgCompare::position`]; anything where nothing was taken.
    pub(crate) position: Value,
}
