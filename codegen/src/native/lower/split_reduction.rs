//! The split reduction: workgroups share rows and do not wait. Each publishes its states in
//! memory and increments a counter. The last one to do so reduces them.
//!
//! A workgroup's states are visible to the whole device before it is counted, and the last
//! workgroup sees all states that were published before. It resets the counter, so that the next
//! launch finds it unchanged.

use configgen::comparator::IntegerPredicate;

use super::barrier::barrier;
use super::exchange_reduction::combine_exchanged;
use super::results::{self, RowNumber};
use super::state::{self, RowState};
use super::thread_ids::{Ids, tile_row};
use crate::native::ir::{
    Builder, FenceOrder, FenceScope, IrOperation, KernelPart, Lds, Parameter, Type, Value,
};
use crate::native::stages::final_stage::Final;
use crate::native::stages::gridwise::Split;

/// Publishes the state of a row, in the current lanes.
pub(super) fn publish_state(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    split: Split,
    held: &RowState,
) {
    let combiner = kernel.lanes.block.grid.combiner.as_ref();
    let row = RowNumber::build(ir, kernel, ids, &held.row);
    let bytes = combiner.partial_bytes();
    let address = row.part(ir, Parameter::Workspace, split.pieces, ids.piece, bytes);
    state::store(ir, combiner, &held.state, address);
}

/// Builds the end of the kernel after all rows: the last workgroup reduces the published states
/// and stores the results.
pub(super) fn reduce(ir: &mut Builder, kernel: &Final, ids: &Ids, split: Split) {
    ir.comment(
        "The workgroup is counted; the last of those that share rows reduces what all have left.",
    );
    let counter = counter(ir, kernel, ids);
    let before = count(ir, kernel, ids, counter);
    let last = split.pieces - 1;
    let is_last = ir.compare(IntegerPredicate::Eq, before, Value::i32(last));
    ir.guarded(&[is_last], |ir| {
        ir.act(IrOperation::Fence(FenceScope::Device, FenceOrder::Acquire));
        let is_first = ir.compare(IntegerPredicate::Eq, ids.thread, Value::i32(0));
        ir.guarded(&[is_first], |ir| {
            // All workgroups of the tile have been counted, so no other accesses the counter.
            ir.store(Value::i32(0), counter, 4);
        });
        let states = kernel.lanes.block.grid.tile_rows() * split.pieces;
        ids.distribute(ir, kernel, states, |ir, number| {
            reduce_row(ir, kernel, ids, split, number);
        });
    });
}

/// Returns the address of the tile's counter.
pub(super) fn counter(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Value {
    let grid = &kernel.lanes.block.grid;
    let states = Value::i64(grid.left_bytes());
    let counters = ir.offset(Value::buffer(Parameter::Workspace), states);
    let tile = ir.resized(ids.tile, Type::I64);
    let offset = ir.mul(tile, 4);
    ir.offset(counters, offset)
}

/// Counts the workgroup and returns the earlier count (i32, uniform).
fn count(ir: &mut Builder, kernel: &Final, ids: &Ids, counter: Value) -> Value {
    let arrived = Value::lds(Lds::Arrived);
    let has_others = kernel.lanes.block.subgroups() > 1;
    // Each thread releases its own states; the barrier then orders them before the atomic.
    ir.act(IrOperation::Fence(FenceScope::Device, FenceOrder::Release));
    if has_others {
        barrier(ir);
    }
    let is_first = ir.compare(IntegerPredicate::Eq, ids.thread, Value::i32(0));
    let before = ir.guarded_value(&[is_first], Value::i32(0), |ir| {
        let before = ir.value(
            Type::I32,
            IrOperation::AtomicAdd(counter, Value::i32(1), Some(FenceOrder::Both)),
        );
        if has_others {
            ir.store(before, arrived, 4);
        }
        before
    });
    let before = match has_others {
        true => {
            barrier(ir);
            ir.load(Type::I32, arrived, 4)
        }
        false => before,
    };
    ir.value(Type::I32, IrOperation::ReadFirstLane(before))
}

/// Reads state `number` (i32) of the tile, reduces it with those of its row, and stores the
/// result in the row's first lane.
fn reduce_row(ir: &mut Builder, kernel: &Final, ids: &Ids, split: Split, number: Value) {
    let grid = &kernel.lanes.block.grid;
    let pieces = u64::from(split.pieces);
    let piece = ir.rem(number, pieces);
    let row = ir.div(number, pieces);
    let row = tile_row(ir, kernel, row);
    let mut conditions = ids.is_stored(ir, kernel, &row);
    conditions.extend(ids.exists(ir, kernel, &row));
    // Rows of another tile are skipped, because their workgroups may not have published yet.
    ir.guarded(&conditions, |ir| {
        let number = RowNumber::build(ir, kernel, ids, &row);
        let bytes = grid.combiner.partial_bytes();
        let address = number.part(ir, Parameter::Workspace, split.pieces, piece, bytes);
        let state = state::load(ir, grid.combiner.as_ref(), address);
        let state = combine_exchanged(ir, grid.combiner.as_ref(), ids, &kernel.pieces, state);
        let is_first = ir.compare(IntegerPredicate::Eq, piece, Value::i32(0));
        ir.guarded(&[is_first], |ir| {
            ir.part(KernelPart::Store, |ir| {
                results::store(ir, kernel, ids, &row, &state);
            });
        });
    });
}
