//! A row operation as an expression.

use super::node::Id;
use crate::Problem;
use crate::reduction::RowOperation;

/// An operation that a chain may be, with its operands and numbers chosen, in the expressions of the chain.
pub(super) struct Candidate {
    pub(super) operation: RowOperation,
    pub(super) problem: Problem,
    /// The names of the inputs, as the operation has them, and what they are here.
    pub(super) inputs: Vec<(&'static str, Id)>,
    /// The outputs.
    pub(super) outputs: Vec<Id>,
}
