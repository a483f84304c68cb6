//! The opcode tables of FLAT, GLOBAL and SCRATCH: number, name and operation.

use super::{FROM_90A, FROM_942, ONLY_950};
use crate::families::tables::{
    OpcodeEntry, Semantics, atomic, line, load, load_part, segments, store, store_part,
};
use crate::operation::AtomicOperation;
use crate::operation::memory::DestinationHalf;

// All segments have loads and stores.
segments! { FLAT_MOVES = "flat_", GLOBAL_MOVES = "global_", SCRATCH_MOVES = "scratch_"; [
    line(0x10, "load_ubyte", Semantics::Memory(load_part(1, false, DestinationHalf::Whole))),
    line(0x11, "load_sbyte", Semantics::Memory(load_part(1, true, DestinationHalf::Whole))),
    line(0x12, "load_ushort", Semantics::Memory(load_part(2, false, DestinationHalf::Whole))),
    line(0x13, "load_sshort", Semantics::Memory(load_part(2, true, DestinationHalf::Whole))),
    line(0x14, "load_dword", Semantics::Memory(load(1))),
    line(0x15, "load_dwordx2", Semantics::Memory(load(2))),
    line(0x16, "load_dwordx3", Semantics::Memory(load(3))),
    line(0x17, "load_dwordx4", Semantics::Memory(load(4))),
    line(0x18, "store_byte", Semantics::Memory(store_part(1, false))),
    line(0x19, "store_byte_d16_hi", Semantics::Memory(store_part(1, true))),
    line(0x1a, "store_short", Semantics::Memory(store_part(2, false))),
    line(0x1b, "store_short_d16_hi", Semantics::Memory(store_part(2, true))),
    line(0x1c, "store_dword", Semantics::Memory(store(1))),
    line(0x1d, "store_dwordx2", Semantics::Memory(store(2))),
    line(0x1e, "store_dwordx3", Semantics::Memory(store(3))),
    line(0x1f, "store_dwordx4", Semantics::Memory(store(4))),
    line(0x20, "load_ubyte_d16", Semantics::Memory(load_part(1, false, DestinationHalf::Low))),
    line(0x21, "load_ubyte_d16_hi", Semantics::Memory(load_part(1, false, DestinationHalf::High))),
    line(0x22, "load_sbyte_d16", Semantics::Memory(load_part(1, true, DestinationHalf::Low))),
    line(0x23, "load_sbyte_d16_hi", Semantics::Memory(load_part(1, true, DestinationHalf::High))),
    line(0x24, "load_short_d16", Semantics::Memory(load_part(2, false, DestinationHalf::Low))),
    line(0x25, "load_short_d16_hi", Semantics::Memory(load_part(2, false, DestinationHalf::High))),
] }

// Private memory has no atomics, because no other lane sees it.
segments! { FLAT_ATOMICS = "flat_", GLOBAL_ATOMICS = "global_"; [
    line(0x40, "atomic_swap", Semantics::Memory(atomic(AtomicOperation::Swap, false))),
    line(0x41, "atomic_cmpswap", Semantics::Memory(atomic(AtomicOperation::CompareSwap, false))),
    line(0x42, "atomic_add", Semantics::Memory(atomic(AtomicOperation::Add, false))),
    line(0x43, "atomic_sub", Semantics::Memory(atomic(AtomicOperation::Sub, false))),
    line(0x44, "atomic_smin", Semantics::Memory(atomic(AtomicOperation::SignedMin, false))),
    line(0x45, "atomic_umin", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, false))),
    line(0x46, "atomic_smax", Semantics::Memory(atomic(AtomicOperation::SignedMax, false))),
    line(0x47, "atomic_umax", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, false))),
    line(0x48, "atomic_and", Semantics::Memory(atomic(AtomicOperation::And, false))),
    line(0x49, "atomic_or", Semantics::Memory(atomic(AtomicOperation::Or, false))),
    line(0x4a, "atomic_xor", Semantics::Memory(atomic(AtomicOperation::Xor, false))),
    line(0x4b, "atomic_inc", Semantics::Memory(atomic(AtomicOperation::Increment, false))),
    line(0x4c, "atomic_dec", Semantics::Memory(atomic(AtomicOperation::Decrement, false))),
    // Vega 20 has no float atomics on memory.
    line(0x4f, "atomic_add_f64", Semantics::Memory(atomic(AtomicOperation::AddFloat, true))).only(FROM_90A),
    line(0x50, "atomic_min_f64", Semantics::Memory(atomic(AtomicOperation::MinFloat, true))).only(FROM_90A),
    line(0x51, "atomic_max_f64", Semantics::Memory(atomic(AtomicOperation::MaxFloat, true))).only(FROM_90A),
    line(0x52, "atomic_pk_add_bf16", Semantics::Memory(atomic(AtomicOperation::PackedAddBfloat, false))).only(FROM_942),
    line(0x60, "atomic_swap_x2", Semantics::Memory(atomic(AtomicOperation::Swap, true))),
    line(0x61, "atomic_cmpswap_x2", Semantics::Memory(atomic(AtomicOperation::CompareSwap, true))),
    line(0x62, "atomic_add_x2", Semantics::Memory(atomic(AtomicOperation::Add, true))),
    line(0x63, "atomic_sub_x2", Semantics::Memory(atomic(AtomicOperation::Sub, true))),
    line(0x64, "atomic_smin_x2", Semantics::Memory(atomic(AtomicOperation::SignedMin, true))),
    line(0x65, "atomic_umin_x2", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, true))),
    line(0x66, "atomic_smax_x2", Semantics::Memory(atomic(AtomicOperation::SignedMax, true))),
    line(0x67, "atomic_umax_x2", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, true))),
    line(0x68, "atomic_and_x2", Semantics::Memory(atomic(AtomicOperation::And, true))),
    line(0x69, "atomic_or_x2", Semantics::Memory(atomic(AtomicOperation::Or, true))),
    line(0x6a, "atomic_xor_x2", Semantics::Memory(atomic(AtomicOperation::Xor, true))),
    line(0x6b, "atomic_inc_x2", Semantics::Memory(atomic(AtomicOperation::Increment, true))),
    line(0x6c, "atomic_dec_x2", Semantics::Memory(atomic(AtomicOperation::Decrement, true))),
] }

// Only CDNA 3 and later have separate opcodes for loads to LDS; before, a bit selects them.
segments! { GLOBAL_TO_LDS = "global_", SCRATCH_TO_LDS = "scratch_"; [
    line(0x26, "load_lds_ubyte", Semantics::LoadLds(load_part(1, false, DestinationHalf::Whole))).only(FROM_942),
    line(0x27, "load_lds_sbyte", Semantics::LoadLds(load_part(1, true, DestinationHalf::Whole))).only(FROM_942),
    line(0x28, "load_lds_ushort", Semantics::LoadLds(load_part(2, false, DestinationHalf::Whole))).only(FROM_942),
    line(0x29, "load_lds_sshort", Semantics::LoadLds(load_part(2, true, DestinationHalf::Whole))).only(FROM_942),
    line(0x2a, "load_lds_dword", Semantics::LoadLds(load(1))).only(FROM_942),
] }

/// Flat addresses only.
#[rustfmt::skip]
pub(super) static FLAT: &[OpcodeEntry] = &[
    line(0x4d, "flat_atomic_add_f32", Semantics::Memory(atomic(AtomicOperation::AddFloat, false))).only(FROM_942),
    line(0x4e, "flat_atomic_pk_add_f16", Semantics::Memory(atomic(AtomicOperation::PackedAddHalf, false))).only(FROM_942),
];

/// Global addresses only.
#[rustfmt::skip]
pub(super) static GLOBAL: &[OpcodeEntry] = &[
    line(0x4d, "global_atomic_add_f32", Semantics::Memory(atomic(AtomicOperation::AddFloat, false))).only(FROM_90A),
    line(0x4e, "global_atomic_pk_add_f16", Semantics::Memory(atomic(AtomicOperation::PackedAddHalf, false))).only(FROM_90A),
    // Only CDNA 4 moves more than a dword per lane to LDS.
    line(0x7d, "global_load_lds_dwordx4", Semantics::LoadLds(load(4))).only(ONLY_950),
    line(0x7e, "global_load_lds_dwordx3", Semantics::LoadLds(load(3))).only(ONLY_950),
];
