//! Exchanges between lanes.

use super::thread_ids::Ids;
use crate::native::ir::Scalar;
use crate::native::ir::{Binary, Builder, FenceOrder, FenceScope, IrOperation, Type, Unary, Value};
use crate::native::isa::cross_lane::{Exchange, Move};

/// Returns the scalars that each lane merges: its own and another lane's. Their order is
/// arbitrary, but the same for every scalar of a state.
pub(super) fn exchanged(
    ir: &mut Builder,
    ids: &Ids,
    exchange: Exchange,
    value: Value,
) -> [Value; 2] {
    let words = to_words(ir, value);
    let (own, other): (Vec<Value>, Vec<Value>) = words
        .iter()
        .map(|&word| {
            let moves = exchange.iter();
            let both = moves.fold([word, word], |both, step| moved(ir, ids, *step, both));
            <(Value, Value)>::from(both)
        })
        .unzip();
    // A two-word value is built again from its words. Keeping the original value would need
    // registers of its own.
    let own = match own == words && words.len() == 1 {
        true => value,
        false => from_words(ir, value.scalar(), &own),
    };
    [own, from_words(ir, value.scalar(), &other)]
}

/// Returns the lane's own register, and the other register after this move.
fn moved(ir: &mut Builder, ids: &Ids, step: Move, [own, bits]: [Value; 2]) -> [Value; 2] {
    let moved = match step {
        Move::Swap { xor } => return ir.pair([Type::I32; 2], IrOperation::Swap(xor, bits)),
        Move::Permute { xor } => {
            let other = ir.binary(Binary::Xor, ids.lane, Value::i32(xor));
            // The instruction addresses lanes by bytes, 4 per lane.
            let address = ir.mul(other, 4);
            ir.value(Type::I32, IrOperation::Permute(bits, address))
        }
        Move::Lds { xor } => through_lds(ir, ids, xor, bits),
        Move::Read { lane } => ir.value(Type::I32, IrOperation::ReadLane(bits, Value::i32(lane))),
        Move::Dpp { .. } | Move::Swizzle { .. } | Move::OtherRow | Move::OtherHalf => {
            ir.value(Type::I32, IrOperation::Move(step, bits))
        }
    };
    [own, moved]
}

/// Writes each thread's word to LDS and reads that of another lane. The hardware executes a
/// subgroup's LDS instructions in order and needs no wait. The fences emit no instruction. They
/// keep LLVM from reordering the accesses, because it sees that one thread's two addresses
/// differ.
fn through_lds(ir: &mut Builder, ids: &Ids, xor: u32, bits: Value) -> Value {
    let words = ids.exchange_words;
    let word = |ir: &mut Builder, thread: Value| {
        ir.value(words.kind, IrOperation::Offset(words, thread, 4))
    };
    let own = word(ir, ids.thread);
    let other = ir.binary(Binary::Xor, ids.thread, Value::i32(xor));
    let other = word(ir, other);
    ir.store(bits, own, 4);
    ir.act(IrOperation::Fence(FenceScope::Subgroup, FenceOrder::Both));
    let bits = ir.load(Type::I32, other, 4);
    ir.act(IrOperation::Fence(FenceScope::Subgroup, FenceOrder::Both));
    bits
}

/// Returns the 32-bit words of a value, the lowest first.
pub(super) fn to_words(ir: &mut Builder, value: Value) -> Vec<Value> {
    let integer = value.scalar().integer();
    let bits = ir.bits(value, integer);
    match integer.bits() {
        64 => {
            let high = ir.shifted_right(bits, 32);
            let [low, high] = [bits, high].map(|word| ir.resized(word, Type::I32));
            // LLVM 22 crashes if both words are the same and the same DPP moves them: it erases
            // the shared move twice.
            vec![low, ir.unary(Unary::Opaque, high)]
        }
        _ => vec![ir.resized(bits, Type::I32)],
    }
}

/// Returns the value with these words.
pub(super) fn from_words(ir: &mut Builder, kind: Scalar, words: &[Value]) -> Value {
    let bits = match words {
        [low, high] => {
            let low = ir.resized(*low, Type::I64);
            let high = ir.resized(*high, Type::I64);
            let high = ir.shifted_left(high, 32);
            ir.or(low, high)
        }
        words => ir.resized(words[0], kind.integer()),
    };
    ir.bits(bits, kind)
}
