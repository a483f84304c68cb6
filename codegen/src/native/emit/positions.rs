//! Positions: what the lane, the batch and the element add to that of the step, and positions in vector registers.

use super::ids::Ids;
use super::memory::scaled;
use super::place::Place;
use crate::native::combiner::Combiner;
use crate::native::ir::{Ir, Value};
use crate::native::isa::Isa;
use crate::native::last::Final;

/// Moves positions that all lanes share (i32, in scalar registers) to vector registers, two at once where the target can.
///
/// A select of gfx9 reads one scalar, and that is its condition: each position is moved before it can be selected. LLVM
/// does that one by one.
pub(super) fn in_vectors(ir: &mut Ir, isa: &Isa, positions: &mut [Value]) {
    if !isa.moves_pairs {
        return;
    }
    for pair in positions.chunks_exact_mut(2) {
        let [low, high] = [&pair[0], &pair[1]].map(|position| ir.widen(position));
        let high = ir.value(format_args!("shl nuw i64 {high}, 32"));
        let both = ir.value(format_args!("or disjoint i64 {low}, {high}"));
        let moved = ir.value(format_args!(
            "call i64 asm \"v_mov_b64 $0, $1\", \"=v,s\"(i64 {both})"
        ));
        let high = ir.value(format_args!("lshr i64 {moved}, 32"));
        pair[0] = ir.narrow(&moved);
        pair[1] = ir.narrow(&high);
    }
}

/// The position of the lane's first element in the first step, of the combiner's type.
pub(super) fn own(ir: &mut Ir, kernel: &Final, ids: &Ids, places: &[Place]) -> Value {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position().llvm();
    let mut own = Value::Int(0);
    for (d, dimension) in grid.reduced() {
        let first = places[d].first(ir);
        let first = ir.add("i32", &ids.along[d].first, &first);
        let first = scaled(ir, kind, &first, dimension.weight);
        own = ir.add(kind, &own, &first);
    }
    own
}

/// What an element of the thread tile adds to the position.
pub(super) fn distance(kernel: &Final, element: &[u32]) -> u64 {
    let reduced = kernel.lanes.block.grid.reduced();
    reduced
        .map(|(d, dimension)| u64::from(element[d]) * dimension.weight)
        .sum()
}

/// What a batch adds to the position of the step: the same for all lanes, and of each lane's own.
pub(super) fn advance(ir: &mut Ir, kernel: &Final, places: &[Place], batch: &[u32]) -> [Value; 2] {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position().llvm();
    let [mut common, mut own] = [Value::Int(0), Value::Int(0)];
    for (d, dimension) in grid.reduced() {
        let advance = places[d].advance(ir, batch[d]);
        let advance = scaled(ir, kind, &advance, dimension.weight);
        let sum = match advance {
            Value::Int(_) => &mut common,
            Value::Text(_) => &mut own,
        };
        *sum = ir.add(kind, sum, &advance);
    }
    [common, own]
}
