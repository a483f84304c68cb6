//! The maker of arg_compare: rows with their indices, initial pairs and expected results.

use std::sync::Arc;

use configgen::comparator::Evaluator;
use configgen::{ArgCompare, IndexMode, Initial, Problem};
use ndarray::aview1;
use rand::{Rng, RngExt};

use super::initial_pair::InitialPair;
use super::pattern::ArgComparePattern;
use super::reference::fold;
use super::row::{Indices, Pair};
use super::values::ComparatorValues;
use super::{ArgCompareReference, ExpectedPair};
use crate::operation::{
    FunctionEvaluator, LaunchInput, Maker, OperandSubset, Operands, Slot, Stream, Streams, append,
};
use crate::packed_elements::PackedElements;

/// A maker of the inputs of one problem and seed.
pub(crate) struct ArgCompareMaker<'a> {
    problem: &'a Problem,
    arg_compare: Arc<ArgCompare>,
    values: ComparatorValues,
    compare: Evaluator,
    computed: Option<FunctionEvaluator>,
    streams: Streams,
}

impl<'a> ArgCompareMaker<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        arg_compare: &ArgCompare,
        seed: u64,
    ) -> ArgCompareMaker<'a> {
        let streams = Streams { seed };
        let reduced = problem.reduced_type();
        let function = problem.function.as_ref();
        let computed = function.map(|it| FunctionEvaluator::new(problem, it, reduced, streams));
        ArgCompareMaker {
            problem,
            arg_compare: Arc::new(arg_compare.clone()),
            values: ComparatorValues::new(&arg_compare.comparator)
                .beginning_at(arg_compare.start()),
            compare: arg_compare.comparator.evaluator(),
            computed,
            streams,
        }
    }
}

impl Maker for ArgCompareMaker<'_> {
    fn patterns(&self) -> usize {
        ArgComparePattern::all(self.problem.reduced_type()).len()
    }

    fn sets(&self) -> usize {
        self.computed.as_ref().map_or(1, FunctionEvaluator::sets)
    }

    /// Makes the operands of the function, then explicit indices.
    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>> {
        let computed = self.computed.as_ref();
        let mut operands = computed.map_or_else(Vec::new, |it| it.operands(needed, set));
        let Some(OperandSubset { rows, length, .. }) = needed.get(operands.len()) else {
            return operands;
        };
        let size = self.arg_compare.index.bytes() as usize;
        let mut bytes = Vec::with_capacity(rows.len() * length * size);
        for &number in rows {
            let mut rng = self.streams.rng(Stream::ExplicitIndices, number, 0);
            for _ in 0..*length {
                bytes.extend_from_slice(&rng.random::<u64>().to_le_bytes()[..size]);
            }
        }
        operands.push(bytes);
        operands
    }

    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput {
        let problem = self.problem;
        let index_base = self.index_base(number);
        let of_function = self.computed.as_ref().map_or(0, FunctionEvaluator::count);
        let explicit: Arc<[u8]> = operands.bytes.get(of_function).cloned().unwrap_or_default();
        let explicit_indices = PackedElements::new(&explicit, self.arg_compare.index.bytes());
        let mut row = vec![0u64; problem.shape.reduced_size() as usize];
        let bytes = slots.len() * row.len() * problem.element.bytes() as usize;
        let mut elements = Vec::with_capacity(bytes);
        let mut expected = Vec::with_capacity(slots.len());
        let mut rows_of_computed = Vec::new();
        let pattern = |slot: &Slot| {
            let all = ArgComparePattern::all(problem.reduced_type());
            slot.pattern
                .map_or(ArgComparePattern::Planted, |pattern| all[pattern])
        };
        let viewed = self.computed.as_ref().and_then(|computed| {
            computed.viewed(operands, (number, slots), |(_, slot)| {
                let mut row = row.clone();
                let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
                pattern(slot).fill(&self.values, &mut row, slot.turn, &mut rng);
                computed.convert(&mut row, &mut rng);
                row
            })
        });
        let (tensor, seen) = viewed.unzip();
        for (place, slot) in slots.iter().enumerate() {
            let pattern = pattern(slot);
            // The same stream as above, so that a row has the same elements with a view and
            // without.
            let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
            match &seen {
                None => pattern.fill(&self.values, &mut row, slot.turn, &mut rng),
                Some(rows) => row.copy_from_slice(&rows[place]),
            }
            let computed = self.computed.as_mut().map(|computed| {
                if seen.is_none() {
                    computed.convert(&mut row, &mut rng);
                }
                computed.row(&row, place, operands)
            });
            let reduced = computed.as_ref().unwrap_or(&row);
            let initial = match self.arg_compare.initial {
                Initial::Worst | Initial::Pair(..) => Pair {
                    value: self.values.start,
                    index: self.arg_compare.index_of_none(),
                },
                Initial::Outputs => {
                    let mut rng = self.streams.rng(Stream::Initial, slot.row, number);
                    self.initial(pattern, slot.turn, reduced, &mut rng)
                }
            };
            let indices = match self.arg_compare.index_mode {
                IndexMode::Position | IndexMode::Based => Indices::Based(index_base),
                IndexMode::Explicit => Indices::Explicit(explicit_indices.row(place, row.len())),
            };
            // The reference reduces the function's values: the elements themselves if there is no
            // function.
            let found = fold(&mut self.compare, initial.value, aview1(reduced));
            let index = found.position.and_then(|position| indices.get(position));
            expected.push(ExpectedPair {
                pattern,
                initial,
                result: Pair {
                    value: found.value,
                    index: index.unwrap_or(initial.index),
                },
                position: found.position,
            });
            if let Some(computed) = &computed {
                let size = problem.reduced_type().bytes() as usize;
                for bits in computed {
                    rows_of_computed.extend_from_slice(&bits.to_le_bytes()[..size]);
                }
            }
            append(&mut elements, problem.element, &row, &mut rng);
        }
        LaunchInput {
            tensor,
            elements,
            index_base,
            reference: Box::new(ArgCompareReference {
                arg_compare: Arc::clone(&self.arg_compare),
                index_base,
                explicit_indices: Arc::clone(&explicit),
                computed: rows_of_computed,
                expected,
            }),
        }
    }
}

impl ArgCompareMaker<'_> {
    fn initial(
        &mut self,
        pattern: ArgComparePattern,
        turn: usize,
        row: &[u64],
        rng: &mut impl Rng,
    ) -> Pair {
        let start = InitialPair::of(pattern, self.problem.reduced_type(), turn);
        let bytes = rng.random::<u64>().to_le_bytes();
        let index = PackedElements::new(&bytes, self.arg_compare.index.bytes()).signed(0);
        Pair {
            value: start.value(&self.values, row, &mut self.compare, rng),
            index: index.unwrap_or_default(),
        }
    }

    /// Returns the index base of launch `number`: the largest that leaves room for the positions,
    /// then a negative one, a small one, and 0. The first two launches never have base 0, with
    /// which a kernel that ignores the base would be correct.
    fn index_base(&self, number: usize) -> i64 {
        if self.arg_compare.index_mode != IndexMode::Based {
            return 0;
        }
        let capacity = self.arg_compare.index.capacity();
        let largest = (capacity - self.problem.shape.reduced_size()) as i64;
        let lowest = -((capacity - 1) as i64) - 1;
        let mut rng = self.streams.rng(Stream::IndexBase, 0, number);
        match number % 4 {
            0 => largest,
            1 => rng.random_range(lowest..0),
            2 => rng.random_range(1..1000).min(largest),
            _ => 0,
        }
    }
}
