//! Combiners: what a reduction keeps (its state) and how two states become one.
//!
//! The distribution over workgroups, subgroups, lanes and steps is written for any [`Combiner`]; what is special about
//! one, such as that the winner of a comparison can be found by ballot, is its own affair ([`super::emit`]'s `lanes`).
//! A *slot* is the state that a lane accumulates in the loop: it may be narrower than the state that is exchanged between
//! lanes, and positions in it are relative. [`ArgCompare`] is the combiner of every comparator.
//!
//! This module knows nothing of distribution.

mod arg_compare;
mod keys;

pub(crate) use arg_compare::select;
pub use arg_compare::{ArgCompare, Test};

use super::ir::{Ir, Value};
use super::scalar::Scalar;

/// The values of a state or a slot, one per scalar.
pub(crate) type State = Vec<Value>;

/// One element for one slot.
pub(crate) struct Accumulation<'a> {
    /// The slot, which is replaced.
    pub(crate) slot: &'a mut State,
    /// A value of the first scalar's type.
    pub(crate) element: &'a Value,
    /// Its relative position, of type [`Combiner::position`].
    pub(crate) position: &'a Value,
}

/// What is to be stored of a state.
pub(crate) struct Finished {
    /// Whether (i1) anything was taken from the input.
    pub(crate) won: Value,
    /// The value as it lies in memory.
    pub(crate) value: Stored,
    /// Where in the row it was found, of type [`Combiner::position`]; anything where nothing was taken.
    pub(crate) position: Value,
}

/// A value as it lies in memory.
pub(crate) struct Stored {
    /// LLVM's name of its type.
    pub(crate) kind: &'static str,
    pub(crate) bytes: u32,
    pub(crate) value: Value,
}

/// A reduction.
///
/// Loads at the end of a row may read an element twice, so a combiner must be idempotent (`combine(a, a) = a`); one
/// that is not (a sum) needs masked loads, which do not exist yet. Of a comparator that orders nothing (rule N1) no two
/// states are combined, and the last step leaves out what was taken before.
pub(crate) trait Combiner {
    /// The scalars of a slot.
    fn slot(&self) -> Vec<Scalar>;
    /// The type of positions.
    fn position(&self) -> Scalar;
    /// The slot before the first element; `value` is the row's initial one where it has one.
    fn initial(&self, value: Option<&Value>) -> State;
    /// Some slots, each after one more element. Several at once, so that what is independent can stand side by side.
    fn accumulate(&self, ir: &mut Ir, steps: &mut [Accumulation<'_>]);
    /// The scalars of a state.
    fn state(&self) -> Vec<Scalar>;
    /// The state that a slot stands for, its positions moved by `distance`.
    fn settle(&self, ir: &mut Ir, slot: &[Value], distance: u64) -> State;
    /// `state` with its positions moved by `distance`, of type [`Combiner::position`].
    fn displace(&self, ir: &mut Ir, state: &[Value], distance: &Value) -> State;
    /// Two states in one, whichever comes first.
    fn combine(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> State;
    /// What is to be stored.
    fn finish(&self, ir: &mut Ir, state: &[Value]) -> Finished;

    /// 32-bit words of a state.
    fn words(&self) -> u32 {
        self.state().into_iter().map(Scalar::words).sum()
    }

    /// Bytes of a state in LDS: a power of two, so that it is read at once.
    fn partial_bytes(&self) -> u32 {
        self.words().next_power_of_two() * 4
    }
}
