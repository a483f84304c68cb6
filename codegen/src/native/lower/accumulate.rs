//! The accumulation of a lane: its elements into slots, then its slots into the states of its
//! rows.

use super::inputs::Inputs;
use super::lane_offset::{self, LaneOffsets};
use super::lane_step::{Batches, LaneStep, StepElements};
use super::results::RowNumber;
use super::step_loop::{self, Slots};
use super::thread_ids::Ids;
use super::{lazy_index, positions};
use crate::native::combiner::{Combiner, StateValues, register};
use crate::native::ir::{Builder, KernelPart, Parameter, Value};
use crate::native::stages::final_stage::Final;

/// Builds the accumulation and returns the lane's state of each of its rows.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[LaneOffsets],
) -> Vec<StateValues> {
    let own = positions::own(ir, kernel, ids, places);
    let initial = initial_values(ir, kernel, ids, places);
    let batches = Batches::new(kernel);
    let inputs = ir.part(KernelPart::Load, |ir| {
        Inputs::build(ir, kernel, ids, places, &batches.accesses())
    });
    let lane = LaneStep::build(ir, kernel, ids, places, &batches, &inputs);
    states(ir, &lane, own, &initial)
}

/// Builds the accumulation of a lane with first position `own`, from the initial value of each of
/// its rows.
pub(super) fn states(
    ir: &mut Builder,
    lane: &LaneStep<'_>,
    own: Value,
    initial: &[Option<Value>],
) -> Vec<StateValues> {
    let kernel = lane.kernel;
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner.as_ref();
    let per_row = lanes.slots_per_row();
    let mut slots: Slots = initial
        .iter()
        .flat_map(|&value| vec![combiner.initial(value); per_row])
        .collect();
    let loops = lanes.block.loops();
    ir.comment("The elements, step by step, each taken into a slot.");
    match lanes.block.lazy_loop() {
        Some(number) => {
            let steps = lazy_index::build(ir, lane, number, initial);
            // The lazy index loop knows only the best step, so the winner's place in it is found
            // by a second pass.
            ir.comment("The elements of the best step once more: which of them it is.");
            let froms: Vec<StepElements> = (steps.iter().enumerate())
                .map(|(row, &step)| lane.start_of(ir, row, number, step))
                .collect();
            lane.take(ir, &froms, &mut slots);
        }
        None => {
            step_loop::build(ir, kernel, lane, &loops, lane.inputs.first(), &mut slots);
        }
    }
    ir.comment("The slots of a row become one state.");
    slots
        .chunks(per_row)
        .map(|row| {
            let settled = row.iter().zip(&lane.distances);
            let settled = settled.map(|(slot, &distance)| {
                let slot = lane.positioned(ir, slot);
                combiner.settle(ir, &slot, distance)
            });
            let settled = settled.collect();
            let row = fold(ir, combiner, settled);
            combiner.displace(ir, &row, own)
        })
        .collect()
}

/// Returns the initial value of each of the lane's rows, in the form of its slots, if the outputs
/// hold it. A row that another lane stores is not read, because it may have been stored already.
fn initial_values(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[LaneOffsets],
) -> Vec<Option<Value>> {
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    let rows = kernel.lanes.rows();
    if !combiner.begins_at_results() {
        return vec![None; rows.len()];
    }
    let (element, form) = (combiner.element(), combiner.form());
    let otherwise = combiner.initial(None)[0];
    let mut value = |row: &Vec<u32>| {
        let (row, mut conditions) = lane_offset::row(ir, kernel, places, row);
        conditions.extend(ids.is_stored(ir, kernel, &row));
        ir.guarded_value(&conditions, otherwise, |ir| {
            let row = RowNumber::build(ir, kernel, ids, &row);
            let address = row.address(ir, Parameter::Values, element.bytes());
            let loaded = register::load(ir, element, 1, address);
            register::elements(ir, loaded, element, form)[0]
        })
    };
    rows.iter().map(|row| Some(value(row))).collect()
}

/// Merges the states of a row into one, pair by pair.
pub(super) fn fold(
    ir: &mut Builder,
    combiner: &dyn Combiner,
    mut states: Vec<StateValues>,
) -> StateValues {
    // A tree, so that the merges of one level are independent of each other.
    while states.len() > 1 {
        states = states
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => combiner.combine(ir, a, b),
                odd => odd[0].clone(),
            })
            .collect();
    }
    states.swap_remove(0)
}
