//! Rows of row operations: the numbers of each input, and the values of the row's folds.

use std::sync::Arc;

use configgen::comparator::ScalarType;
use configgen::reduction::{Extent, Fold, Scalar};
use configgen::{Problem, Reduction};

use super::formula::{self, Formula};
use super::interval_fold;
use super::numeric_interval::NumericInterval;
use crate::operation::{OperandSubset, coordinate};
use crate::packed_elements::PackedElements;

/// The operands of the checked rows: their subsets and bytes.
#[derive(Debug, Clone)]
pub(super) struct RowOperands {
    pub(super) needed: Arc<[OperandSubset]>,
    pub(super) bytes: Vec<Arc<[u8]>>,
    /// The type of the problem's own elements.
    pub(super) kind: ScalarType,
    /// The number of each checked row.
    pub(super) rows: Vec<u64>,
}

impl RowOperands {
    /// Subtracts the operands of equal size from the elements of the checked row at `place`.
    pub(super) fn subtract(&self, elements: &mut [u64], place: usize) {
        let all = self.needed.iter().zip(&self.bytes);
        for (needed, bytes) in all.filter(|(needed, _)| needed.has_all()) {
            let numbers = numbers(needed, bytes, place, elements.len());
            for (element, number) in elements.iter_mut().zip(numbers) {
                *element = self.kind.round(self.kind.to_f64(*element) - number);
            }
        }
    }
}

/// Returns the numbers of an operand in the checked row at `place`.
fn numbers(needed: &OperandSubset, bytes: &[u8], place: usize, columns: usize) -> Vec<f64> {
    let Scalar::Element(element) = needed.scalar() else {
        unreachable!("operands are elements")
    };
    let kind = ScalarType::from(element);
    let packed = PackedElements::new(bytes, element.bytes());
    let bits = |column| {
        packed
            .get(
                needed
                    .element(place, column, |_| 0)
                    .expect("rows are no views"),
            )
            .unwrap_or_default()
    };
    (0..columns)
        .map(|column| formula::number(kind, bits(column)))
        .collect()
}

/// The numbers of each input for each column, and the indices. The problem's own input is first.
pub(super) struct RowInputs(Vec<Vec<f64>>);

impl RowInputs {
    /// Creates the inputs of the checked row at `place` with these elements.
    pub(super) fn new(
        problem: &Problem,
        elements: impl Iterator<Item = u64>,
        place: usize,
        beside: &RowOperands,
    ) -> RowInputs {
        let kind = beside.kind;
        let elements: Vec<f64> = elements.map(|bits| kind.to_f64(bits)).collect();
        let columns = elements.len();
        let mut inputs = vec![elements];
        for (needed, bytes) in beside.needed.iter().zip(&beside.bytes) {
            inputs.push(numbers(needed, bytes, place, columns));
        }
        for &dimension in problem.reduction.indices() {
            let row = beside.rows[place];
            let index = |column| coordinate(&problem.shape, dimension, (row, column)) as f64;
            inputs.push((0..columns).map(index).collect());
        }
        RowInputs(inputs)
    }

    /// Creates the inputs from their numbers.
    #[cfg(test)]
    pub(super) fn of(inputs: Vec<Vec<f64>>) -> RowInputs {
        RowInputs(inputs)
    }

    fn columns(&self) -> usize {
        self.0[0].len()
    }

    /// Sets a formula's arguments to the numbers at a column.
    fn give(&self, formula: &mut Formula, column: usize) {
        for (argument, input) in self.0.iter().enumerate() {
            formula.set(argument, NumericInterval::exact(input[column]));
        }
    }
}

/// The formulas of an operation.
#[derive(Debug)]
pub(super) struct Formulas {
    inputs: usize,
    /// The elements that whole rows use: the number of the input, and the position.
    elements: Vec<(usize, Option<Formula>)>,
    folds: Vec<(Fold, Formula, Formula)>,
    outputs: Vec<(Extent, Formula)>,
}

impl Formulas {
    /// Compiles the formulas of an operation.
    pub(super) fn new(reduction: &Reduction) -> Formulas {
        let folds = reduction.folds().iter().map(|it| {
            let fold = it.combiner.pairwise();
            let fold = *fold.expect("row operations combine two values");
            (fold, Formula::new(&it.element), Formula::new(&it.value))
        });
        let elements = reduction.elements().iter();
        let elements = elements.map(|it| (it.input, it.position.as_ref().map(Formula::new)));
        let outputs = reduction.outputs().iter();
        let outputs = outputs.map(|it| (it.tensor.extent, Formula::new(&it.element)));
        Formulas {
            inputs: reduction.element_arguments(),
            elements: elements.collect(),
            folds: folds.collect(),
            outputs: outputs.collect(),
        }
    }

    /// Returns the elements that the whole row uses, then the values of its folds.
    pub(super) fn values(&mut self, row: &RowInputs) -> Vec<NumericInterval> {
        let mut values: Vec<NumericInterval> = Vec::new();
        for (input, position) in &mut self.elements {
            let column = position.as_mut().map_or(0.0, |position| {
                for (number, &known) in values.iter().enumerate() {
                    position.set(number, known);
                }
                position.result().low
            });
            let columns = 0.0..row.columns() as f64;
            let number = match columns.contains(&column) {
                true => row.0[*input][column as usize],
                false => 0.0,
            };
            values.push(NumericInterval::exact(number));
        }
        for (fold, element, value) in &mut self.folds {
            // A fold may use the row's elements and the values of earlier folds.
            for (number, &known) in values.iter().enumerate() {
                element.set(self.inputs + number, known);
                value.set(1 + number, known);
            }
            let taken = (0..row.columns()).map(|column| {
                row.give(element, column);
                element.result()
            });
            value.set(0, interval_fold::folded(fold, taken));
            values.push(value.result());
        }
        values
    }

    /// Passes the bounds of each output element of a row to `take`, with the number of the output.
    /// Elements of an output are in the order of their columns.
    pub(super) fn outputs(
        &mut self,
        row: &RowInputs,
        values: &[NumericInterval],
        mut take: impl FnMut(usize, NumericInterval),
    ) {
        for (output, (extent, element)) in self.outputs.iter_mut().enumerate() {
            for (number, &known) in values.iter().enumerate() {
                element.set(self.inputs + number, known);
            }
            let columns = match extent {
                Extent::Rows => 1,
                _ => row.columns(),
            };
            for column in 0..columns {
                row.give(element, column);
                take(output, element.result());
            }
        }
    }
}
