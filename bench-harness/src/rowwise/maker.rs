//! The maker of row operations: rows and the values of their folds.

use configgen::Problem;
use configgen::comparator::{Opcode, Region, RegionOperation, ScalarType};
use rand::seq::IteratorRandom;

use super::packed_interval::PackedInterval;
use super::pattern::{RowwisePattern, RowwiseValues};
use super::row::{Formulas, RowInputs, RowOperands};
use super::{ExpectedRow, RowwiseReference};
use crate::operation::{
    FunctionEvaluator, LaunchInput, Maker, OperandSubset, Operands, PlantedRows, SETS, Slot,
    Stream, Streams, append, draw_operand, index, make_operands,
};

/// The number of operand sets with different labels.
const LABEL_SETS: usize = 4;

/// A maker of the inputs of one problem and seed.
pub(crate) struct RowwiseMaker<'a> {
    problem: &'a Problem,
    formulas: Formulas,
    values: RowwiseValues,
    patterns: Vec<RowwisePattern>,
    /// The inputs with positions in the row.
    labels: Vec<usize>,
    /// The constant integers of the positions.
    numbers: Vec<(ScalarType, u64)>,
    /// The view of the problem's own input, if it has one.
    viewed: Option<FunctionEvaluator>,
    streams: Streams,
}

impl<'a> RowwiseMaker<'a> {
    /// Creates a maker.
    pub(crate) fn new(problem: &'a Problem, seed: u64) -> RowwiseMaker<'a> {
        let reduction = &problem.reduction;
        let streams = Streams { seed };
        let viewed = problem
            .function
            .as_ref()
            .map(|function| FunctionEvaluator::new(problem, function, problem.element, streams));
        let folds = reduction.folds().iter().map(|it| &it.element);
        let regions = folds.chain(reduction.outputs().iter().map(|it| &it.element));
        let mut operations = regions.flat_map(Region::operations);
        let positions = reduction.elements().iter();
        let positions = positions.filter_map(|it| it.position.as_ref());
        let positions = positions.flat_map(Region::operations);
        let constant = |it: &RegionOperation| match it.opcode {
            Opcode::Constant(bits) if it.result.is_integer() => Some((it.result, bits)),
            _ => None,
        };
        let values = RowwiseValues {
            kind: problem.element.into(),
            is_of_powers: operations.any(|it| matches!(it.opcode, Opcode::Exp | Opcode::Exp2)),
            is_pointwise: reduction.folds().is_empty(),
        };
        RowwiseMaker {
            problem,
            formulas: Formulas::new(reduction),
            values,
            patterns: RowwisePattern::all(values),
            labels: reduction.labels(),
            numbers: positions.filter_map(constant).collect(),
            viewed,
            streams,
        }
    }
}

impl RowwiseMaker<'_> {
    /// Makes operand `operand` as labels throughout the row. Even with few rows, each part of a
    /// row has some. A few labels are arbitrary, outside of the row, or a number of the operation,
    /// such as that of ignored rows.
    fn labels(&self, (operand, needed): (usize, &OperandSubset), set: usize) -> Vec<u8> {
        let places = 0..self.problem.shape.reduced_size() as i64;
        let mut turns = 0..;
        draw_operand(self.streams, (operand, needed), set, |kind, rng| {
            let turn: u32 = turns.next().unwrap_or_default();
            let numbers = self.numbers.iter().filter(|it| it.0 == kind);
            if let (3, Some((_, bits))) = (turn % 8, numbers.choose(rng)) {
                return *bits;
            }
            if turn % 8 == 7 {
                return index(kind, &places, set > 0, rng);
            }
            // Multiples of the golden ratio spread evenly.
            let part = f64::from(turn) * 0.618_033_988_749_894_9;
            let part = (part + set as f64 / LABEL_SETS as f64).fract();
            (part * places.end as f64) as u64
        })
    }
}

impl Maker for RowwiseMaker<'_> {
    fn patterns(&self) -> usize {
        self.patterns.len()
    }

    fn planted(&self) -> PlantedRows {
        // Most of these rows change with each of their elements, so one finds any hole.
        PlantedRows {
            rows: 24,
            elements: 3 << 18,
        }
    }

    fn sets(&self) -> usize {
        match self.problem.operands().len() {
            0 => 1,
            _ if !self.labels.is_empty() => LABEL_SETS,
            _ => SETS,
        }
    }

    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>> {
        let mut all = make_operands(self.streams, needed, set);
        for &label in &self.labels {
            all[label - 1] = self.labels((label - 1, &needed[label - 1]), set);
        }
        all
    }

    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput {
        let element = self.problem.element;
        let beside = RowOperands {
            needed: operands.needed.clone(),
            bytes: operands.bytes.to_vec(),
            kind: ScalarType::from(element),
            rows: operands.rows.to_vec(),
        };
        let mut row = vec![0u64; self.problem.shape.reduced_size() as usize];
        let bytes = slots.len() * row.len() * element.bytes() as usize;
        let mut elements = Vec::with_capacity(bytes);
        let pattern_of = |slot: &Slot| match slot.pattern {
            Some(pattern) => self.patterns[pattern],
            None => RowwisePattern::of_holes(self.values, slot.turn),
        };
        let elements_of = |(place, slot): (usize, &Slot), row: &mut [u64]| {
            let pattern = pattern_of(slot);
            let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
            pattern.fill(self.values, row, slot.turn, &mut rng);
            // The operand is added to the elements again, so that the small sum decides the
            // result.
            if pattern.is_of_sums() && !self.values.is_pointwise {
                beside.subtract(row, place);
            }
            rng
        };
        let viewed = self.viewed.as_ref().and_then(|viewed| {
            viewed.viewed(operands, (number, slots), |it| {
                let mut row = row.clone();
                elements_of(it, &mut row);
                row
            })
        });
        let (tensor, seen) = viewed.unzip();
        let fill = |(place, slot): (usize, &Slot)| {
            let mut rng = match &seen {
                None => elements_of((place, slot), &mut row),
                Some(rows) => {
                    row.copy_from_slice(&rows[place]);
                    self.streams.rng(Stream::Elements, slot.row, number)
                }
            };
            append(&mut elements, element, &row, &mut rng);
            let numbers = RowInputs::new(self.problem, row.iter().copied(), place, &beside);
            let values = self.formulas.values(&numbers);
            let mut outputs = vec![Vec::new(); self.problem.reduction.outputs().len()];
            self.formulas.outputs(&numbers, &values, |output, bounds| {
                outputs[output].push(PackedInterval::from(bounds));
            });
            ExpectedRow {
                pattern: pattern_of(slot),
                outputs,
            }
        };
        let expected = slots.iter().enumerate().map(fill).collect();
        LaunchInput {
            tensor,
            elements,
            index_base: 0,
            reference: Box::new(RowwiseReference {
                reduction: self.problem.reduction.clone(),
                expected,
            }),
        }
    }
}
