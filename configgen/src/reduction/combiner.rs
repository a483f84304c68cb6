//! Combiners: the ways in which a fold combines the elements of a row.

use super::{ArgCompare, Fold, Tensor};
use crate::comparator::ScalarType;

/// The combination of a row's elements in a fold.
#[derive(Debug, Clone, PartialEq)]
pub enum Combiner {
    /// Combines two values to another one, as a sum does.
    Pairwise(Fold),
    /// Keeps one of two elements, and its index.
    Comparison(ArgCompare),
}

impl From<Fold> for Combiner {
    fn from(fold: Fold) -> Combiner {
        Combiner::Pairwise(fold)
    }
}

impl From<ArgCompare> for Combiner {
    fn from(arg_compare: ArgCompare) -> Combiner {
        Combiner::Comparison(arg_compare)
    }
}

impl Combiner {
    /// Returns the combination of two values, unless elements are compared.
    pub fn pairwise(&self) -> Option<&Fold> {
        match self {
            Combiner::Pairwise(fold) => Some(fold),
            Combiner::Comparison(_) => None,
        }
    }

    /// Returns the comparison of elements, if they are compared.
    pub fn comparison(&self) -> Option<&ArgCompare> {
        match self {
            Combiner::Pairwise(_) => None,
            Combiner::Comparison(arg_compare) => Some(arg_compare),
        }
    }

    /// Returns the type of the folded elements.
    pub(super) fn element(&self) -> ScalarType {
        match self {
            Combiner::Pairwise(fold) => fold.element().into(),
            Combiner::Comparison(arg_compare) => arg_compare.comparator.element(),
        }
    }

    /// Returns the results of a row, if they are outputs.
    pub(super) fn results(&self) -> Vec<Tensor> {
        match self {
            Combiner::Pairwise(fold) => vec![fold.output()],
            Combiner::Comparison(arg_compare) => arg_compare.outputs().into(),
        }
    }

    /// Returns the operand that has an element for a row's result to select, if there is one.
    pub(super) fn selected(&self) -> Option<Tensor> {
        self.comparison().and_then(ArgCompare::explicit_indices)
    }

    /// Returns the number of 32-bit registers of a lane's state, without that of a position.
    pub(super) fn words(&self) -> u32 {
        let bits = match self {
            Combiner::Pairwise(fold) => fold.accumulator().bits(),
            Combiner::Comparison(_) => self.element().bits(),
        };
        bits.div_ceil(32)
    }

    /// Returns the operations of a combination on the host.
    pub(super) fn operations(&self) -> u64 {
        match self {
            Combiner::Pairwise(_) => 1,
            Combiner::Comparison(it) => it.comparator.region().operations().len() as u64,
        }
    }
}
