//! Positions of batches, in vector registers.

use crate::native::ir::{Ir, Value};
use crate::native::isa::Isa;

/// Moves positions that all lanes share (i32, in scalar registers) to vector registers, two at once where the target can.
///
/// A select of gfx9 reads one scalar, and that is its condition: each position is moved before it can be selected. LLVM does
/// that one by one.
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
