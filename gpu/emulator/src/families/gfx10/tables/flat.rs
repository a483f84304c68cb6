//! The opcode tables of FLAT, GLOBAL and SCRATCH: number, name and operation.

use crate::families::tables::{
    OpcodeEntry, Semantics, atomic, line, load, load_part, segments, store, store_part,
};
use crate::operation::AtomicOperation;
use crate::operation::memory::DestinationHalf;

// All segments have loads and stores.
segments! { FLAT_MOVES = "flat_", GLOBAL_MOVES = "global_", SCRATCH_MOVES = "scratch_"; [
    line(0x08, "load_ubyte", Semantics::Memory(load_part(1, false, DestinationHalf::Whole))),
    line(0x09, "load_sbyte", Semantics::Memory(load_part(1, true, DestinationHalf::Whole))),
    line(0x0a, "load_ushort", Semantics::Memory(load_part(2, false, DestinationHalf::Whole))),
    line(0x0b, "load_sshort", Semantics::Memory(load_part(2, true, DestinationHalf::Whole))),
    line(0x0c, "load_dword", Semantics::Memory(load(1))),
    line(0x0d, "load_dwordx2", Semantics::Memory(load(2))),
    line(0x0e, "load_dwordx4", Semantics::Memory(load(4))),
    line(0x0f, "load_dwordx3", Semantics::Memory(load(3))),
    line(0x18, "store_byte", Semantics::Memory(store_part(1, false))),
    line(0x19, "store_byte_d16_hi", Semantics::Memory(store_part(1, true))),
    line(0x1a, "store_short", Semantics::Memory(store_part(2, false))),
    line(0x1b, "store_short_d16_hi", Semantics::Memory(store_part(2, true))),
    line(0x1c, "store_dword", Semantics::Memory(store(1))),
    line(0x1d, "store_dwordx2", Semantics::Memory(store(2))),
    line(0x1e, "store_dwordx4", Semantics::Memory(store(4))),
    line(0x1f, "store_dwordx3", Semantics::Memory(store(3))),
    line(0x20, "load_ubyte_d16", Semantics::Memory(load_part(1, false, DestinationHalf::Low))),
    line(0x21, "load_ubyte_d16_hi", Semantics::Memory(load_part(1, false, DestinationHalf::High))),
    line(0x22, "load_sbyte_d16", Semantics::Memory(load_part(1, true, DestinationHalf::Low))),
    line(0x23, "load_sbyte_d16_hi", Semantics::Memory(load_part(1, true, DestinationHalf::High))),
    line(0x24, "load_short_d16", Semantics::Memory(load_part(2, false, DestinationHalf::Low))),
    line(0x25, "load_short_d16_hi", Semantics::Memory(load_part(2, false, DestinationHalf::High))),
] }

// Private memory has no atomics, because no other lane sees it.
segments! { FLAT_ATOMICS = "flat_", GLOBAL_ATOMICS = "global_"; [
    line(0x30, "atomic_swap", Semantics::Memory(atomic(AtomicOperation::Swap, false))),
    line(0x31, "atomic_cmpswap", Semantics::Memory(atomic(AtomicOperation::CompareSwap, false))),
    line(0x32, "atomic_add", Semantics::Memory(atomic(AtomicOperation::Add, false))),
    line(0x33, "atomic_sub", Semantics::Memory(atomic(AtomicOperation::Sub, false))),
    line(0x35, "atomic_smin", Semantics::Memory(atomic(AtomicOperation::SignedMin, false))),
    line(0x36, "atomic_umin", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, false))),
    line(0x37, "atomic_smax", Semantics::Memory(atomic(AtomicOperation::SignedMax, false))),
    line(0x38, "atomic_umax", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, false))),
    line(0x39, "atomic_and", Semantics::Memory(atomic(AtomicOperation::And, false))),
    line(0x3a, "atomic_or", Semantics::Memory(atomic(AtomicOperation::Or, false))),
    line(0x3b, "atomic_xor", Semantics::Memory(atomic(AtomicOperation::Xor, false))),
    line(0x3c, "atomic_inc", Semantics::Memory(atomic(AtomicOperation::Increment, false))),
    line(0x3d, "atomic_dec", Semantics::Memory(atomic(AtomicOperation::Decrement, false))),
    line(0x3e, "atomic_fcmpswap", Semantics::Memory(atomic(AtomicOperation::CompareSwapFloat, false))),
    line(0x3f, "atomic_fmin", Semantics::Memory(atomic(AtomicOperation::MinFloat, false))),
    line(0x40, "atomic_fmax", Semantics::Memory(atomic(AtomicOperation::MaxFloat, false))),
    line(0x50, "atomic_swap_x2", Semantics::Memory(atomic(AtomicOperation::Swap, true))),
    line(0x51, "atomic_cmpswap_x2", Semantics::Memory(atomic(AtomicOperation::CompareSwap, true))),
    line(0x52, "atomic_add_x2", Semantics::Memory(atomic(AtomicOperation::Add, true))),
    line(0x53, "atomic_sub_x2", Semantics::Memory(atomic(AtomicOperation::Sub, true))),
    line(0x55, "atomic_smin_x2", Semantics::Memory(atomic(AtomicOperation::SignedMin, true))),
    line(0x56, "atomic_umin_x2", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, true))),
    line(0x57, "atomic_smax_x2", Semantics::Memory(atomic(AtomicOperation::SignedMax, true))),
    line(0x58, "atomic_umax_x2", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, true))),
    line(0x59, "atomic_and_x2", Semantics::Memory(atomic(AtomicOperation::And, true))),
    line(0x5a, "atomic_or_x2", Semantics::Memory(atomic(AtomicOperation::Or, true))),
    line(0x5b, "atomic_xor_x2", Semantics::Memory(atomic(AtomicOperation::Xor, true))),
    line(0x5c, "atomic_inc_x2", Semantics::Memory(atomic(AtomicOperation::Increment, true))),
    line(0x5d, "atomic_dec_x2", Semantics::Memory(atomic(AtomicOperation::Decrement, true))),
    line(0x5e, "atomic_fcmpswap_x2", Semantics::Memory(atomic(AtomicOperation::CompareSwapFloat, true))),
    line(0x5f, "atomic_fmin_x2", Semantics::Memory(atomic(AtomicOperation::MinFloat, true))),
    line(0x60, "atomic_fmax_x2", Semantics::Memory(atomic(AtomicOperation::MaxFloat, true))),
] }

/// Global addresses only.
#[rustfmt::skip]
pub(super) static GLOBAL: &[OpcodeEntry] = &[
    // The hardware adds the lane number to these addresses; compute kernels do not use them.
    line(0x16, "global_load_dword_addtid", Semantics::Refused),
    line(0x17, "global_store_dword_addtid", Semantics::Refused),
    line(0x34, "global_atomic_csub", Semantics::Memory(atomic(AtomicOperation::SubToZero, false))),
];
