//! What a lane does on its own: it accumulates the elements of its slots, then reduces its slots to states of rows.

use super::ids::Ids;
use super::inputs::Inputs;
use super::lane::{Batches, From, Lane};
use super::place::{self, Place};
use super::results::RowNumber;
use super::steps::{self, Slots};
use super::{positions, skim};
use crate::native::combiner::{Combiner, State, register};
use crate::native::ir::{Builder, Parameter, Part, Value};
use crate::native::stages::last::Final;

/// Builds the accumulation and returns the lane's state of each of its rows.
pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids, places: &[Place]) -> Vec<State> {
    let own = positions::own(ir, kernel, ids, places);
    let initial = initial_values(ir, kernel, ids, places);
    let batches = Batches::new(kernel);
    let inputs = ir.part(Part::Load, |ir| {
        Inputs::build(ir, kernel, ids, places, &batches.accesses())
    });
    let lane = Lane::build(ir, kernel, ids, places, &batches, &inputs);
    states(ir, &lane, own, &initial)
}

/// Builds the accumulation of a lane whose first position is `own`, from the initial value of each of its rows on.
pub(super) fn states(
    ir: &mut Builder,
    lane: &Lane<'_>,
    own: Value,
    initial: &[Option<Value>],
) -> Vec<State> {
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
            let steps = skim::build(ir, lane, number, initial);
            ir.comment("The elements of the best step once more: which of them it is.");
            let froms: Vec<From> = (steps.iter().enumerate())
                .map(|(row, &step)| lane.start_of(ir, row, number, step))
                .collect();
            lane.take(ir, &froms, &mut slots);
        }
        None => {
            steps::build(ir, kernel, lane, &loops, lane.inputs.first(), &mut slots);
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

/// The initial value of each of the lane's rows, in the form of its slots, where the outputs hold it. That of a row that
/// is stored elsewhere is not read: it may have been stored by now.
fn initial_values(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[Place],
) -> Vec<Option<Value>> {
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    let rows = kernel.lanes.rows();
    if !combiner.begins_at_results() {
        return vec![None; rows.len()];
    }
    let (element, form) = (combiner.element(), combiner.form());
    let otherwise = combiner.initial(None)[0];
    let mut value = |row: &Vec<u32>| {
        let (row, mut conditions) = place::row(ir, kernel, places, row);
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

/// The states of a row in one, pair by pair.
pub(super) fn fold(ir: &mut Builder, combiner: &dyn Combiner, mut states: Vec<State>) -> State {
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
