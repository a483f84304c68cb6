//! Making inputs of plain reductions: rows, and what they should give.

use std::sync::Arc;

use configgen::Problem;
use configgen::reduction::Fold;

use super::pattern::Pattern;
use super::right::Right;
use super::values::Values;
use super::{Expected, Launch, right};
use crate::operation::{LaunchInput, Maker, Slot, Stream, Streams, append, poison};

/// Rows whose result is the poison are filled again, so often at most.
const ATTEMPTS: usize = 8;

/// Makes the inputs of one problem and seed.
pub(crate) struct Results<'a> {
    problem: &'a Problem,
    values: Values,
    patterns: Vec<Pattern>,
    streams: Streams,
}

impl<'a> Results<'a> {
    pub(crate) fn new(problem: &'a Problem, fold: &Fold, seed: u64) -> Results<'a> {
        Results {
            problem,
            values: Values::new(*fold),
            patterns: Pattern::all(fold),
            streams: Streams { seed },
        }
    }
}

impl Maker for Results<'_> {
    fn patterns(&self) -> usize {
        self.patterns.len()
    }

    fn operands(&self, _: &[u64]) -> Vec<u8> {
        Vec::new()
    }

    fn launch(&mut self, number: usize, slots: &[Slot], _: &Arc<[u8]>) -> LaunchInput {
        let (problem, fold) = (self.problem, self.values.fold);
        let mut row = vec![0u64; problem.shape.reduced_size() as usize];
        let bytes = slots.len() * row.len() * problem.element.bytes() as usize;
        let mut elements = Vec::with_capacity(bytes);
        // A narrow result may be what an output holds that was not written.
        let unwritten = Right::Bits(poison(fold.accumulator().bytes()));
        let fill = |slot: &Slot| {
            let pattern = match slot.pattern {
                Some(pattern) => self.patterns[pattern],
                None => Pattern::of_holes(&fold, slot.turn),
            };
            let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
            let mut expected = Expected {
                pattern,
                right: unwritten,
            };
            for _ in 0..ATTEMPTS {
                pattern.fill(&self.values, &mut row, slot.turn, &mut rng);
                expected.right = right(&fold, &row);
                if expected.right != unwritten {
                    break;
                }
            }
            append(&mut elements, problem.element, &row, &mut rng);
            expected
        };
        let expected = slots.iter().map(fill).collect();
        LaunchInput {
            elements,
            index_base: 0,
            reference: Box::new(Launch { fold, expected }),
        }
    }
}
