//! The lazy loop: for each row the best value so far and the step in which it was found, and nothing of where in the step.
//!
//! Elements cost half an instruction each where the target takes the best of three at once. Which element it was, and
//! which of equals, is found by taking the elements of that one step again.

use configgen::comparator::order::Ties;

use super::accumulate::{Lane, Slots};
use super::steps::{self, Body, Step};
use crate::native::combiner::{ArgCompare, Combiner, select};
use crate::native::ir::{Ir, Value};
use crate::native::scalar::Scalar;

/// Prints the loop over dimension `number` and returns of each row the first element of the best step (i32).
pub(super) fn print(
    ir: &mut Ir,
    lane: &Lane<'_>,
    number: usize,
    initial: &[Option<Value>],
) -> Vec<Value> {
    let kernel = lane.kernel;
    let combiner = &kernel.lanes.block.grid.combiner;
    let mut slots: Slots = initial
        .iter()
        .map(|value| {
            vec![
                combiner.initial(value.as_ref()).swap_remove(0),
                Value::Int(0),
            ]
        })
        .collect();
    let skim = Skim { lane, combiner };
    steps::print(ir, kernel, &skim, &[number], &lane.memory.first, &mut slots);
    slots
        .into_iter()
        .map(|mut slot| slot.swap_remove(1))
        .collect()
}

struct Skim<'a> {
    lane: &'a Lane<'a>,
    combiner: &'a ArgCompare,
}

impl Body for Skim<'_> {
    fn slot(&self) -> Vec<Scalar> {
        vec![self.combiner.value(), Scalar::I32]
    }

    fn step(&self, ir: &mut Ir, step: &Step<'_>, slots: &mut Slots) {
        let rows = self.lane.load_rows(ir, step.pointer);
        for (slot, elements) in slots.iter_mut().zip(rows) {
            let kind = self.combiner.value();
            let (best, better) = match self.combiner.ties {
                // An equal element changes nothing: whether anything did is seen afterwards.
                Some(Ties::First) | None => {
                    let best = self.best(ir, Some(slot[0].clone()), elements);
                    let better = self.combiner.replaces(ir, &best, &slot[0]);
                    (best, better)
                }
                Some(Ties::Last) => {
                    let best = self.best(ir, None, elements);
                    let better = self.combiner.replaces(ir, &best, &slot[0]);
                    (select(ir, &better, kind, &best, &slot[0]), better)
                }
            };
            let first = select(ir, &better, Scalar::I32, step.counter, &slot[1]);
            *slot = vec![best, first];
        }
    }
}

impl Skim<'_> {
    /// The best of all, each with what came before: LLVM takes two of these at once.
    fn best(&self, ir: &mut Ir, before: Option<Value>, elements: Vec<Value>) -> Value {
        let best = before
            .into_iter()
            .chain(elements)
            .reduce(|best, element| self.combiner.better_element(ir, &best, &element));
        best.expect("a step has elements")
    }
}
