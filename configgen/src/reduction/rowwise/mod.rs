//! Row operations, such as softmax and norms: use a row's result on the row again.
//!
//! Such an operation folds a row once or several times. Each fold may use the values of earlier
//! folds. The outputs use these values and, if they have one element per input element, that
//! element. Regions of MLIR's `arith` and `math`, on f32, define all computations. Builders and
//! verifiers therefore need no operation's name. Some operations have a name; any other is a row
//! program ([`program`]).

mod formula;
pub(crate) mod program;
mod row_operation;

use std::fmt;

use super::{Combining, Extent, Fold, Reduce, ReductionState, Scalar, Tensor};
use crate::comparator::{Region, ScalarType};
use crate::literal::Literal;
use crate::{ElementType, Shape};
use program::{Program, ProgramInput, ROWS};

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
    definition: RowDefinition,
    element: ElementType,
    /// The dimension along which the index of an element is an input.
    place: Option<usize>,
    operands: Vec<Tensor>,
    folds: Vec<RowFold>,
    outputs: Vec<RowOutput>,
}

/// The text of a row operation.
#[derive(Debug, Clone, PartialEq)]
enum RowDefinition {
    Named {
        operation: RowOperation,
        /// The bits of an f32, if the operation has an ε.
        epsilon: u64,
        /// The type of labels, if the operation has some.
        label: ElementType,
    },
    Program {
        /// The canonical text.
        text: String,
        /// The types and dimensions of the operands, as in `,f16(1)`.
        operands: String,
    },
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
        if !ScalarType::from(element).is_row_float() {
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
            return Err(format!(
                "{name} must reduce one dimension, in which its labels are positions"
            ));
        }
        let epsilon = epsilon.unwrap_or(operation.usual_epsilon());
        let (operands, folds, outputs) = operation.definition(element, shape, epsilon, label);
        Ok(Rowwise {
            definition: RowDefinition::Named {
                operation,
                epsilon,
                label,
            },
            element,
            place,
            operands,
            folds,
            outputs,
        })
    }

    /// Creates the operation of a program: the named one that computes the same, if there is one.
    pub(crate) fn of_program(program: &Program, shape: &Shape) -> Rowwise {
        // All named operations fold.
        let named = (!program.is_pointwise()).then(|| Rowwise::named(program, shape));
        if let Some(named) = named.flatten() {
            return named;
        }
        let (folds, outputs) = program.lowered();
        let operands = program.inputs().iter().skip(1).map(|input| {
            let map = input.extent.map(shape);
            match map.is_all(shape) {
                true => format!(",{}", input.element),
                false => format!(",{}({map})", input.element),
            }
        });
        Rowwise {
            definition: RowDefinition::Program {
                text: program.to_string(),
                operands: operands.collect(),
            },
            element: program.inputs()[0].element,
            place: None,
            operands: program.operands(),
            folds,
            outputs,
        }
    }

    /// Returns the named operation that computes the same as a program.
    fn named(program: &Program, shape: &Shape) -> Option<Rowwise> {
        let element = program.inputs()[0].element;
        let named = RowOperation::ALL.into_iter().filter(|it| !it.has_labels());
        let mut named = named.flat_map(|operation| {
            // Only a number of the program can be its ε.
            let epsilons: Vec<Option<u64>> = match operation.has_epsilon() {
                true => program.numbers().map(Some).collect(),
                false => vec![None],
            };
            let of = epsilons
                .into_iter()
                .map(move |it| Rowwise::new(operation, element, shape, it, USUAL_LABEL).ok());
            of.flatten()
        });
        named.find(|it| {
            let of_name = it.program(shape);
            of_name.is_some_and(|it| it.is_same_in(program, shape))
        })
    }

    /// Returns the program of an operation without labels.
    fn program(&self, shape: &Shape) -> Option<Program> {
        let own = ProgramInput {
            element: self.element,
            extent: Extent::Elements,
        };
        let operands = self.operands.iter().map(|tensor| match tensor.scalar {
            Scalar::Element(element) => Some(ProgramInput {
                element,
                extent: tensor.extent.in_shape(shape),
            }),
            Scalar::Index(_) => None,
        });
        let inputs: Vec<ProgramInput> = [Some(own)]
            .into_iter()
            .chain(operands)
            .collect::<Option<_>>()?;
        Program::of_definition(&inputs, &self.folds, &self.outputs)
    }

    /// Returns the operation's name as an enum, or none for a program without a name.
    pub fn row_operation(&self) -> Option<RowOperation> {
        match self.definition {
            RowDefinition::Named { operation, .. } => Some(operation),
            RowDefinition::Program { .. } => None,
        }
    }

    /// Returns whether the second input has a row's label, a position in the row.
    pub fn has_labels(&self) -> bool {
        self.place.is_some()
    }

    /// Returns the bits of ε, an f32; meaningless for an operation without ε.
    pub(crate) fn epsilon(&self) -> u64 {
        match self.definition {
            RowDefinition::Named { epsilon, .. } => epsilon,
            RowDefinition::Program { .. } => 0,
        }
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
        match &self.definition {
            RowDefinition::Named { operation, .. } => operation.name().to_owned(),
            RowDefinition::Program { text, .. } => format!("{ROWS}({text})"),
        }
    }

    fn options(&self) -> String {
        match &self.definition {
            RowDefinition::Named {
                operation,
                epsilon,
                label,
            } => match *epsilon == operation.usual_epsilon() {
                // No operation has both an epsilon and labels.
                false => format!(":epsilon={}", Epsilon(*epsilon)),
                true if *label != USUAL_LABEL => format!(":{label}"),
                true => String::new(),
            },
            RowDefinition::Program { operands, .. } => operands.clone(),
        }
    }

    fn symbol(&self) -> String {
        match self.row_operation() {
            Some(operation) => operation.name().to_owned(),
            None => ROWS.to_owned(),
        }
    }

    fn adds_floats(&self) -> bool {
        self.folds.iter().any(|it| it.fold.adds_floats())
    }

    fn uses_rows_again(&self) -> bool {
        // The elements of a pointwise program are rows of one element.
        !self.folds.is_empty()
    }

    fn reads_positions(&self) -> bool {
        self.place.is_some()
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
        let meaning = match &self.definition {
            RowDefinition::Named {
                operation, epsilon, ..
            } => match operation.has_epsilon() {
                true => format!(
                    "{}, where epsilon is {}",
                    operation.meaning(),
                    Epsilon(*epsilon)
                ),
                false => operation.meaning().to_owned(),
            },
            RowDefinition::Program { text, .. } => format!("the results are {text}"),
        };
        let order = match self.folds.is_empty() {
            true => "",
            false => {
                "\nIt is computed in f32, and the elements of a row are added in an order that is the same in every launch."
            }
        };
        format!("{meaning}.{order}")
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
