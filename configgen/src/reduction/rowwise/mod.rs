//! Operations that use what a row gives once more: softmax, norms.
//!
//! A row is folded, once or several times, and each fold may use the values of those before. The outputs are computed of these
//! values and, where they have an element for each of the problem, of the elements at the same place. All that is
//! computed stands in regions of MLIR's `arith` and `math`, on f32: who builds or verifies such an operation knows none by name.

mod row_operation;

use std::fmt;

use super::{Combining, Extent, Fold, Reduce, ReductionState, Scalar, Tensor};
use crate::comparator::{Region, ScalarType};
use crate::literal::Literal;
use crate::{ElementType, Shape};

pub use row_operation::RowOperation;

/// One fold of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFold {
    /// What is made of two values.
    pub fold: Fold,
    /// What is folded, an f32: of an element of each input, the problem's own first, and of the values of the folds before.
    pub element: Region,
    /// The value of the row, an f32: of the fold's result, and of the values of the folds before.
    pub value: Region,
}

/// One output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOutput {
    /// Which tensor it is: of [`Extent::Elements`] or of [`Extent::Rows`].
    pub tensor: Tensor,
    /// Its element: of an element of each input and of the values of all folds. That of a row is computed of these alone.
    pub element: Region,
}

/// An operation whose rows are folded before anything is computed of their elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Rowwise {
    operation: RowOperation,
    element: ElementType,
    /// Bits of an f32, of an operation that has one.
    epsilon: u64,
    /// The type of labels, of an operation that has some.
    label: ElementType,
    /// The dimension along which the place of an element is an input.
    place: Option<usize>,
    operands: Vec<Tensor>,
    folds: Vec<RowFold>,
    outputs: Vec<RowOutput>,
}

impl Rowwise {
    /// The operation on elements of this type in rows of so many; `epsilon` has the bits of an f32, the usual one where none is
    /// given, and `label` is the type of labels.
    ///
    /// # Errors
    ///
    /// There is none: what stands in the way.
    pub fn new(
        operation: RowOperation,
        element: ElementType,
        shape: &Shape,
        epsilon: Option<u64>,
        label: ElementType,
    ) -> Result<Rowwise, String> {
        use ElementType::{Bf16, F16, F32};
        if !matches!(element, F32 | F16 | Bf16) {
            let name = operation.name();
            return Err(format!(
                "{name} takes f32, f16, bf16, and these are {element}"
            ));
        }
        let mut reduced = shape.reduced();
        let place = reduced.next().filter(|_| operation.has_labels());
        if place.is_some() && reduced.next().is_some() {
            let name = operation.name();
            return Err(format!(
                "{name} must reduce one dimension, in which its labels are positions"
            ));
        }
        let epsilon = epsilon.unwrap_or(operation.usual_epsilon());
        let (operands, folds, outputs) = operation.definition(element, shape, epsilon, label);
        Ok(Rowwise {
            operation,
            element,
            epsilon,
            label,
            place,
            operands,
            folds,
            outputs,
        })
    }

    /// Which one it is.
    pub fn row_operation(&self) -> RowOperation {
        self.operation
    }

    /// Bits of an f32, which an operation may have no use for.
    pub(crate) fn epsilon(&self) -> u64 {
        self.epsilon
    }

    /// The folds of a row, in their order.
    pub fn folds(&self) -> &[RowFold] {
        &self.folds
    }

    /// The outputs, in the order of the results.
    pub fn outputs(&self) -> &[RowOutput] {
        &self.outputs
    }

    /// How many inputs there are, the problem's own among them: the operands come behind it, then the place.
    pub fn inputs(&self) -> usize {
        1 + self.operands.len() + usize::from(self.place.is_some())
    }

    /// The dimension along which the place of an element is the last input, an i32, where it is one.
    pub fn place(&self) -> Option<usize> {
        self.place
    }
}

impl Reduce for Rowwise {
    fn operation(&self) -> &'static str {
        "rowwise"
    }

    fn name(&self) -> String {
        self.operation.name().to_owned()
    }

    fn options(&self) -> String {
        match self.epsilon == self.operation.usual_epsilon() {
            false => format!(":epsilon={}", Epsilon(self.epsilon)),
            true if self.label != USUAL_LABEL => format!(":{}", self.label),
            true => String::new(),
        }
    }

    fn symbol(&self) -> String {
        self.name()
    }

    fn adds_floats(&self) -> bool {
        self.folds.iter().any(|it| it.fold.adds_floats())
    }

    fn state(&self, _: ElementType) -> ReductionState {
        ReductionState {
            words: self.folds.len() as u32,
            has_position: false,
        }
    }

    fn results(&self, _: ElementType) -> Vec<Tensor> {
        self.outputs
            .iter()
            .map(|output| output.tensor.clone())
            .collect()
    }

    fn operands(&self) -> Vec<Tensor> {
        self.operands.clone()
    }

    fn reads_operands(&self) -> bool {
        true
    }

    fn bytes_beside(&self, shape: &Shape) -> u64 {
        self.operands.iter().map(|tensor| tensor.bytes(shape)).sum()
    }

    /// Of a function that is not exact some.
    fn operations(&self) -> u64 {
        let regions = self.folds.iter().map(|fold| &fold.element);
        let regions = regions.chain(self.outputs.iter().map(|output| &output.element));
        regions
            .map(|region| 4 * region.operations().len() as u64)
            .sum()
    }

    fn meaning(&self) -> String {
        let epsilon = match self.operation.has_epsilon() {
            true => format!(", where epsilon is {}", Epsilon(self.epsilon)),
            false => String::new(),
        };
        format!(
            "{}{epsilon}.\n\
             It is computed in f32, and the elements of a row are added in an order that is the same in every launch.",
            self.operation.meaning()
        )
    }
}

/// The type of labels where nothing else is said.
pub(crate) const USUAL_LABEL: ElementType = ElementType::I32;

/// An f32 as it stands in a text, as `1e-6` where that is all that it is.
struct Epsilon(u64);

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = f32::from_bits(self.0 as u32);
        let short = format!("{number:e}");
        match short.len() <= 12 {
            true => f.write_str(&short),
            false => Literal(ScalarType::F32, self.0).fmt(f),
        }
    }
}

impl RowFold {
    pub(super) fn new(combining: Combining, element: Region, value: Region) -> RowFold {
        let fold = Fold::new(combining, ElementType::F32, false, None);
        RowFold {
            fold: fold.expect("f32 is folded"),
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

#[cfg(test)]
mod tests;
