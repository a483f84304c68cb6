//! Positions: the parts that the lane, the batch and the element add to that of the step, and
//! positions in vector registers.

use super::lane_offset::LaneOffsets;
use super::memory::scaled;
use super::thread_ids::Ids;
use crate::native::ir::{Builder, IrOperation, Type, Value};
use crate::native::isa::Isa;
use crate::native::stages::final_stage::Final;

/// Moves positions that all lanes share (i32, in scalar registers) to vector registers, two at
/// once if the target can.
///
/// A select of gfx9 reads one scalar, its condition, so each position must be moved first. LLVM
/// moves them one by one.
pub(super) fn in_vectors(ir: &mut Builder, isa: &Isa, positions: &mut [Value]) {
    if !isa.moves_pairs {
        return;
    }
    for pair in positions.chunks_exact_mut(2) {
        let moved = ir.pair([Type::I32; 2], IrOperation::MovePair(pair[0], pair[1]));
        pair.copy_from_slice(&moved);
    }
}

/// Returns the position of the lane's first element in the first step, in the combiner's type.
pub(super) fn own(ir: &mut Builder, kernel: &Final, ids: &Ids, places: &[LaneOffsets]) -> Value {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position_type();
    let mut own = Value::bits(kind, 0);
    for (d, dimension) in grid.reduced() {
        let first = places[d].first(ir);
        let first = ir.add(ids.along[d].first, first);
        let first = scaled(ir, kind, first, dimension.weight);
        own = ir.add(own, first);
    }
    own
}

/// Returns the distance in positions of an element of the thread tile.
pub(super) fn distance(kernel: &Final, element: &[u32]) -> u64 {
    let reduced = kernel.lanes.block.grid.reduced();
    reduced
        .map(|(d, dimension)| u64::from(element[d]) * dimension.weight)
        .sum()
}

/// Returns the distance in positions of a batch from the step: the part that all lanes share, and
/// the lane's own.
pub(super) fn advance(
    ir: &mut Builder,
    kernel: &Final,
    places: &[LaneOffsets],
    batch: &[u32],
) -> [Value; 2] {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position_type();
    let [mut common, mut own] = [0, 0].map(|zero| Value::bits(kind, zero));
    for (d, dimension) in grid.reduced() {
        let advance = places[d].advance(ir, batch[d]);
        let advance = scaled(ir, kind, advance, dimension.weight);
        // All lanes share constant distances, so these go to the scalar position.
        let sum = match advance.constant() {
            Some(_) => &mut common,
            None => &mut own,
        };
        *sum = ir.add(*sum, advance);
    }
    [common, own]
}
