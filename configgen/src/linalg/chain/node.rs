//! The parts of expressions.

use crate::comparator::{Opcode, ScalarType};
use crate::reduction::Combining;

/// An expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub(super) u32);

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// An element of an input.
    Input(usize),
    /// The bits of a number of a type.
    Constant(u64, ScalarType),
    /// A number, the bits of an f64, times factors: each to a power, counted in halves. One factor may be there with a positive and with a
    /// negative power, for 0 / 0 is not 1.
    Product(u64, Vec<(Id, i32)>),
    /// A sum; the operands are in ascending order.
    Sum(Id, Id),
    /// A difference.
    Difference(Id, Id),
    /// An operation of one value, with the type of its result.
    Function(Opcode, Id, ScalarType),
    /// The fold of an expression over axes, from these bits on.
    Fold(Combining, u64, Id, u64),
    /// What is nothing of this: a number for each place in the text, and what it is computed of.
    Other(usize, Vec<Id>),
}

/// What a node is computed of.
pub(super) fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::Input(_) | Node::Constant(..) => Vec::new(),
        Node::Product(_, factors) => factors.iter().map(|it| it.0).collect(),
        &Node::Sum(x, y) | &Node::Difference(x, y) => vec![x, y],
        &Node::Function(_, x, _) | &Node::Fold(_, _, x, _) => vec![x],
        Node::Other(_, operands) => operands.clone(),
    }
}
