//! Reductions: computations on the elements of a row.
//!
//! A reduction is a list of statements: folds, each with a [`Combiner`], and outputs. A softmax has
//! two folds and an output for each element. An argmax has one fold and two outputs for each row,
//! and a map has no fold. Spaces, legality and layouts ask for properties.
//!
//! Names are texts for users. Some programs have one, and any other is a row program
//! ([`program`]).

mod arg_compare;
mod combiner;
mod fold;
mod fold_body;
mod formula;
mod initial;
mod name;
mod named_fold;
pub(crate) mod program;
mod row_operation;
mod statement;
mod tensor;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use arg_compare::{ArgCompare, IndexMode};
pub use combiner::Combiner;
pub use fold::{Combining, Fold};
pub use initial::Initial;
pub(crate) use name::{POINTWISE, USUAL_LABEL};
pub(crate) use named_fold::NamedFold;
pub use row_operation::RowOperation;
pub use statement::{RowElement, RowFold, RowOutput};
pub use tensor::{Extent, Scalar, Tensor};

use crate::comparator::order::OrderProof;
use crate::comparator::{Region, ScalarType, Value};
use crate::{ElementType, IndexType, Shape};
use name::ReductionName;
use program::{Program, ProgramInput};

/// A computation on the elements of a row. Two reductions are equal if their texts are.
#[derive(Debug, Clone)]
pub struct Reduction {
    statements: Arc<Statements>,
}

/// The name of a reduction and its statements.
#[derive(Debug)]
struct Statements {
    name: ReductionName,
    /// The name and the options, which equality and hash use.
    text: [String; 2],
    /// The inputs behind the elements, without gaps.
    operands: Vec<Tensor>,
    /// The dimensions with indices among the arguments.
    indices: Vec<usize>,
    elements: Vec<RowElement>,
    folds: Vec<RowFold>,
    outputs: Vec<RowOutput>,
}

/// The state of a row in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionState {
    /// The number of 32-bit registers, without that of a position.
    pub words: u32,
    /// Set if the state has a position in the row.
    pub has_position: bool,
}

impl Reduction {
    /// Creates the reduction of the elements themselves by this combiner.
    pub fn by(combiner: impl Into<Combiner>) -> Reduction {
        let combiner = combiner.into();
        let element = combiner.element();
        let tensors = combiner.results();
        let results: Vec<ScalarType> = tensors.iter().map(|it| it.scalar.into()).collect();
        let outputs = tensors.into_iter().zip(1..).map(|(tensor, number)| {
            let mut output = Region::of([element].into_iter().chain(results.iter().copied()));
            output.set_result(Value(number));
            RowOutput {
                tensor,
                element: output,
            }
        });
        Reduction::of(Statements {
            name: ReductionName::Combiner,
            text: Default::default(),
            operands: combiner.selected().into_iter().collect(),
            indices: Vec::new(),
            elements: Vec::new(),
            outputs: outputs.collect(),
            folds: vec![RowFold {
                element: Region::of([element]),
                value: Region::of([results[0]]),
                combiner,
            }],
        })
    }

    /// Creates a reduction without folds: its results are these elements, each at its place.
    ///
    /// The problem's function computes them, unless they are copied.
    pub fn pointwise(element: ElementType, is_copy: bool) -> Reduction {
        Reduction::of(Statements {
            name: ReductionName::Pointwise { is_copy },
            text: Default::default(),
            operands: Vec::new(),
            indices: Vec::new(),
            elements: Vec::new(),
            folds: Vec::new(),
            outputs: vec![RowOutput::new(
                "values",
                "what is computed of the elements at the same place",
                element,
                Extent::Elements,
                Region::of([element.into()]),
            )],
        })
    }

    /// Creates a row operation on elements of this type.
    ///
    /// `epsilon` has the bits of an f32, by default [`RowOperation`]'s own; `label` is the type
    /// of labels.
    ///
    /// # Errors
    ///
    /// Returns a message if the operation does not take the element type or the reduced
    /// dimensions.
    pub fn of_rows(
        operation: RowOperation,
        element: ElementType,
        shape: &Shape,
        epsilon: Option<u64>,
        label: ElementType,
    ) -> Result<Reduction, String> {
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
        Ok(Reduction::of(Statements {
            name: ReductionName::Operation {
                operation,
                epsilon,
                label,
            },
            text: Default::default(),
            operands,
            indices: Vec::new(),
            elements,
            folds,
            outputs,
        }))
    }

    /// Creates the reduction of a program: the named one that computes the same, if there is one.
    pub(crate) fn of_program(program: &Program, shape: &Shape) -> Reduction {
        // All named operations fold.
        let named = (!program.is_pointwise()).then(|| Reduction::named(program, shape));
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
        Reduction::of(Statements {
            name: ReductionName::Program {
                text: program.to_string(),
                operands: operands.collect(),
            },
            text: Default::default(),
            operands: program.operands(),
            indices: program.indices(),
            elements,
            folds,
            outputs,
        })
    }

    fn of(mut statements: Statements) -> Reduction {
        // Equality and hash use the text, so it is made once.
        let combiner = statements.folds.first().map(|it| &it.combiner);
        statements.text = statements.name.text(combiner);
        Reduction {
            statements: Arc::new(statements),
        }
    }

    /// Returns the named operation that computes the same as a program.
    fn named(program: &Program, shape: &Shape) -> Option<Reduction> {
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
                of.map(move |label| {
                    Reduction::of_rows(operation, element, shape, epsilon, *label).ok()
                })
            });
            of.flatten()
        });
        named.find(|it| {
            let of_name = it.program(element, shape);
            of_name.is_some_and(|it| it.is_same_in(program, shape))
        })
    }

    /// Returns the program of a row operation on elements of this type.
    fn program(&self, element: ElementType, shape: &Shape) -> Option<Program> {
        let own = ProgramInput {
            element,
            extent: Extent::Elements,
        };
        let operands = self.operands().iter().map(|tensor| match tensor.scalar {
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
        let arguments = (&inputs[..], self.indices());
        Program::of_definition(arguments, self.elements(), self.folds(), self.outputs())
    }

    /// Returns the elements that whole rows use, in their order.
    pub fn elements(&self) -> &[RowElement] {
        &self.statements.elements
    }

    /// Returns the folds of a row, in their order.
    pub fn folds(&self) -> &[RowFold] {
        &self.statements.folds
    }

    /// Returns the outputs, in the order of a kernel's arguments.
    pub fn outputs(&self) -> &[RowOutput] {
        &self.statements.outputs
    }

    /// Returns the inputs behind the elements, without gaps.
    pub fn operands(&self) -> &[Tensor] {
        &self.statements.operands
    }

    /// Returns the dimensions with indices among the arguments of a kernel's computations.
    ///
    /// Each index is an i32, behind the elements of all inputs.
    pub fn indices(&self) -> &[usize] {
        &self.statements.indices
    }

    /// Returns the number of a region's arguments for each element: those of the inputs, and the
    /// indices.
    pub fn element_arguments(&self) -> usize {
        let operands = match self.reads_operands() {
            true => self.operands().len(),
            false => 0,
        };
        1 + operands + self.indices().len()
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
        for (number, element) in self.elements().iter().enumerate() {
            let position = element.position.iter();
            let read = position.flat_map(|it| (0..number).filter(|&one| is_read(it, one)));
            labels.extend(read.map(|it| self.elements()[it].input));
        }
        labels
    }

    /// Returns the combiner of the only fold, if the reduction is named by it.
    ///
    /// The fold takes the elements themselves, and its results are the outputs.
    pub fn sole_combiner(&self) -> Option<&Combiner> {
        match (&self.statements.name, self.folds()) {
            (ReductionName::Combiner, [fold]) => Some(&fold.combiner),
            _ => None,
        }
    }

    /// Returns the comparison that selects a row's element, if the reduction is one.
    pub fn comparison(&self) -> Option<&ArgCompare> {
        self.sole_combiner().and_then(Combiner::comparison)
    }

    /// Returns the combination of two values, if the reduction is a fold by one.
    pub fn pairwise(&self) -> Option<&Fold> {
        self.sole_combiner().and_then(Combiner::pairwise)
    }

    /// Returns the comparisons of all folds.
    fn comparisons(&self) -> impl Iterator<Item = &ArgCompare> {
        let folds = self.folds().iter();
        folds.filter_map(|it| it.combiner.comparison())
    }

    /// Returns whether a kernel must take the elements of a row one by one, in their order.
    ///
    /// The results of two parts of such a row cannot be combined. An element that is taken twice
    /// may count twice.
    pub fn is_serial(&self) -> bool {
        self.comparisons().any(ArgCompare::is_serial)
    }

    /// Returns the reason as a clause, such as "argmax does not order the elements".
    pub fn why_serial(&self) -> String {
        let serial = self.comparisons().find(|it| it.is_serial());
        serial.map_or_else(String::new, ArgCompare::why_serial)
    }

    /// Returns whether one comparison of two elements decides the result.
    ///
    /// This is part of rule N14 of native kernels.
    pub fn finds_element(&self) -> bool {
        self.comparison().is_some_and(ArgCompare::finds_element)
    }

    /// Returns whether the results of a row's folds are used with its elements once more.
    ///
    /// A kernel then keeps the row, and workgroups that share it wait for each other.
    pub fn uses_rows_again(&self) -> bool {
        // The elements of a pointwise program are rows of one element.
        !self.folds().is_empty() && self.sole_combiner().is_none()
    }

    /// Returns whether nothing is folded and the results are the elements, each at its place.
    pub fn keeps_elements(&self) -> bool {
        let mut outputs = self.outputs().iter();
        let is_element = |it: &Region| it.operations().is_empty() && it.result() == Value::A;
        self.folds().is_empty() && outputs.all(|it| is_element(&it.element))
    }

    /// Returns the name of the comparator, if there is one and it has a name.
    pub fn comparator_name(&self) -> Option<&'static str> {
        self.comparison().and_then(|it| it.comparator.name())
    }

    /// Returns the type of the index that is a result, if there is one.
    pub fn index_type(&self) -> Option<IndexType> {
        self.comparison().map(|it| it.index)
    }

    /// Returns the type of the accumulator, if the reduction is one fold that combines elements
    /// two at a time.
    pub fn accumulator(&self) -> Option<ElementType> {
        self.pairwise().map(Fold::accumulator)
    }

    /// Returns whether the order of the elements is neither proved nor refuted.
    pub fn has_unproved_order(&self) -> bool {
        let mut comparisons = self.comparisons();
        comparisons.any(|it| *it.standing() == OrderProof::Unproved)
    }

    /// Returns whether the reduction adds floats, so that the order of elements changes the
    /// rounding.
    pub fn adds_floats(&self) -> bool {
        let mut folds = self.folds().iter();
        folds.any(|it| it.combiner.pairwise().is_some_and(Fold::adds_floats))
    }

    /// Returns the state that a lane keeps per row.
    pub fn state(&self) -> ReductionState {
        let folds = self.folds().iter();
        ReductionState {
            words: folds.map(|it| it.combiner.words()).sum(),
            has_position: self.comparisons().next().is_some(),
        }
    }

    /// Returns whether a kernel reads the operands with the elements.
    ///
    /// Otherwise it reads one if a row's result selects it.
    pub fn reads_operands(&self) -> bool {
        let mut folds = self.folds().iter();
        folds.all(|it| it.combiner.selected().is_none())
    }

    /// Returns the type and name of a number that the launch passes by value, behind all buffers.
    pub fn scalar(&self) -> Option<(IndexType, &'static str)> {
        let based = self.comparison()?;
        (based.index_mode == IndexMode::Based).then_some((based.index, "base"))
    }

    /// Returns whether the initial values are the contents of the results at the launch.
    pub fn begins_at_results(&self) -> bool {
        let mut comparisons = self.comparisons();
        comparisons.any(|it| it.initial == Initial::Outputs)
    }

    /// Returns the bytes that every kernel reads beside the elements and the initial results.
    pub fn bytes_beside(&self, shape: &Shape) -> u64 {
        let operands = self.operands().iter();
        let bytes = operands.map(|tensor| match self.reads_operands() {
            true => tensor.bytes(shape),
            // A kernel need not read elements that no row selects.
            false => shape.rows() * u64::from(tensor.scalar.bytes()),
        });
        bytes.sum()
    }

    /// Returns the operations per element of a fold on the host.
    ///
    /// It is an estimate: each operation of a region counts as 4, because some are inexact
    /// functions.
    pub fn operations(&self) -> u64 {
        if let Some(combiner) = self.sole_combiner() {
            return combiner.operations();
        }
        let folds = self.folds().iter().map(|fold| &fold.element);
        let regions = folds.chain(self.outputs().iter().map(|output| &output.element));
        let operations = regions.map(|region| 4 * region.operations().len() as u64);
        operations.sum::<u64>().max(1)
    }
}

impl PartialEq for Reduction {
    fn eq(&self, other: &Self) -> bool {
        self.statements.text == other.statements.text
    }
}

impl Eq for Reduction {}

impl Hash for Reduction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.statements.text.hash(state);
    }
}
