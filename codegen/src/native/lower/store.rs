//! From the states of rows to the results: directly, or through LDS if several subgroups share a
//! row.

use configgen::comparator::IntegerPredicate;

use super::barrier::barrier;
use super::exchange_reduction::combine_exchanged;
use super::state::{self, RowState};
use super::thread_ids::{Ids, number_in_tile, tile_row};
use super::{results, split_reduction};
use crate::native::combiner::StateValues;
use crate::native::ir::{Builder, IrOperation, KernelPart, Lds, Value};
use crate::native::stages::final_stage::Final;

/// Builds the end of the kernel.
pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids, rows: Vec<RowState>) {
    match kernel.lanes.block.partials() {
        0 => {
            for row in rows {
                store(ir, kernel, ids, &row);
            }
        }
        partials => {
            ir.comment("The states of the subgroups that share a row meet in LDS.");
            let sharer = ids.sharer(ir, kernel);
            for row in rows {
                ir.guarded(&row.conditions, |ir| {
                    write_partial(ir, kernel, &row, sharer, 0);
                });
            }
            // All partials must be in LDS before any thread reads one.
            barrier(ir);
            ids.distribute(ir, kernel, partials, |ir, number| {
                // A row beyond the count has no partials.
                let exists = exists(ir, kernel, ids, number);
                ir.guarded(&exists, |ir| {
                    let row = fold_partials(ir, kernel, ids, number);
                    store(ir, kernel, ids, &row);
                });
            });
        }
    }
    if let Some(split) = kernel.lanes.block.grid.split {
        ir.part(KernelPart::Pieces, |ir| {
            split_reduction::reduce(ir, kernel, ids, split)
        });
    }
}

/// Writes the state of a row to LDS, for subgroup `sharer` (i32) of those that share the row. The
/// partials of the first `folds` folds precede it. The partials of a row are adjacent, each as
/// words.
pub(super) fn write_partial(
    ir: &mut Builder,
    kernel: &Final,
    held: &RowState,
    sharer: Value,
    folds: u32,
) {
    let first = first_partial(ir, kernel, &held.row, folds);
    let place = ir.add(first, sharer);
    let address = partial_address(ir, kernel, place);
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    state::store(ir, combiner, &held.state, address);
}

/// Reads the partials of the subgroups that share a row, at these coordinates of the tile (i32).
/// Every lane reads the same.
pub(super) fn read_partials(
    ir: &mut Builder,
    kernel: &Final,
    row: &[Value],
    folds: u32,
) -> Vec<StateValues> {
    let first = first_partial(ir, kernel, row, folds);
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    let sharers = 0..kernel.lanes.block.sharers();
    let states = sharers.map(|sharer| {
        let place = ir.add(first, Value::i32(sharer));
        let address = partial_address(ir, kernel, place);
        state::load(ir, combiner, address)
    });
    states.collect()
}

/// Returns the number (i32) of the first partial of a row, after those of the first `folds`
/// folds.
fn first_partial(ir: &mut Builder, kernel: &Final, row: &[Value], folds: u32) -> Value {
    let block = &kernel.lanes.block;
    let place = number_in_tile(ir, kernel, row);
    let place = ir.mul(place, block.sharers().into());
    ir.add(place, Value::i32(folds * block.partials()))
}

/// Returns the address of partial `place` (i32).
fn partial_address(ir: &mut Builder, kernel: &Final, place: Value) -> Value {
    let bytes = kernel.lanes.block.grid.combiner.partial_bytes();
    let lds = Value::lds(Lds::Partials);
    ir.value(lds.kind, IrOperation::Offset(lds, place, bytes))
}

/// Returns the conditions (i1) under which the row of partial `number` (i32) exists. Neighbouring
/// lanes read the partials of a row, so either all lanes of an exchange exist or none.
fn exists(ir: &mut Builder, kernel: &Final, ids: &Ids, number: Value) -> Vec<Value> {
    if ids.along.iter().all(|along| along.extent.is_none()) {
        return Vec::new();
    }
    let row = ir.div(number, kernel.lanes.block.sharers().into());
    let row = tile_row(ir, kernel, row);
    ids.exists(ir, kernel, &row)
}

/// Reads partial `number` (i32) and reduces it with those of its row. The result is in the row's
/// first lane.
fn fold_partials(ir: &mut Builder, kernel: &Final, ids: &Ids, number: Value) -> RowState {
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    let address = partial_address(ir, kernel, number);
    let state = state::load(ir, combiner, address);
    let state = combine_exchanged(ir, combiner, ids, &kernel.partials, state);
    let sharers = kernel.lanes.block.sharers();
    let sharer = ir.rem(number, sharers.into());
    let row = ir.div(number, sharers.into());
    RowState {
        // The exchanges give every lane of the row the result; the first lane has the condition.
        conditions: vec![ir.compare(IntegerPredicate::Eq, sharer, Value::i32(0))],
        row: tile_row(ir, kernel, row),
        state,
    }
}

/// Stores a row's results if they are this workgroup's. If workgroups share the row, publishes
/// its state.
fn store(ir: &mut Builder, kernel: &Final, ids: &Ids, held: &RowState) {
    let split = kernel.lanes.block.grid.split;
    let part = match split {
        None => KernelPart::Store,
        Some(_) => KernelPart::Pieces,
    };
    ir.part(part, |ir| {
        let mut conditions = held.conditions.clone();
        conditions.extend(ids.is_stored(ir, kernel, &held.row));
        ir.guarded(&conditions, |ir| match split {
            None => results::store(ir, kernel, ids, &held.row, &held.state),
            Some(split) => split_reduction::publish_state(ir, kernel, ids, split, held),
        });
    });
}
