//! The lazy index loop: keeps the best value and its step for each row, but no place in the step.
//!
//! If the target takes the best of three values at once, an element costs half an instruction. A
//! second pass over that one step then finds the element, and decides between equals.

use configgen::comparator::order::Ties;

use super::lane_step::LaneStep;
use super::step_loop::{self, LoopStep, Slots, StepBody};
use crate::native::combiner::{ArgCompare, Combiner as _};
use crate::native::ir::{Builder, Value};

/// Builds the loop over dimension `number`. Returns the first element of the best step (i32) for
/// each row.
pub(super) fn build(
    ir: &mut Builder,
    lane: &LaneStep<'_>,
    number: usize,
    initial: &[Option<Value>],
) -> Vec<Value> {
    let kernel = lane.kernel;
    let combiner = kernel.lanes.block.grid.combiner.by_value();
    let combiner = combiner.expect("legality asks whether one comparison tells");
    let mut slots: Slots = initial
        .iter()
        .map(|&value| vec![combiner.initial(value)[0], Value::i32(0)])
        .collect();
    let skim = LazyIndexLoop {
        lane,
        combiner,
        number,
    };
    step_loop::build(
        ir,
        kernel,
        &skim,
        &[number],
        lane.inputs.first(),
        &mut slots,
    );
    slots.into_iter().map(|slot| slot[1]).collect()
}

struct LazyIndexLoop<'a> {
    lane: &'a LaneStep<'a>,
    combiner: &'a ArgCompare,
    /// The number of the dimension.
    number: usize,
}

impl StepBody for LazyIndexLoop<'_> {
    fn step(&self, ir: &mut Builder, step: &LoopStep<'_>, slots: &mut Slots) {
        let rows = self.lane.load_rows(ir, step);
        for (slot, elements) in slots.iter_mut().zip(rows) {
            let (best, better) = match self.combiner.ties {
                // Equal elements change nothing, so one comparison after the step suffices.
                Some(Ties::First) | None => {
                    let best = self.best(ir, Some(slot[0]), elements);
                    let better = self.combiner.replaces(ir, best, slot[0]);
                    (best, better)
                }
                Some(Ties::Last) => {
                    let best = self.best(ir, None, elements);
                    let better = self.combiner.replaces(ir, best, slot[0]);
                    (ir.select(better, best, slot[0]), better)
                }
            };
            let first = ir.select(better, step.first[self.number], slot[1]);
            *slot = vec![best, first];
        }
    }
}

impl LazyIndexLoop<'_> {
    /// Returns the best of all elements. Combines each with the result so far, because LLVM
    /// merges two such operations into one.
    fn best(&self, ir: &mut Builder, before: Option<Value>, elements: Vec<Value>) -> Value {
        let best = before
            .into_iter()
            .chain(elements)
            .reduce(|best, element| self.combiner.better_element(ir, best, element));
        best.expect("a step has elements")
    }
}
