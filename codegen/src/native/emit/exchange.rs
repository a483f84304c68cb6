//! Exchanges between lanes as LLVM's intrinsics.

use super::ids::Ids;
use crate::native::cross_lane::{Exchange, Move};
use crate::native::ir::{Ir, Value};
use crate::native::scalar::Scalar;

/// The selects of `v_permlanex16_b32` that keep the place in the row: lane n takes nibble n.
const SAME_PLACE: [i32; 2] = [0x7654_3210, 0xfedc_ba98_u32 as i32];

/// The scalars that each lane is to combine: its own and another lane's, in any order, which is the same for every scalar
/// of a state.
pub(super) fn exchanged(
    ir: &mut Ir,
    ids: &Ids,
    exchange: Exchange,
    kind: Scalar,
    value: &Value,
) -> [Value; 2] {
    let words = to_words(ir, kind, value);
    let (own, other): (Vec<Value>, Vec<Value>) = words
        .iter()
        .map(|word| {
            let both = [word.clone(), word.clone()];
            let moves = exchange.iter();
            let both = moves.fold(both, |both, step| print_move(ir, ids, step, both));
            <(Value, Value)>::from(both)
        })
        .unzip();
    let own = match own == words {
        true => value.clone(),
        false => from_words(ir, kind, &own),
    };
    [own, from_words(ir, kind, &other)]
}

/// The register and its copy after the swap: in each pair of lanes, the lower lane's and the higher lane's.
fn swap(ir: &mut Ir, xor: u32, bits: &Value) -> [Value; 2] {
    let both = ir.value(format_args!(
        "call {{ i32, i32 }} @llvm.amdgcn.permlane{xor}.swap(i32 {bits}, i32 {bits}, i1 false, i1 false)"
    ));
    [0, 1].map(|number| ir.value(format_args!("extractvalue {{ i32, i32 }} {both}, {number}")))
}

/// The own register, and the other one after this move of it.
fn print_move(ir: &mut Ir, ids: &Ids, step: &Move, [own, bits]: [Value; 2]) -> [Value; 2] {
    let moved = match *step {
        Move::Swap { xor } => return swap(ir, xor, &bits),
        Move::Dpp {
            control, row_mask, ..
        } => {
            // Lanes that do not receive keep their own; where all do, there is no old value to keep a register for.
            let (old, bound) = match row_mask {
                0xf => (Value::text("poison"), true),
                _ => (bits.clone(), false),
            };
            ir.value(format_args!(
                "call i32 @llvm.amdgcn.update.dpp.i32(i32 {old}, i32 {bits}, i32 {control}, i32 {row_mask}, i32 15, \
                 i1 {bound})"
            ))
        }
        Move::Swizzle { offset } => ir.value(format_args!(
            "call i32 @llvm.amdgcn.ds.swizzle(i32 {bits}, i32 {offset})"
        )),
        Move::Permute { xor } => {
            let other = ir.value(format_args!("xor i32 {}, {xor}", ids.lane));
            // The instruction counts in bytes.
            let address = ir.mul("i32", &other, 4);
            ir.value(format_args!(
                "call i32 @llvm.amdgcn.ds.bpermute(i32 {address}, i32 {bits})"
            ))
        }
        Move::OtherRow => {
            let [low, high] = SAME_PLACE;
            ir.value(format_args!(
                "call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 {bits}, i32 {low}, i32 {high}, i1 false, \
                 i1 false)"
            ))
        }
        Move::OtherHalf => {
            let moved = ir.value(format_args!(
                "call i32 @llvm.amdgcn.permlane64.i32(i32 {bits})"
            ));
            // LLVM 22 would move the instruction to where its result is used, though fewer lanes may be active there.
            ir.value(format_args!(
                "call i32 asm sideeffect \"\", \"=v,0\"(i32 {moved})"
            ))
        }
        Move::Lds { xor } => through_lds(ir, ids, xor, &bits),
        Move::Read { lane } => ir.value(format_args!(
            "call i32 @llvm.amdgcn.readlane.i32(i32 {bits}, i32 {lane})"
        )),
    };
    [own, moved]
}

/// Writes each thread's word and reads that of another lane. A subgroup's LDS instructions are executed in order, so the
/// hardware needs no wait; the fences, which are no instructions, keep LLVM from changing the order: it sees that one
/// thread's two addresses differ.
fn through_lds(ir: &mut Ir, ids: &Ids, xor: u32, bits: &Value) -> Value {
    let word = |ir: &mut Ir, thread: &Value| {
        let words = &ids.exchange_words;
        ir.value(format_args!(
            "getelementptr i32, ptr addrspace(3) {words}, i32 {thread}"
        ))
    };
    let own = word(ir, &ids.thread);
    let other = ir.value(format_args!("xor i32 {}, {xor}", ids.thread));
    let other = word(ir, &other);
    ir.line(format_args!(
        "store i32 {bits}, ptr addrspace(3) {own}, align 4"
    ));
    ir.line(format_args!("fence syncscope(\"wavefront\") acq_rel"));
    let bits = ir.value(format_args!("load i32, ptr addrspace(3) {other}, align 4"));
    ir.line(format_args!("fence syncscope(\"wavefront\") acq_rel"));
    bits
}

/// The 32-bit words of a value, the lowest first.
pub(super) fn to_words(ir: &mut Ir, kind: Scalar, value: &Value) -> Vec<Value> {
    let (own, integer) = (kind.llvm(), kind.integer());
    let bits = match own == integer {
        true => value.clone(),
        false => ir.value(format_args!("bitcast {own} {value} to {integer}")),
    };
    match kind.bits() {
        32 => vec![bits],
        64 => {
            let high = ir.value(format_args!("lshr i64 {bits}, 32"));
            [bits, high]
                .iter()
                .map(|word| ir.value(format_args!("trunc i64 {word} to i32")))
                .collect()
        }
        _ => vec![ir.value(format_args!("zext {integer} {bits} to i32"))],
    }
}

/// The value with these words.
pub(super) fn from_words(ir: &mut Ir, kind: Scalar, words: &[Value]) -> Value {
    let (own, integer) = (kind.llvm(), kind.integer());
    let bits = match words {
        [low, high] => {
            let low = ir.value(format_args!("zext i32 {low} to i64"));
            let high = ir.value(format_args!("zext i32 {high} to i64"));
            let high = ir.value(format_args!("shl i64 {high}, 32"));
            ir.value(format_args!("or i64 {low}, {high}"))
        }
        [word] if kind.bits() < 32 => ir.value(format_args!("trunc i32 {word} to {integer}")),
        words => words[0].clone(),
    };
    match own == integer {
        true => bits,
        false => ir.value(format_args!("bitcast {integer} {bits} to {own}")),
    }
}
