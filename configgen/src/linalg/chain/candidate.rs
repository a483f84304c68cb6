//! FormCandidate row operations, as expressions.

use super::node::Id;
use crate::Problem;
use crate::reduction::RowOperation;

/// A row operation that a chain may be, with operands and numbers from the chain.
pub(super) struct FormCandidate {
    pub(super) operation: RowOperation,
    pub(super) problem: Problem,
    /// The input names of the row operation, with their expressions.
    pub(super) inputs: Vec<(&'static str, Id)>,
    /// The outputs.
    pub(super) outputs: Vec<Id>,
}
