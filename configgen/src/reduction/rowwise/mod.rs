//! Row operations, such as softmax and norms: use a row's result on the row again.
//!
//! Such an operation folds a row once or several times. Each fold may use the values of earlier
//! folds. The outputs use these values and, if they have one element per input element, that
//! element. Regions of MLIR's `arith` and `math`, on f32, define all computations. Builders and
//! verifiers therefore need no operation's name.

mod formula;
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
    /// The combination of two values.
    pub fold: Fold,
    /// The folded value, an f32. Its arguments are an element of each input and the earlier
    /// folds' values.
    ///
    /// The problem's own input is the first.
    pub element: Region,
    /// The value of the row, an f32. Its arguments are the fold's result and the earlier folds'
    /// values.
    pub value: Region,
}

/// One output of a row operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOutput {
    /// The tensor, of [`Extent::Elements`] or of [`Extent::Rows`].
    pub tensor: Tensor,
    /// The output's element. Its arguments are an element of each input and the values of all
    /// folds.
    ///
    /// An output of a row uses the values of the folds only.
    pub element: Region,
}

/// An operation that folds each row before it computes its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Rowwise {
    operation: RowOperation,
    element: ElementType,
    /// The bits of an f32, if the operation has an ε.
    epsilon: u64,
    /// The type of labels, if the operation has some.
    label: ElementType,
    /// The dimension along which the index of an element is an input.
    place: Option<usize>,
    operands: Vec<Tensor>,
    folds: Vec<RowFold>,
    outputs: Vec<RowOutput>,
}

impl Rowwise {
    /// Creates the operation on elements of this type.
    ///
    /// `epsilon` has the bits of an f32, by default [`RowOperation`]'s own; `label` is the type
    /// of labels.
    ///
    /// # Errors
    ///
    /// Returns a message if the operation does not take the element type or the reduced
    /// dimensions.
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
        // A label is one number, so it can select along one dimension only.
        let mut reduced = shape.reduced();
        let place = reduced.next().filter(|_| operation.has_labels());
        if place.is_some() && reduced.next().is_some() {
            let name = operation.name();
            return Err(format!("labels of {name} are places along one dimension"));
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

    /// Returns the operation's name as an enum.
    pub fn row_operation(&self) -> RowOperation {
        self.operation
    }

    /// Returns the bits of ε, an f32; meaningless for an operation without ε.
    pub(crate) fn epsilon(&self) -> u64 {
        self.epsilon
    }

    /// Returns the folds of a row, in their order.
    pub fn folds(&self) -> &[RowFold] {
        &self.folds
    }

    /// Returns the outputs, in the order of the results.
    pub fn outputs(&self) -> &[RowOutput] {
        &self.outputs
    }

    /// Returns the number of inputs: the problem's own, the operands, and the index if it is one.
    pub fn inputs(&self) -> usize {
        1 + self.operands.len() + usize::from(self.place.is_some())
    }

    /// Returns the dimension along which the index of an element is the last input, an i32.
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
            // No operation has both an epsilon and labels.
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

    /// Returns an estimate: each operation of a region counts as 4, because some are inexact
    /// functions.
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

/// The default type of labels.
pub(crate) const USUAL_LABEL: ElementType = ElementType::I32;

/// An f32 in a problem's text: `1e-6` if that is exact.
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
