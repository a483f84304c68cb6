//! From the states of rows to the results: directly, or by way of LDS where several subgroups share a row.

use super::ids::{Ids, tile_row};
use super::lanes::{Held, met};
use super::{pieces, results, state};
use crate::native::combiner::Combiner;
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// Prints the end of the kernel. `lds` names its partials, `arrived` the word for [`pieces`].
pub(super) fn print(
    ir: &mut Ir,
    kernel: &Final,
    ids: &Ids,
    lds: &str,
    arrived: &str,
    rows: Vec<Held>,
) {
    match kernel.lanes.block.partials() {
        0 => {
            for row in rows {
                store(ir, kernel, ids, &row);
            }
        }
        partials => {
            let sharer = ids.sharer(ir, kernel);
            for row in rows {
                ir.guarded(&row.conditions, |ir| {
                    write_partial(ir, kernel, lds, &row, &sharer);
                });
            }
            barrier(ir);
            ids.deal(ir, kernel, partials, |ir, number| {
                let row = fold_partials(ir, kernel, ids, lds, number);
                store(ir, kernel, ids, &row);
            });
        }
    }
    if let Some(split) = kernel.lanes.block.grid.split {
        pieces::reduce(ir, kernel, ids, split, arrived);
    }
    ir.line(format_args!("ret void"));
}

/// Writes the state of a row, of the subgroup that is number `sharer` (i32) of those that share it, to LDS: partials of
/// a row side by side, each as words.
fn write_partial(ir: &mut Ir, kernel: &Final, lds: &str, held: &Held, sharer: &Value) {
    let block = &kernel.lanes.block;
    let mut place = Value::Int(0);
    for ((_, dimension), coordinate) in block.grid.parallel().zip(&held.row) {
        place = ir.mul("i32", &place, dimension.extent().into());
        place = ir.add("i32", &place, coordinate);
    }
    place = ir.mul("i32", &place, block.sharers().into());
    place = ir.add("i32", &place, sharer);
    let address = partial_address(ir, kernel, lds, &place);
    state::store(ir, &block.grid.combiner, &held.state, 3, &address);
}

/// The address of partial number `place` (i32).
fn partial_address(ir: &mut Ir, kernel: &Final, lds: &str, place: &Value) -> Value {
    let bytes = kernel.lanes.block.grid.combiner.partial_bytes();
    ir.value(format_args!(
        "getelementptr [{bytes} x i8], ptr addrspace(3) {lds}, i32 {place}"
    ))
}

/// All threads of the workgroup have written what others will read.
pub(super) fn barrier(ir: &mut Ir) {
    ir.line(format_args!("fence syncscope(\"workgroup\") release"));
    ir.line(format_args!("call void @llvm.amdgcn.s.barrier()"));
    ir.line(format_args!("fence syncscope(\"workgroup\") acquire"));
}

/// Reads partial number `number` (i32) and reduces it with its row's: the result is in the row's first lane.
fn fold_partials(ir: &mut Ir, kernel: &Final, ids: &Ids, lds: &str, number: &Value) -> Held {
    let combiner = &kernel.lanes.block.grid.combiner;
    let address = partial_address(ir, kernel, lds, number);
    let state = state::load(ir, combiner, 3, &address);
    let state = met(ir, combiner, ids, &kernel.partials, state);
    let sharers = kernel.lanes.block.sharers();
    let sharer = ir.rem("i32", number, sharers.into());
    let row = ir.div("i32", number, sharers.into());
    Held {
        conditions: vec![ir.value(format_args!("icmp eq i32 {sharer}, 0"))],
        row: tile_row(ir, kernel, &row),
        state,
    }
}

/// Stores a row's results where they are this workgroup's; where workgroups share the row, leaves its state.
fn store(ir: &mut Ir, kernel: &Final, ids: &Ids, held: &Held) {
    let mut conditions = held.conditions.clone();
    conditions.extend(ids.is_stored(ir, kernel, &held.row));
    ir.guarded(&conditions, |ir| match kernel.lanes.block.grid.split {
        None => results::store(ir, kernel, ids, &held.row, &held.state),
        Some(split) => pieces::leave(ir, kernel, ids, split, held),
    });
}
