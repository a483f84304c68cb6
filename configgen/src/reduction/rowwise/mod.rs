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
use crate::comparator::{Region, ScalarType, Value};
use crate::literal::Literal;
use crate::{ElementType, Shape};
use program::{Program, ProgramInput, ROWS};

pub use row_operation::RowOperation;

/// One fold of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFold {
    /// The combination of two values.
    pub fold: Fold,
    /// The folded value, an f32. Its arguments are an element of each input, its indices, the
    /// row's elements and the earlier folds' values.
    ///
    /// The problem's own input is the first.
    pub element: Region,
    /// The value of the row, an f32. Its arguments are the fold's result, the row's elements and
    /// the earlier folds' values.
    pub value: Region,
}

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

/// One output of a row operation.
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

/// An operation that folds each row before it computes its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Rowwise {
    definition: RowDefinition,
    element: ElementType,
    operands: Vec<Tensor>,
    indices: Vec<usize>,
    elements: Vec<RowElement>,
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
        if operation.has_labels() && shape.reduced().count() > 1 {
            let name = operation.name();
            return Err(format!(
                "{name} must reduce one dimension, in which its labels are positions"
            ));
        }
        let epsilon = epsilon.unwrap_or(operation.usual_epsilon());
        let (operands, elements, folds, outputs) =
            operation.definition(element, shape, epsilon, label);
        Ok(Rowwise {
            definition: RowDefinition::Named {
                operation,
                epsilon,
                label,
            },
            element,
            operands,
            indices: Vec::new(),
            elements,
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
        let (elements, folds, outputs) = program.lowered();
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
            operands: program.operands(),
            indices: program.indices(),
            elements,
            folds,
            outputs,
        }
    }

    /// Returns the named operation that computes the same as a program.
    fn named(program: &Program, shape: &Shape) -> Option<Rowwise> {
        let element = program.inputs()[0].element;
        let has_labels = program.has_positions();
        let named = RowOperation::ALL.into_iter();
        let named = named.filter(|it| it.has_labels() == has_labels);
        let mut named = named.flat_map(|operation| {
            // Only a number of the program can be its ε.
            let epsilons: Vec<Option<u64>> = match operation.has_epsilon() {
                true => program.numbers().map(Some).collect(),
                false => vec![None],
            };
            let labels: &[ElementType] = match operation.has_labels() {
                true => &[ElementType::I32, ElementType::I64],
                false => &[USUAL_LABEL],
            };
            let of = epsilons.into_iter().flat_map(move |epsilon| {
                let of = labels.iter();
                of.map(move |label| Rowwise::new(operation, element, shape, epsilon, *label).ok())
            });
            of.flatten()
        });
        named.find(|it| {
            let of_name = it.program(shape);
            of_name.is_some_and(|it| it.is_same_in(program, shape))
        })
    }

    /// Returns the program of an operation.
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
        let arguments = (&inputs[..], &self.indices[..]);
        Program::of_definition(arguments, &self.elements, &self.folds, &self.outputs)
    }

    /// Returns the operation's name as an enum, or none for a program without a name.
    pub fn row_operation(&self) -> Option<RowOperation> {
        match self.definition {
            RowDefinition::Named { operation, .. } => Some(operation),
            RowDefinition::Program { .. } => None,
        }
    }

    /// Returns the elements that whole rows use, in their order.
    pub fn elements(&self) -> &[RowElement] {
        &self.elements
    }

    /// Returns the numbers of the inputs that a position is computed from, such as labels.
    pub fn labels(&self) -> Vec<usize> {
        let is_read = |region: &Region, number: usize| {
            let argument = Value(number as u32);
            let mut operations = region.operations().iter();
            region.result() == argument || operations.any(|it| it.operands.contains(&argument))
        };
        let mut labels = Vec::new();
        // A position's arguments are the elements before it.
        for (number, element) in self.elements.iter().enumerate() {
            let position = element.position.iter();
            let read = position.flat_map(|it| (0..number).filter(|&one| is_read(it, one)));
            labels.extend(read.map(|it| self.elements[it].input));
        }
        labels
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

    /// Returns the number of a region's arguments for each element: those of the inputs, and the
    /// indices.
    pub fn element_arguments(&self) -> usize {
        1 + self.operands.len() + self.indices.len()
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

    fn indices(&self) -> &[usize] {
        &self.indices
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
