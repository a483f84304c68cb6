//! The opcode tables of VFLAT, VGLOBAL and VSCRATCH: number, name and operation.

use crate::families::tables::{
    OpcodeEntry, Semantics, atomic, line, load, load_part, segments, store, store_part,
};
use crate::operation::AtomicOperation;
use crate::operation::memory::DestinationHalf;

// All segments have loads and stores.
segments! { FLAT_MOVES = "flat_", GLOBAL_MOVES = "global_", SCRATCH_MOVES = "scratch_"; [
    line(0x10, "load_u8", Semantics::Memory(load_part(1, false, DestinationHalf::Whole))),
    line(0x11, "load_i8", Semantics::Memory(load_part(1, true, DestinationHalf::Whole))),
    line(0x12, "load_u16", Semantics::Memory(load_part(2, false, DestinationHalf::Whole))),
    line(0x13, "load_i16", Semantics::Memory(load_part(2, true, DestinationHalf::Whole))),
    line(0x14, "load_b32", Semantics::Memory(load(1))),
    line(0x15, "load_b64", Semantics::Memory(load(2))),
    line(0x16, "load_b96", Semantics::Memory(load(3))),
    line(0x17, "load_b128", Semantics::Memory(load(4))),
    line(0x18, "store_b8", Semantics::Memory(store_part(1, false))),
    line(0x19, "store_b16", Semantics::Memory(store_part(2, false))),
    line(0x1a, "store_b32", Semantics::Memory(store(1))),
    line(0x1b, "store_b64", Semantics::Memory(store(2))),
    line(0x1c, "store_b96", Semantics::Memory(store(3))),
    line(0x1d, "store_b128", Semantics::Memory(store(4))),
    line(0x1e, "load_d16_u8", Semantics::Memory(load_part(1, false, DestinationHalf::Low))),
    line(0x1f, "load_d16_i8", Semantics::Memory(load_part(1, true, DestinationHalf::Low))),
    line(0x20, "load_d16_b16", Semantics::Memory(load_part(2, false, DestinationHalf::Low))),
    line(0x21, "load_d16_hi_u8", Semantics::Memory(load_part(1, false, DestinationHalf::High))),
    line(0x22, "load_d16_hi_i8", Semantics::Memory(load_part(1, true, DestinationHalf::High))),
    line(0x23, "load_d16_hi_b16", Semantics::Memory(load_part(2, false, DestinationHalf::High))),
    line(0x24, "store_d16_hi_b8", Semantics::Memory(store_part(1, true))),
    line(0x25, "store_d16_hi_b16", Semantics::Memory(store_part(2, true))),
] }

// Private memory has no atomics, because no other lane sees it.
segments! { FLAT_ATOMICS = "flat_", GLOBAL_ATOMICS = "global_"; [
    line(0x33, "atomic_swap_b32", Semantics::Memory(atomic(AtomicOperation::Swap, false))),
    line(0x34, "atomic_cmpswap_b32", Semantics::Memory(atomic(AtomicOperation::CompareSwap, false))),
    line(0x35, "atomic_add_u32", Semantics::Memory(atomic(AtomicOperation::Add, false))),
    line(0x36, "atomic_sub_u32", Semantics::Memory(atomic(AtomicOperation::Sub, false))),
    line(0x37, "atomic_sub_clamp_u32", Semantics::Memory(atomic(AtomicOperation::SubToZero, false))),
    line(0x38, "atomic_min_i32", Semantics::Memory(atomic(AtomicOperation::SignedMin, false))),
    line(0x39, "atomic_min_u32", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, false))),
    line(0x3a, "atomic_max_i32", Semantics::Memory(atomic(AtomicOperation::SignedMax, false))),
    line(0x3b, "atomic_max_u32", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, false))),
    line(0x3c, "atomic_and_b32", Semantics::Memory(atomic(AtomicOperation::And, false))),
    line(0x3d, "atomic_or_b32", Semantics::Memory(atomic(AtomicOperation::Or, false))),
    line(0x3e, "atomic_xor_b32", Semantics::Memory(atomic(AtomicOperation::Xor, false))),
    line(0x3f, "atomic_inc_u32", Semantics::Memory(atomic(AtomicOperation::Increment, false))),
    line(0x40, "atomic_dec_u32", Semantics::Memory(atomic(AtomicOperation::Decrement, false))),
    line(0x41, "atomic_swap_b64", Semantics::Memory(atomic(AtomicOperation::Swap, true))),
    line(0x42, "atomic_cmpswap_b64", Semantics::Memory(atomic(AtomicOperation::CompareSwap, true))),
    line(0x43, "atomic_add_u64", Semantics::Memory(atomic(AtomicOperation::Add, true))),
    line(0x44, "atomic_sub_u64", Semantics::Memory(atomic(AtomicOperation::Sub, true))),
    line(0x45, "atomic_min_i64", Semantics::Memory(atomic(AtomicOperation::SignedMin, true))),
    line(0x46, "atomic_min_u64", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, true))),
    line(0x47, "atomic_max_i64", Semantics::Memory(atomic(AtomicOperation::SignedMax, true))),
    line(0x48, "atomic_max_u64", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, true))),
    line(0x49, "atomic_and_b64", Semantics::Memory(atomic(AtomicOperation::And, true))),
    line(0x4a, "atomic_or_b64", Semantics::Memory(atomic(AtomicOperation::Or, true))),
    line(0x4b, "atomic_xor_b64", Semantics::Memory(atomic(AtomicOperation::Xor, true))),
    line(0x4c, "atomic_inc_u64", Semantics::Memory(atomic(AtomicOperation::Increment, true))),
    line(0x4d, "atomic_dec_u64", Semantics::Memory(atomic(AtomicOperation::Decrement, true))),
    line(0x50, "atomic_cond_sub_u32", Semantics::Memory(atomic(AtomicOperation::SubIfNotLess, false))),
    line(0x51, "atomic_min_num_f32", Semantics::Memory(atomic(AtomicOperation::MinNumber, false))),
    line(0x52, "atomic_max_num_f32", Semantics::Memory(atomic(AtomicOperation::MaxNumber, false))),
    line(0x56, "atomic_add_f32", Semantics::Memory(atomic(AtomicOperation::AddFloat, false))),
    line(0x59, "atomic_pk_add_f16", Semantics::Memory(atomic(AtomicOperation::PackedAddHalf, false))),
    line(0x5a, "atomic_pk_add_bf16", Semantics::Memory(atomic(AtomicOperation::PackedAddBfloat, false))),
] }

// Flat addresses have no loads and stores of register blocks.
segments! { GLOBAL_BLOCKS = "global_", SCRATCH_BLOCKS = "scratch_"; [
    // Block accesses take a register mask from M0.
    line(0x53, "load_block", Semantics::Refused),
    line(0x54, "store_block", Semantics::Refused),
] }

/// Global addresses only.
#[rustfmt::skip]
pub(super) static GLOBAL: &[OpcodeEntry] = &[
    // The hardware adds the lane number to these addresses; compute kernels do not use them.
    line(0x28, "global_load_addtid_b32", Semantics::Refused),
    line(0x29, "global_store_addtid_b32", Semantics::Refused),
    // Every access is coherent here, so an invalidation does nothing; the checker observes it.
    line(0x2b, "global_inv", Semantics::Nothing),
    line(0x2c, "global_wb", Semantics::Nothing),
    line(0x4f, "global_wbinv", Semantics::Nothing),
    // Transposing loads exchange values between lanes for matrix instructions.
    line(0x57, "global_load_tr_b128", Semantics::Refused),
    line(0x58, "global_load_tr_b64", Semantics::Refused),
    line(0x73, "global_atomic_ordered_add_b64", Semantics::Refused),
];
