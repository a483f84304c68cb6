//! The kernel of a row operation: fold by fold, all lanes of a row receive the row's value.
//!
//! If a lane takes all elements of its rows in one step, they are loaded once and stay in
//! registers. Otherwise each fold loads them again, and so do the outputs. Workgroups that share
//! rows wait after each fold ([`grid_barrier`](super::grid_barrier)). The partials of each fold
//! have their own place in LDS, so that no subgroup waits for others to read.

use super::accumulate;
use super::barrier::barrier;
use super::exchange_reduction::combine_exchanged;
use super::grid_barrier::GridBarrier;
use super::inputs::{InputTiles, Inputs};
use super::lane_offset::{self, LaneOffsets};
use super::lane_step::{Batches, LaneStep};
use super::outputs;
use super::row_elements;
use super::state::RowState;
use super::store::{read_partials, write_partial};
use super::subgroup_reduction::first_of_row;
use super::thread_ids::Ids;
use crate::native::combiner::{StateValues, region};
use crate::native::ir::{Builder, KernelPart, Value};
use crate::native::stages::epilogue::Epilogue;
use crate::native::stages::final_stage::{Final, LaneFold};

/// Builds the rest of the kernel.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    sequel: &Epilogue,
    ids: &Ids,
    places: &[LaneOffsets],
) {
    let batches = Batches::new(kernel);
    let inputs = ir.part(KernelPart::Load, |ir| {
        Inputs::build(ir, kernel, ids, places, &batches.accesses())
    });
    // Loads at positions depend on these, so they come before all others.
    let first_values = ir.part(KernelPart::Load, |ir| {
        row_elements::first(ir, kernel, sequel, ids, places)
    });
    if !kernel.lanes.block.loops().is_empty() {
        let loaded = (&batches, &inputs, None);
        return rest(ir, kernel, sequel, ids, places, loaded, first_values);
    }
    ir.comment("The elements, which stay in registers.");
    let first = vec![Value::i32(0); kernel.lanes.along.len()];
    let bases = inputs.at(ir, inputs.first(), &first);
    let accesses = batches.accesses();
    let kept = inputs.load(ir, kernel, &sequel.reads(), &bases, accesses.iter());
    // Values computed from kept elements stay in registers, too.
    ir.remembering(|ir| {
        let loaded = (&batches, &inputs, Some(&kept[..]));
        rest(ir, kernel, sequel, ids, places, loaded, first_values);
    });
}

/// Builds all that follows the loads of a row that stays in registers; otherwise builds
/// everything. `first_values` has elements of each row.
fn rest(
    ir: &mut Builder,
    kernel: &Final,
    sequel: &Epilogue,
    ids: &Ids,
    places: &[LaneOffsets],
    (batches, inputs, kept): (&Batches, &Inputs, Option<&[InputTiles]>),
    first_values: Vec<Vec<Option<Value>>>,
) {
    let rows = kernel.lanes.rows();
    let mut values = ir.part(KernelPart::Load, |ir| {
        row_elements::at_positions(ir, kernel, sequel, ids, places, first_values)
    });
    // A fold has no positions, so the lane's own is an unused zero.
    let own = Value::bits(kernel.lanes.block.grid.combiner.position_type(), 0);
    let awaited = GridBarrier::build(ir, kernel, ids);
    for (fold, number) in sequel.folds.iter().zip(0u32..) {
        ir.comment("A fold of the row.");
        let kernel = kernel.of_fold(number as usize);
        let states = ir.part(KernelPart::Fold, |ir| {
            let mut lane = LaneStep::build(ir, &kernel, ids, places, batches, inputs);
            lane.kept = kept;
            lane.rows.clone_from(&values);
            accumulate::states(ir, &lane, own, &vec![None; rows.len()])
        });
        ir.comment("What it gives, in all lanes of the row.");
        let mut states = everywhere(ir, &kernel, ids, places, states, number);
        if let Some(awaited) = &awaited {
            states = ir.part(KernelPart::Pieces, |ir| {
                awaited.combine_pieces(ir, &kernel, ids, places, states, number)
            });
        }
        for (known, state) in values.iter_mut().zip(states) {
            let arguments: Vec<Value> = state.into_iter().chain(known.iter().copied()).collect();
            known.push(region::build(ir, &fold.value, &arguments));
        }
    }
    ir.comment("The outputs.");
    let mut lane = LaneStep::build(ir, kernel, ids, places, batches, inputs);
    lane.kept = kept;
    lane.rows = values;
    ir.part(KernelPart::Store, |ir| {
        outputs::build(ir, &lane, sequel, ids, places);
    });
}

/// Merges the states of a lane's rows into those of the workgroup's piece of the rows, in fold
/// `number`. All lanes receive the result.
fn everywhere(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[LaneOffsets],
    mut states: Vec<StateValues>,
    number: u32,
) -> Vec<StateValues> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner.as_ref();
    if let LaneFold::Pairs(exchanges) = &kernel.fold {
        ir.part(KernelPart::Lanes, |ir| {
            for state in &mut states {
                *state = combine_exchanged(ir, combiner, ids, exchanges, std::mem::take(state));
            }
        });
    }
    if lanes.block.sharers() == 1 {
        return states;
    }
    ir.part(KernelPart::Lds, |ir| {
        let first = first_of_row(ir, ids, lanes.shared_bits());
        let sharer = ids.sharer(ir, kernel);
        let mut coordinates = Vec::new();
        for (row, state) in lanes.rows().iter().zip(states) {
            let (row, own) = lane_offset::row(ir, kernel, places, row);
            let held = RowState {
                conditions: [first].into_iter().chain(own).collect(),
                row,
                state,
            };
            ir.guarded(&held.conditions, |ir| {
                write_partial(ir, kernel, &held, sharer, number);
            });
            coordinates.push(held.row);
        }
        barrier(ir);
        // Every lane reads all partials of its rows, which saves a second barrier for the result.
        let rows = coordinates.iter();
        rows.map(|row| {
            let partials = read_partials(ir, kernel, row, number);
            accumulate::fold(ir, combiner, partials)
        })
        .collect()
    })
}
