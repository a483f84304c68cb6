//! The statements of a reduction: elements that whole rows use, folds and outputs.
//!
//! Each fold may use the values of earlier folds. The outputs use these values and, if they have
//! one element per input element, that element. Regions of MLIR's `arith` and `math` define all
//! computations, so builders and verifiers need no operation's name.

use super::{Combiner, Combining, Extent, Fold, Scalar, Tensor};
use crate::ElementType;
use crate::comparator::Region;

/// An element that a whole row uses, such as its label or the element at its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowElement {
    /// The number of the input. The problem's own is 0.
    pub input: usize,
    /// The position in the row, an i32 or i64 with a sign. Its arguments are the row's elements
    /// before this one. At a position outside of the row the element is 0. Without a position,
    /// the input has one element for the row.
    pub position: Option<Region>,
}

/// One fold of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFold {
    /// The combiner of the folded values.
    pub combiner: Combiner,
    /// The folded value. Its arguments are an element of each input, its indices, the row's
    /// elements and the earlier folds' values.
    ///
    /// The problem's own input is the first; a function of the problem computes its elements.
    pub element: Region,
    /// The value of the row. Its arguments are the fold's result, the row's elements and the
    /// earlier folds' values.
    ///
    /// The index that a comparison finds is a further value of the row.
    pub value: Region,
}

/// One output of a reduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOutput {
    /// The tensor, of [`Extent::Elements`] or of [`Extent::Rows`].
    pub tensor: Tensor,
    /// The output's element. Its arguments are an element of each input, its indices, the row's
    /// elements and the values of all folds.
    ///
    /// An output of a row uses no element of the inputs.
    pub element: Region,
}

impl RowFold {
    /// Returns a fold of f32.
    pub(super) fn new(combining: Combining, element: Region, value: Region) -> RowFold {
        let fold = Fold::new(combining, ElementType::F32, false, None);
        RowFold {
            combiner: fold.expect("f32 is folded").into(),
            element,
            value,
        }
    }
}

impl RowOutput {
    pub(super) fn new(
        name: &'static str,
        what: &'static str,
        element: ElementType,
        extent: Extent,
        region: Region,
    ) -> RowOutput {
        RowOutput {
            tensor: Tensor {
                name,
                scalar: Scalar::Element(element),
                what,
                extent,
            },
            element: region,
        }
    }
}
