//! Making inputs: rows, the indices and initial pairs that go with them, and what they should give.

use configgen::comparator::Evaluator;
use configgen::{ArgCompare, ElementType, IndexMode, Initial, Problem};
use ndarray::aview1;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::initial::Start;
use super::limits::Plan;
use super::{Expected, LaunchInput};
use crate::pattern::Pattern;
use crate::reference::fold;
use crate::row::{Indices, Packed, Pair};
use crate::values::Values;

/// Makes the inputs of one problem and seed.
pub(super) struct Maker<'a> {
    problem: &'a Problem,
    arg_compare: &'a ArgCompare,
    values: Values,
    compare: Evaluator,
    seed: u64,
}

/// What random numbers are for. Each has streams of its own, so that none changes when there is more of another.
#[derive(Clone, Copy)]
enum Stream {
    Elements,
    Initial,
    IndexBase,
    ExplicitIndices,
}

impl<'a> Maker<'a> {
    pub(super) fn new(problem: &'a Problem, arg_compare: &'a ArgCompare, seed: u64) -> Maker<'a> {
        Maker {
            problem,
            arg_compare,
            values: Values::new(&arg_compare.comparator).beginning_at(arg_compare.start()),
            compare: arg_compare.comparator.evaluator(),
            seed,
        }
    }

    /// The explicit indices of these rows, row by row; nothing where the problem has none.
    pub(super) fn explicit_indices(&self, rows: &[u64]) -> Vec<u8> {
        if self.arg_compare.index_mode != IndexMode::Explicit {
            return Vec::new();
        }
        let size = self.arg_compare.index.bytes() as usize;
        let row = self.problem.shape.reduced_size();
        let mut bytes = Vec::with_capacity(rows.len() * row as usize * size);
        for &number in rows {
            let mut rng = self.rng(Stream::ExplicitIndices, number, 0);
            for _ in 0..row {
                bytes.extend_from_slice(&rng.random::<u64>().to_le_bytes()[..size]);
            }
        }
        bytes
    }

    /// The input of launch `number`, whose rows have these explicit indices, if any.
    pub(super) fn launch(
        &mut self,
        plan: &Plan,
        number: usize,
        explicit_indices: &[u8],
    ) -> LaunchInput {
        let problem = self.problem;
        let size = problem.element.bytes() as usize;
        let index_base = self.index_base(number);
        let explicit_indices = Packed::new(explicit_indices, self.arg_compare.index.bytes());
        let mut row = vec![0u64; problem.shape.reduced_size() as usize];
        let mut elements = Vec::with_capacity(plan.rows.len() * row.len() * size);
        let mut expected = Vec::with_capacity(plan.rows.len());
        for (place, &row_number) in plan.rows.iter().enumerate() {
            let pattern = plan.pattern(problem, number, place);
            let turn = number * plan.rows.len() + place;
            let mut rng = self.rng(Stream::Elements, row_number, number);
            pattern.fill(&self.values, &mut row, turn, &mut rng);
            let initial = match self.arg_compare.initial {
                Initial::Worst | Initial::Pair(..) => Pair {
                    value: self.values.start,
                    index: self.arg_compare.index_of_none(),
                },
                Initial::Outputs => {
                    let mut rng = self.rng(Stream::Initial, row_number, number);
                    self.initial(pattern, turn, &row, &mut rng)
                }
            };
            let indices = match self.arg_compare.index_mode {
                IndexMode::Position | IndexMode::Based => Indices::Based(index_base),
                IndexMode::Explicit => Indices::Explicit(explicit_indices.row(place, row.len())),
            };
            let found = fold(&mut self.compare, initial.value, aview1(&row));
            let index = found.position.and_then(|position| indices.get(position));
            expected.push(Expected {
                pattern,
                initial,
                result: Pair {
                    value: found.value,
                    index: index.unwrap_or(initial.index),
                },
                position: found.position,
            });
            for element in &row {
                // Of the byte of a truth value bit 0 counts, and the others are there to mislead.
                let element = match problem.element {
                    ElementType::I1 => element | rng.random::<u64>() << 1,
                    _ => *element,
                };
                elements.extend_from_slice(&element.to_le_bytes()[..size]);
            }
        }
        LaunchInput {
            elements,
            index_base,
            expected,
        }
    }

    fn initial(&mut self, pattern: Pattern, turn: usize, row: &[u64], rng: &mut impl Rng) -> Pair {
        let start = Start::of(pattern, self.problem.element, turn);
        let bytes = rng.random::<u64>().to_le_bytes();
        let index = Packed::new(&bytes, self.arg_compare.index.bytes()).signed(0);
        Pair {
            value: start.value(&self.values, row, &mut self.compare, rng),
            index: index.unwrap_or_default(),
        }
    }

    /// The index base of launch `number`: the largest that leaves room for the positions, one below zero, a small one,
    /// 0. Of two launches none has base 0, which a kernel that ignores it would be right with.
    fn index_base(&self, number: usize) -> i64 {
        if self.arg_compare.index_mode != IndexMode::Based {
            return 0;
        }
        let capacity = self.arg_compare.index.capacity();
        let largest = (capacity - self.problem.shape.reduced_size()) as i64;
        let lowest = -((capacity - 1) as i64) - 1;
        let mut rng = self.rng(Stream::IndexBase, 0, number);
        match number % 4 {
            0 => largest,
            1 => rng.random_range(lowest..0),
            2 => rng.random_range(1..1000).min(largest),
            _ => 0,
        }
    }

    fn rng(&self, stream: Stream, row: u64, launch: usize) -> Pcg64Mcg {
        let stream = (stream as u128) << 56 | u128::from(row) << 8 | launch as u128;
        Pcg64Mcg::seed_from_u64(mix(u128::from(self.seed) << 64 | stream))
    }
}

/// Folds a seed and a position into one word, so that neighbouring rows get unrelated streams.
fn mix(stream: u128) -> u64 {
    let (high, low) = ((stream >> 64) as u64, stream as u64);
    (high ^ 0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .rotate_left(31)
        ^ low.wrapping_mul(0x94d0_49bb_1331_11eb)
}
