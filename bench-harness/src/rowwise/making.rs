//! Making inputs of operations that use what a row gives once more.

use configgen::Problem;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Rowwise};

use super::pattern::{Pattern, Values};
use super::row::{Beside, Formulas, Row};
use super::{Expected, Launch};
use crate::operation::{
    LaunchInput, Maker, Needed, Operands, SETS, Slot, Stream, Streams, append, made,
};

/// Makes the inputs of one problem and seed.
pub(crate) struct Rows<'a> {
    problem: &'a Problem,
    rowwise: &'a Rowwise,
    formulas: Formulas,
    values: Values,
    patterns: Vec<Pattern>,
    streams: Streams,
}

impl<'a> Rows<'a> {
    /// None where the host does not know what is computed.
    pub(crate) fn new(problem: &'a Problem, rowwise: &'a Rowwise, seed: u64) -> Option<Rows<'a>> {
        let mut folds = rowwise.folds().iter();
        let values = Values {
            kind: problem.element.into(),
            // What is found first is subtracted before powers are taken.
            is_of_powers: folds.any(|it| it.fold.combining() == Combining::MaxNumber),
        };
        Some(Rows {
            problem,
            rowwise,
            formulas: Formulas::new(rowwise)?,
            values,
            patterns: Pattern::all(values),
            streams: Streams { seed },
        })
    }
}

impl Maker for Rows<'_> {
    fn patterns(&self) -> usize {
        self.patterns.len()
    }

    fn sets(&self) -> usize {
        match self.rowwise.inputs() {
            1 => 1,
            _ => SETS,
        }
    }

    fn operands(&self, needed: &[Needed], set: usize) -> Vec<Vec<u8>> {
        made(self.streams, needed, set)
    }

    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput {
        let element = self.problem.element;
        let beside = Beside {
            needed: operands.needed.clone(),
            bytes: operands.bytes.to_vec(),
            kind: ScalarType::from(element),
        };
        let mut row = vec![0u64; self.problem.shape.reduced_size() as usize];
        let bytes = slots.len() * row.len() * element.bytes() as usize;
        let mut elements = Vec::with_capacity(bytes);
        let fill = |(place, slot): (usize, &Slot)| {
            let pattern = match slot.pattern {
                Some(pattern) => self.patterns[pattern],
                None => Pattern::of_holes(slot.turn),
            };
            let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
            pattern.fill(self.values, &mut row, slot.turn, &mut rng);
            if pattern.is_of_sums() {
                beside.subtract(&mut row, place);
            }
            append(&mut elements, element, &row, &mut rng);
            let numbers = Row::new(row.iter().copied(), place, &beside);
            let values = self.formulas.values(&numbers);
            Expected { pattern, values }
        };
        let expected = slots.iter().enumerate().map(fill).collect();
        LaunchInput {
            tensor: None,
            elements,
            index_base: 0,
            reference: Box::new(Launch {
                rowwise: self.rowwise.clone(),
                beside,
                expected,
            }),
        }
    }
}
