//! Types of tensors, with open sizes.

use std::fmt::{self, Display, Formatter};

use super::super::chain::step::ChainOperand;
use crate::comparator::ScalarType;
use crate::{IndexMap, Problem};

/// The type of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// The sizes, outermost first, or none for an open size.
    pub sizes: Vec<Option<u64>>,
    /// The type of the elements.
    pub element: ScalarType,
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in &self.sizes {
            match size {
                Some(size) => write!(f, "{size}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}>", self.element)
    }
}

impl Type {
    /// Returns the type of an operand.
    pub(super) fn of_operand(operand: &ChainOperand<'_>) -> Type {
        Type {
            sizes: operand.sizes.clone(),
            element: operand.element,
        }
    }

    /// Returns the type of a tensor with these dimensions of a problem.
    pub fn of(problem: &Problem, map: &IndexMap, element: ScalarType) -> Type {
        let dimensions = map.dimensions().zip(map.sizes(&problem.shape));
        let sizes = dimensions.map(|(d, size)| {
            let is_known = !problem.shape.is_counted(d);
            is_known.then_some(u64::from(size))
        });
        Type {
            sizes: sizes.collect(),
            element,
        }
    }

    /// Returns the first dimension with an open size.
    pub fn open(&self) -> Option<usize> {
        self.open_dimensions().next()
    }

    /// Returns the dimensions with an open size.
    pub fn open_dimensions(&self) -> impl Iterator<Item = usize> {
        let sizes = self.sizes.iter().enumerate();
        sizes.filter(|it| it.1.is_none()).map(|it| it.0)
    }

    /// Returns the number of outer dimensions that are one in the problem.
    ///
    /// These are the dimensions up to the last open one. The number is 1 if all others before it
    /// have size 1.
    pub fn joined(&self) -> usize {
        let last = self.open_dimensions().last().unwrap_or(0);
        match self.sizes[..last].iter().all(|it| *it == Some(1)) {
            true => 1,
            false => last + 1,
        }
    }
}
