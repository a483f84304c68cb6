//! Exchanges between lanes as LLVM's intrinsics.

use super::ids::Ids;
use crate::native::combiner::Scalar;
use crate::native::cross_lane::{Exchange, Move};
use crate::native::ir::{Ir, Value};

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
    let bits = to_bits(ir, kind, value);
    let both = [bits.clone(), bits.clone()];
    let [own, other] = exchange
        .iter()
        .fold(both, |both, step| print_move(ir, ids, step, both));
    let own = match own == bits {
        true => value.clone(),
        false => from_bits(ir, kind, &own),
    };
    [own, from_bits(ir, kind, &other)]
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
        Move::OtherHalf => ir.value(format_args!(
            "call i32 @llvm.amdgcn.permlane64.i32(i32 {bits})"
        )),
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

pub(super) fn to_bits(ir: &mut Ir, kind: Scalar, value: &Value) -> Value {
    match kind {
        Scalar::I32 => value.clone(),
        _ => ir.value(format_args!("bitcast {} {value} to i32", kind.llvm())),
    }
}

pub(super) fn from_bits(ir: &mut Ir, kind: Scalar, bits: &Value) -> Value {
    match kind {
        Scalar::I32 => bits.clone(),
        _ => ir.value(format_args!("bitcast i32 {bits} to {}", kind.llvm())),
    }
}
