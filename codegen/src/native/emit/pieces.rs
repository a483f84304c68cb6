//! Workgroups that share rows: each leaves its states in memory and counts itself; the last one to do so reduces them.
//!
//! What a workgroup leaves is visible to the whole device before it is counted, and the last one sees everything that was
//! left before any was counted. It sets the counter back, so that the next launch finds it as this one did.

use super::ids::{Ids, tile_row};
use super::lanes::{Held, met};
use super::results::{self, RowNumber};
use super::state;
use super::store::barrier;
use crate::native::combiner::Combiner;
use crate::native::gridwise::Split;
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// The parameter.
const WORKSPACE: &str = "%workspace";

/// Leaves the state of a row, in the current lanes.
pub(super) fn leave(ir: &mut Ir, kernel: &Final, ids: &Ids, split: Split, held: &Held) {
    let combiner = &kernel.lanes.block.grid.combiner;
    let row = RowNumber::print(ir, kernel, ids, &held.row);
    let bytes = combiner.partial_bytes();
    let address = row.part(ir, WORKSPACE, split.pieces, &ids.piece, bytes);
    state::store(ir, combiner, &held.state, 1, &address);
}

/// Prints what comes after all rows: in the last workgroup, reducing what was left and storing the results. `arrived` names
/// a word of LDS.
pub(super) fn reduce(ir: &mut Ir, kernel: &Final, ids: &Ids, split: Split, arrived: &str) {
    let counter = counter(ir, kernel, ids);
    let before = count(ir, kernel, ids, &counter, arrived);
    let last = split.pieces - 1;
    let is_last = ir.value(format_args!("icmp eq i32 {before}, {last}"));
    ir.guarded(&[is_last], |ir| {
        ir.line(format_args!("fence syncscope(\"agent\") acquire"));
        let is_first = ir.value(format_args!("icmp eq i32 {}, 0", ids.thread));
        ir.guarded(&[is_first], |ir| {
            ir.line(format_args!(
                "store i32 0, ptr addrspace(1) {counter}, align 4"
            ));
        });
        let states = kernel.lanes.block.grid.tile_rows() * split.pieces;
        ids.deal(ir, kernel, states, |ir, number| {
            reduce_row(ir, kernel, ids, split, number);
        });
    });
}

/// The address of the tile's counter.
fn counter(ir: &mut Ir, kernel: &Final, ids: &Ids) -> Value {
    let grid = &kernel.lanes.block.grid;
    let states = Value::from(grid.left_bytes());
    let counters = ir.offset(1, &Value::text(WORKSPACE), &states);
    let tile = match grid.id_kind() {
        "i32" => ir.widen(&ids.tile),
        _ => ids.tile.clone(),
    };
    let offset = ir.mul("i64", &tile, 4);
    ir.offset(1, &counters, &offset)
}

/// Counts the workgroup; how many (i32, uniform) had been counted before.
fn count(ir: &mut Ir, kernel: &Final, ids: &Ids, counter: &Value, arrived: &str) -> Value {
    let has_others = kernel.lanes.block.subgroups() > 1;
    ir.line(format_args!("fence syncscope(\"agent\") release"));
    if has_others {
        barrier(ir);
    }
    let is_first = ir.value(format_args!("icmp eq i32 {}, 0", ids.thread));
    let before = ir.guarded_value(&[is_first], "i32", &Value::Int(0), |ir| {
        let before = ir.value(format_args!(
            "atomicrmw add ptr addrspace(1) {counter}, i32 1 syncscope(\"agent\") acq_rel"
        ));
        if has_others {
            ir.line(format_args!(
                "store i32 {before}, ptr addrspace(3) {arrived}, align 4"
            ));
        }
        before
    });
    let before = match has_others {
        true => {
            barrier(ir);
            ir.value(format_args!(
                "load i32, ptr addrspace(3) {arrived}, align 4"
            ))
        }
        false => before,
    };
    ir.value(format_args!(
        "call i32 @llvm.amdgcn.readfirstlane.i32(i32 {before})"
    ))
}

/// Reads state number `number` (i32) of the tile, reduces it with its row's and stores the result in the row's first lane.
fn reduce_row(ir: &mut Ir, kernel: &Final, ids: &Ids, split: Split, number: &Value) {
    let grid = &kernel.lanes.block.grid;
    let pieces = u64::from(split.pieces);
    let piece = ir.rem("i32", number, pieces);
    let row = ir.div("i32", number, pieces);
    let row = tile_row(ir, kernel, &row);
    let conditions = ids.is_stored(ir, kernel, &row);
    // What other tiles' workgroups leave is not waited for.
    ir.guarded(&conditions, |ir| {
        let number = RowNumber::print(ir, kernel, ids, &row);
        let bytes = grid.combiner.partial_bytes();
        let address = number.part(ir, WORKSPACE, split.pieces, &piece, bytes);
        let state = state::load(ir, &grid.combiner, 1, &address);
        let state = met(ir, &grid.combiner, ids, &kernel.pieces, state);
        let is_first = ir.value(format_args!("icmp eq i32 {piece}, 0"));
        ir.guarded(&[is_first], |ir| {
            results::store(ir, kernel, ids, &row, &state);
        });
    });
}
