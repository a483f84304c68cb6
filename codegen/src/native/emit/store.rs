//! From the states of rows to the results: directly, or by way of LDS where several subgroups share a row.

use super::exchange::{exchanged, from_bits, to_bits};
use super::ids::{Ids, delinearize};
use super::lanes::Held;
use super::memory::{integer, scaled};
use crate::native::blockwise::PARTIAL_BYTES;
use crate::native::combiner::{Combiner, State};
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// The output parameters, in the order of [`Combiner::finish`].
const OUTPUTS: [&str; 2] = ["%values", "%indices"];

/// Prints the end of the kernel. `lds` names its partials.
pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids, lds: &str, rows: Vec<Held>) {
    match kernel.lanes.block.partials() {
        0 => {
            for row in rows {
                store(ir, kernel, ids, &row);
            }
        }
        partials => {
            for row in rows {
                guarded(ir, &row.conditions, |ir| {
                    write_partial(ir, kernel, ids, lds, &row);
                });
            }
            barrier(ir);
            let threads = kernel.lanes.block.grid.threads;
            for first in (0..partials).step_by(threads as usize) {
                let number = ir.add("i32", &ids.thread, &first.into());
                let mut condition = None;
                if partials - first < threads {
                    condition = Some(ir.value(format_args!("icmp ult i32 {number}, {partials}")));
                }
                guarded(ir, condition.as_slice(), |ir| {
                    let row = fold_partials(ir, kernel, ids, lds, &number);
                    store(ir, kernel, ids, &row);
                });
            }
        }
    }
    ir.line(format_args!("ret void"));
}

/// Prints `body` for the threads in which all conditions (i1) hold.
fn guarded(ir: &mut Ir, conditions: &[Value], body: impl FnOnce(&mut Ir)) {
    let all = conditions
        .iter()
        .cloned()
        .reduce(|a, b| ir.value(format_args!("and i1 {a}, {b}")));
    let Some(condition) = all else {
        return body(ir);
    };
    let (label, after) = (ir.label("store"), ir.label("stored"));
    ir.branch(&condition, &label, &after);
    ir.start(&label);
    body(ir);
    ir.jump(&after);
    ir.start(&after);
}

/// Writes a row's state to LDS: partials of a row side by side, two scalars of 32 bits each.
fn write_partial(ir: &mut Ir, kernel: &Final, ids: &Ids, lds: &str, held: &Held) {
    let block = &kernel.lanes.block;
    // The row within the tile, then the subgroup among those that share the row.
    let mut place = Value::Int(0);
    for ((_, dimension), coordinate) in block.grid.parallel().zip(&held.row) {
        place = ir.mul("i32", &place, dimension.extent().into());
        place = ir.add("i32", &place, coordinate);
    }
    for (d, _) in block.grid.reduced() {
        place = ir.mul("i32", &place, block.along[d].field.count().into());
        place = ir.add("i32", &place, &ids.along[d].subgroup);
    }
    let address = partial_address(ir, lds, &place);
    let mut pair = Value::text("poison");
    let scalars = kernel.lanes.block.grid.combiner.state();
    for (number, (kind, scalar)) in scalars.iter().zip(&held.state).enumerate() {
        let bits = to_bits(ir, *kind, scalar);
        pair = ir.value(format_args!(
            "insertelement <2 x i32> {pair}, i32 {bits}, i32 {number}"
        ));
    }
    ir.line(format_args!(
        "store <2 x i32> {pair}, ptr addrspace(3) {address}, align 8"
    ));
}

/// The address of partial number `place` (i32).
fn partial_address(ir: &mut Ir, lds: &str, place: &Value) -> Value {
    ir.value(format_args!(
        "getelementptr [{PARTIAL_BYTES} x i8], ptr addrspace(3) {lds}, i32 {place}"
    ))
}

/// All threads of the workgroup have written what others will read.
fn barrier(ir: &mut Ir) {
    ir.line(format_args!("fence syncscope(\"workgroup\") release"));
    ir.line(format_args!("call void @llvm.amdgcn.s.barrier()"));
    ir.line(format_args!("fence syncscope(\"workgroup\") acquire"));
}

/// Reads partial number `number` (i32) and reduces it with its row's: the result is in the row's first lane.
fn fold_partials(ir: &mut Ir, kernel: &Final, ids: &Ids, lds: &str, number: &Value) -> Held {
    let combiner = kernel.lanes.block.grid.combiner;
    let address = partial_address(ir, lds, number);
    let pair = ir.value(format_args!(
        "load <2 x i32>, ptr addrspace(3) {address}, align 8"
    ));
    let kinds = combiner.state();
    let mut state = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let bits = ir.value(format_args!(
            "extractelement <2 x i32> {pair}, i32 {number}"
        ));
        state.push(from_bits(ir, *kind, &bits));
    }
    for exchange in &kernel.partials {
        let (one, other): (State, State) = kinds
            .iter()
            .zip(&state)
            .map(|(kind, scalar)| exchanged(ir, ids, exchange, *kind, scalar).into())
            .unzip();
        state = combiner.combine(ir, &one, &other);
    }
    let sharers = kernel.lanes.block.sharers();
    let sharer = ir.rem("i32", number, sharers.into());
    let row = ir.div("i32", number, sharers.into());
    let parallel = kernel.lanes.block.grid.parallel();
    let extents: Vec<u32> = parallel.map(|(_, dimension)| dimension.extent()).collect();
    Held {
        conditions: vec![ir.value(format_args!("icmp eq i32 {sharer}, 0"))],
        row: delinearize(ir, "i32", &row, &extents),
        state,
    }
}

/// Stores a row's results.
fn store(ir: &mut Ir, kernel: &Final, ids: &Ids, held: &Held) {
    let grid = &kernel.lanes.block.grid;
    let mut conditions = held.conditions.clone();
    // The row's number: of the tile's first row, and from there.
    let kind = integer(grid.rows(), u32::MAX.into());
    let [mut first, mut row] = [Value::Int(0), Value::Int(0)];
    for ((d, dimension), coordinate) in grid.parallel().zip(&held.row) {
        let along = &ids.along[d];
        if let Some(others) = &along.stored_by_others {
            conditions.push(ir.value(format_args!("icmp uge i32 {coordinate}, {others}")));
        }
        let uniform = scaled(ir, kind, &along.first, dimension.weight);
        first = ir.add(kind, &first, &uniform);
        let own = scaled(ir, kind, coordinate, dimension.weight);
        row = ir.add(kind, &row, &own);
    }
    if kind == "i32" {
        [first, row] = [first, row].map(|number| ir.widen(&number));
    }
    guarded(ir, &conditions, |ir| {
        let results = grid.combiner.finish(ir, &held.state);
        for (output, (kind, bytes, value)) in OUTPUTS.iter().zip(results) {
            let base = ir.mul("i64", &first, bytes.into());
            let base = ir.offset(1, &Value::text(*output), &base);
            let offset = ir.mul("i64", &row, bytes.into());
            let address = ir.offset(1, &base, &offset);
            ir.line(format_args!(
                "store {kind} {value}, ptr addrspace(1) {address}, align {bytes}"
            ));
        }
    });
}
