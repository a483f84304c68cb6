//! The nodes of expressions.

use crate::comparator::{Opcode, ScalarType};
use crate::reduction::Combining;

/// The number of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub(super) u32);

/// The operation of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// An element of an input.
    Input(usize),
    /// The bits of a number, with its type.
    Constant(u64, ScalarType),
    /// A number, as bits of an f64, times factors, each to a power in halves.
    ///
    /// A factor may occur with a positive and with a negative power, because 0 / 0 is not 1.
    Product(u64, Vec<(Id, i32)>),
    /// A sum, with its operands in ascending order.
    Sum(Id, Id),
    /// A difference.
    Difference(Id, Id),
    /// An operation of one value, with the type of its result.
    Function(Opcode, Id, ScalarType),
    /// The fold of an expression over axes, with the bits of its initial value.
    Fold(Combining, u64, Id, u64),
    /// An unknown operation: a number for its place in the text, and its operands.
    Other(usize, Vec<Id>),
}

/// Returns the operands of a node.
pub(super) fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::Input(_) | Node::Constant(..) => Vec::new(),
        Node::Product(_, factors) => factors.iter().map(|it| it.0).collect(),
        &Node::Sum(x, y) | &Node::Difference(x, y) => vec![x, y],
        &Node::Function(_, x, _) | &Node::Fold(_, _, x, _) => vec![x],
        Node::Other(_, operands) => operands.clone(),
    }
}
