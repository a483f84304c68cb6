//! The results of a row: where they lie, what is the index of a position, and storing them.

use configgen::{IndexMode, Initial};

use super::ids::{Ids, delinearize};
use super::memory::{integer, scaled};
use crate::native::combiner::{Combiner, Finished, State, Stored};
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// The parameters.
pub(super) const VALUES: &str = "%values";
const INDICES: &str = "%indices";
const EXPLICIT: &str = "%explicit";
const BASE: &str = "%base";

/// The number of a row among all, as the sum of a uniform part and the lane's own.
pub(super) struct RowNumber {
    /// LLVM's type of both.
    kind: &'static str,
    first: Value,
    own: Value,
    /// What bounds it.
    largest: u64,
}

impl RowNumber {
    /// Of the row at these coordinates of the workgroup's tile (i32), one a parallel dimension.
    pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids, row: &[Value]) -> RowNumber {
        let grid = &kernel.lanes.block.grid;
        let weights = grid.parallel().map(|(_, dimension)| dimension.weight);
        RowNumber::weighted(ir, kernel, ids, row, weights, grid.rows())
    }

    /// As [`Self::print`], a step along each parallel dimension counting as much as its weight says. `largest` bounds the
    /// number.
    fn weighted(
        ir: &mut Ir,
        kernel: &Final,
        ids: &Ids,
        row: &[Value],
        weights: impl Iterator<Item = u64>,
        largest: u64,
    ) -> RowNumber {
        let kind = integer(largest, u32::MAX.into());
        let [mut first, mut own] = [Value::Int(0), Value::Int(0)];
        let parallel = kernel.lanes.block.grid.parallel().zip(row);
        for (((d, _), coordinate), weight) in parallel.zip(weights) {
            let uniform = scaled(ir, kind, &ids.along[d].first, weight);
            first = ir.add(kind, &first, &uniform);
            let lanes = scaled(ir, kind, coordinate, weight);
            own = ir.add(kind, &own, &lanes);
        }
        RowNumber {
            kind,
            first,
            own,
            largest,
        }
    }

    /// Both parts as i64.
    fn widened(&self, ir: &mut Ir) -> [Value; 2] {
        [&self.first, &self.own].map(|number| match self.kind {
            "i32" => ir.widen(number),
            _ => number.clone(),
        })
    }

    /// The address of part `part` (i32) of a row's `parts` in the buffer `parameter`, each of `bytes` bytes.
    pub(super) fn part(
        &self,
        ir: &mut Ir,
        parameter: &str,
        parts: u32,
        part: &Value,
        bytes: u32,
    ) -> Value {
        let row = self.address(ir, parameter, parts * bytes);
        let part = scaled(ir, "i64", part, bytes.into());
        ir.offset(1, &row, &part)
    }

    /// The address of the row's element of `bytes` bytes in the buffer `parameter`.
    pub(super) fn address(&self, ir: &mut Ir, parameter: &str, bytes: u32) -> Value {
        let (buffer, bytes) = (Value::text(parameter), u64::from(bytes));
        if self.kind == "i32" && self.largest.saturating_mul(bytes) <= u32::MAX.into() {
            // One vector offset of 32 bits, the same for all buffers with elements of a size.
            let number = ir.add("i32", &self.first, &self.own);
            let offset = ir.mul("i32", &number, bytes);
            let offset = ir.widen(&offset);
            return ir.offset(1, &buffer, &offset);
        }
        let [first, own] = self.widened(ir);
        let base = ir.mul("i64", &first, bytes);
        let base = ir.offset(1, &buffer, &base);
        let offset = ir.mul("i64", &own, bytes);
        ir.offset(1, &base, &offset)
    }
}

/// Stores the results of the row at these coordinates of the workgroup's tile, in the current lanes.
pub(super) fn store(ir: &mut Ir, kernel: &Final, ids: &Ids, row: &[Value], state: &State) {
    let combiner = &kernel.lanes.block.grid.combiner;
    let number = RowNumber::print(ir, kernel, ids, row);
    let finished = combiner.finish(ir, state);
    let both = |ir: &mut Ir, index: Value| {
        put(ir, &number, VALUES, &finished.value);
        let index = Stored {
            kind: combiner.index.name(),
            bytes: combiner.index.bytes(),
            value: index,
        };
        put(ir, &number, INDICES, &index);
    };
    match combiner.initial {
        // The outputs hold what is to stay.
        Initial::Outputs => ir.guarded(std::slice::from_ref(&finished.won), |ir| {
            let index = index(ir, kernel, ids, row, &finished.position);
            both(ir, index);
        }),
        Initial::Worst => {
            let index = index_or_zero(ir, kernel, ids, row, &finished);
            both(ir, index);
        }
    }
}

fn put(ir: &mut Ir, row: &RowNumber, parameter: &str, stored: &Stored) {
    let Stored { kind, bytes, value } = stored;
    let address = row.address(ir, parameter, *bytes);
    ir.line(format_args!(
        "store {kind} {value}, ptr addrspace(1) {address}, align {bytes}"
    ));
}

/// The index of the winner, of the index type; 0 where there is none.
fn index_or_zero(
    ir: &mut Ir,
    kernel: &Final,
    ids: &Ids,
    row: &[Value],
    finished: &Finished,
) -> Value {
    let combiner = &kernel.lanes.block.grid.combiner;
    if combiner.index_mode == IndexMode::Position && !combiner.tells_none() {
        return index(ir, kernel, ids, row, &finished.position);
    }
    let or_zero = |ir: &mut Ir, kind: &str, value: &Value| {
        let won = &finished.won;
        ir.value(format_args!("select i1 {won}, {kind} {value}, {kind} 0"))
    };
    match combiner.index_mode {
        IndexMode::Position => {
            let position = or_zero(ir, combiner.position().llvm(), &finished.position);
            index(ir, kernel, ids, row, &position)
        }
        IndexMode::Based => {
            let index = index(ir, kernel, ids, row, &finished.position);
            or_zero(ir, combiner.index.name(), &index)
        }
        IndexMode::Explicit => {
            // Position 0 exists.
            let position = or_zero(ir, combiner.position().llvm(), &finished.position);
            let index = index(ir, kernel, ids, row, &position);
            or_zero(ir, combiner.index.name(), &index)
        }
    }
}

/// The index of the element at `position` of the row, of the index type.
fn index(ir: &mut Ir, kernel: &Final, ids: &Ids, row: &[Value], position: &Value) -> Value {
    let combiner = &kernel.lanes.block.grid.combiner;
    let kind = combiner.index.name();
    let number = match (combiner.position().llvm(), kind) {
        ("i32", "i64") => ir.widen(position),
        ("i64", "i32") => ir.narrow(position),
        _ => position.clone(),
    };
    match combiner.index_mode {
        IndexMode::Position => number,
        IndexMode::Based => ir.add(kind, &number, &Value::text(BASE)),
        IndexMode::Explicit => {
            let address = explicit_address(ir, kernel, ids, row, position);
            let bytes = combiner.index.bytes();
            ir.value(format_args!(
                "load {kind}, ptr addrspace(1) {address}, align {bytes}"
            ))
        }
    }
}

/// The address of the explicit index of an element: they lie as the problem's elements do, without gaps.
fn explicit_address(
    ir: &mut Ir,
    kernel: &Final,
    ids: &Ids,
    row: &[Value],
    position: &Value,
) -> Value {
    let grid = &kernel.lanes.block.grid;
    let sizes: Vec<u32> = grid.dimensions.iter().map(|d| d.whole).collect();
    let strides: Vec<u64> = (0..sizes.len())
        .map(|d| sizes[d + 1..].iter().map(|&size| u64::from(size)).product())
        .collect();
    let weights = grid.parallel().map(|(d, _)| strides[d]);
    let row = RowNumber::weighted(ir, kernel, ids, row, weights, grid.elements());
    let [first, mut own] = row.widened(ir);
    let position = match grid.combiner.position().llvm() {
        "i32" => ir.widen(position),
        _ => position.clone(),
    };
    let (reduced, counts): (Vec<usize>, Vec<u32>) =
        grid.reduced().map(|(d, r)| (d, r.whole)).unzip();
    for (d, digit) in reduced
        .into_iter()
        .zip(delinearize(ir, "i64", &position, &counts))
    {
        let offset = ir.mul("i64", &digit, strides[d]);
        own = ir.add("i64", &own, &offset);
    }
    let number = RowNumber {
        kind: "i64",
        first,
        own,
        ..row
    };
    number.address(ir, EXPLICIT, grid.combiner.index.bytes())
}
