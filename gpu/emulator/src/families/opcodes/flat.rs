//! The opcode tables of FLAT, GLOBAL and SCRATCH. Rows have the names without the segment.

use super::{FROM_90A, FROM_942, ONLY_950};
use crate::families::tables::Semantics::{LoadLds, Memory, Nothing, Refused};
use crate::families::tables::{
    NONE, OpcodeEntry, atomic, load, load_part, opcode, segments, store, store_part,
};
use crate::operation::AtomicOperation;
use crate::operation::memory::DestinationHalf;

// All segments have loads and stores.
segments! { FLAT_MOVES = "flat_", GLOBAL_MOVES = "global_", SCRATCH_MOVES = "scratch_"; [
    opcode([0x10, 0x08, NONE, NONE], "load_ubyte", Memory(load_part(1, false, DestinationHalf::Whole))),
    opcode([0x11, 0x09, NONE, NONE], "load_sbyte", Memory(load_part(1, true, DestinationHalf::Whole))),
    opcode([0x12, 0x0a, NONE, NONE], "load_ushort", Memory(load_part(2, false, DestinationHalf::Whole))),
    opcode([0x13, 0x0b, NONE, NONE], "load_sshort", Memory(load_part(2, true, DestinationHalf::Whole))),
    opcode([0x14, 0x0c, NONE, NONE], "load_dword", Memory(load(1))),
    opcode([0x15, 0x0d, NONE, NONE], "load_dwordx2", Memory(load(2))),
    opcode([0x16, 0x0f, NONE, NONE], "load_dwordx3", Memory(load(3))),
    opcode([0x17, 0x0e, NONE, NONE], "load_dwordx4", Memory(load(4))),
    opcode([0x18, 0x18, NONE, NONE], "store_byte", Memory(store_part(1, false))),
    opcode([0x19, 0x19, NONE, NONE], "store_byte_d16_hi", Memory(store_part(1, true))),
    opcode([0x1a, 0x1a, NONE, NONE], "store_short", Memory(store_part(2, false))),
    opcode([0x1b, 0x1b, NONE, NONE], "store_short_d16_hi", Memory(store_part(2, true))),
    opcode([0x1c, 0x1c, NONE, NONE], "store_dword", Memory(store(1))),
    opcode([0x1d, 0x1d, NONE, NONE], "store_dwordx2", Memory(store(2))),
    opcode([0x1e, 0x1f, NONE, NONE], "store_dwordx3", Memory(store(3))),
    opcode([0x1f, 0x1e, NONE, NONE], "store_dwordx4", Memory(store(4))),
    opcode([0x20, 0x20, NONE, NONE], "load_ubyte_d16", Memory(load_part(1, false, DestinationHalf::Low))),
    opcode([0x21, 0x21, NONE, NONE], "load_ubyte_d16_hi", Memory(load_part(1, false, DestinationHalf::High))),
    opcode([0x22, 0x22, NONE, NONE], "load_sbyte_d16", Memory(load_part(1, true, DestinationHalf::Low))),
    opcode([0x23, 0x23, NONE, NONE], "load_sbyte_d16_hi", Memory(load_part(1, true, DestinationHalf::High))),
    opcode([0x24, 0x24, NONE, NONE], "load_short_d16", Memory(load_part(2, false, DestinationHalf::Low))),
    opcode([0x25, 0x25, NONE, NONE], "load_short_d16_hi", Memory(load_part(2, false, DestinationHalf::High))),
    opcode([NONE, NONE, 0x10, 0x10], "load_u8", Memory(load_part(1, false, DestinationHalf::Whole))),
    opcode([NONE, NONE, 0x11, 0x11], "load_i8", Memory(load_part(1, true, DestinationHalf::Whole))),
    opcode([NONE, NONE, 0x12, 0x12], "load_u16", Memory(load_part(2, false, DestinationHalf::Whole))),
    opcode([NONE, NONE, 0x13, 0x13], "load_i16", Memory(load_part(2, true, DestinationHalf::Whole))),
    opcode([NONE, NONE, 0x14, 0x14], "load_b32", Memory(load(1))),
    opcode([NONE, NONE, 0x15, 0x15], "load_b64", Memory(load(2))),
    opcode([NONE, NONE, 0x16, 0x16], "load_b96", Memory(load(3))),
    opcode([NONE, NONE, 0x17, 0x17], "load_b128", Memory(load(4))),
    opcode([NONE, NONE, 0x18, 0x18], "store_b8", Memory(store_part(1, false))),
    opcode([NONE, NONE, 0x19, 0x19], "store_b16", Memory(store_part(2, false))),
    opcode([NONE, NONE, 0x1a, 0x1a], "store_b32", Memory(store(1))),
    opcode([NONE, NONE, 0x1b, 0x1b], "store_b64", Memory(store(2))),
    opcode([NONE, NONE, 0x1c, 0x1c], "store_b96", Memory(store(3))),
    opcode([NONE, NONE, 0x1d, 0x1d], "store_b128", Memory(store(4))),
    opcode([NONE, NONE, 0x1e, 0x1e], "load_d16_u8", Memory(load_part(1, false, DestinationHalf::Low))),
    opcode([NONE, NONE, 0x1f, 0x1f], "load_d16_i8", Memory(load_part(1, true, DestinationHalf::Low))),
    opcode([NONE, NONE, 0x20, 0x20], "load_d16_b16", Memory(load_part(2, false, DestinationHalf::Low))),
    opcode([NONE, NONE, 0x21, 0x21], "load_d16_hi_u8", Memory(load_part(1, false, DestinationHalf::High))),
    opcode([NONE, NONE, 0x22, 0x22], "load_d16_hi_i8", Memory(load_part(1, true, DestinationHalf::High))),
    opcode([NONE, NONE, 0x23, 0x23], "load_d16_hi_b16", Memory(load_part(2, false, DestinationHalf::High))),
    opcode([NONE, NONE, 0x24, 0x24], "store_d16_hi_b8", Memory(store_part(1, true))),
    opcode([NONE, NONE, 0x25, 0x25], "store_d16_hi_b16", Memory(store_part(2, true))),
] }

// Private memory has no atomics, because no other lane sees it.
segments! { FLAT_ATOMICS = "flat_", GLOBAL_ATOMICS = "global_"; [
    opcode([0x40, 0x30, NONE, NONE], "atomic_swap", Memory(atomic(AtomicOperation::Swap, false))),
    opcode([0x41, 0x31, NONE, NONE], "atomic_cmpswap", Memory(atomic(AtomicOperation::CompareSwap, false))),
    opcode([0x42, 0x32, NONE, NONE], "atomic_add", Memory(atomic(AtomicOperation::Add, false))),
    opcode([0x43, 0x33, NONE, NONE], "atomic_sub", Memory(atomic(AtomicOperation::Sub, false))),
    opcode([0x44, 0x35, NONE, NONE], "atomic_smin", Memory(atomic(AtomicOperation::SignedMin, false))),
    opcode([0x45, 0x36, NONE, NONE], "atomic_umin", Memory(atomic(AtomicOperation::UnsignedMin, false))),
    opcode([0x46, 0x37, NONE, NONE], "atomic_smax", Memory(atomic(AtomicOperation::SignedMax, false))),
    opcode([0x47, 0x38, NONE, NONE], "atomic_umax", Memory(atomic(AtomicOperation::UnsignedMax, false))),
    opcode([0x48, 0x39, NONE, NONE], "atomic_and", Memory(atomic(AtomicOperation::And, false))),
    opcode([0x49, 0x3a, NONE, NONE], "atomic_or", Memory(atomic(AtomicOperation::Or, false))),
    opcode([0x4a, 0x3b, NONE, NONE], "atomic_xor", Memory(atomic(AtomicOperation::Xor, false))),
    opcode([0x4b, 0x3c, NONE, NONE], "atomic_inc", Memory(atomic(AtomicOperation::Increment, false))),
    opcode([0x4c, 0x3d, NONE, NONE], "atomic_dec", Memory(atomic(AtomicOperation::Decrement, false))),
    opcode([NONE, 0x3e, NONE, NONE], "atomic_fcmpswap", Memory(atomic(AtomicOperation::CompareSwapFloat, false))),
    opcode([NONE, 0x3f, NONE, NONE], "atomic_fmin", Memory(atomic(AtomicOperation::MinFloat, false))),
    opcode([NONE, 0x40, NONE, NONE], "atomic_fmax", Memory(atomic(AtomicOperation::MaxFloat, false))),
    // Vega 20 has no float atomics on memory.
    opcode([0x4f, NONE, NONE, NONE], "atomic_add_f64", Memory(atomic(AtomicOperation::AddFloat, true))).only(FROM_90A),
    opcode([0x50, NONE, NONE, NONE], "atomic_min_f64", Memory(atomic(AtomicOperation::MinFloat, true))).only(FROM_90A),
    opcode([0x51, NONE, NONE, NONE], "atomic_max_f64", Memory(atomic(AtomicOperation::MaxFloat, true))).only(FROM_90A),
    opcode([0x52, NONE, NONE, 0x5a], "atomic_pk_add_bf16", Memory(atomic(AtomicOperation::PackedAddBfloat, false))).only(FROM_942),
    opcode([0x60, 0x50, NONE, NONE], "atomic_swap_x2", Memory(atomic(AtomicOperation::Swap, true))),
    opcode([0x61, 0x51, NONE, NONE], "atomic_cmpswap_x2", Memory(atomic(AtomicOperation::CompareSwap, true))),
    opcode([0x62, 0x52, NONE, NONE], "atomic_add_x2", Memory(atomic(AtomicOperation::Add, true))),
    opcode([0x63, 0x53, NONE, NONE], "atomic_sub_x2", Memory(atomic(AtomicOperation::Sub, true))),
    opcode([0x64, 0x55, NONE, NONE], "atomic_smin_x2", Memory(atomic(AtomicOperation::SignedMin, true))),
    opcode([0x65, 0x56, NONE, NONE], "atomic_umin_x2", Memory(atomic(AtomicOperation::UnsignedMin, true))),
    opcode([0x66, 0x57, NONE, NONE], "atomic_smax_x2", Memory(atomic(AtomicOperation::SignedMax, true))),
    opcode([0x67, 0x58, NONE, NONE], "atomic_umax_x2", Memory(atomic(AtomicOperation::UnsignedMax, true))),
    opcode([0x68, 0x59, NONE, NONE], "atomic_and_x2", Memory(atomic(AtomicOperation::And, true))),
    opcode([0x69, 0x5a, NONE, NONE], "atomic_or_x2", Memory(atomic(AtomicOperation::Or, true))),
    opcode([0x6a, 0x5b, NONE, NONE], "atomic_xor_x2", Memory(atomic(AtomicOperation::Xor, true))),
    opcode([0x6b, 0x5c, NONE, NONE], "atomic_inc_x2", Memory(atomic(AtomicOperation::Increment, true))),
    opcode([0x6c, 0x5d, NONE, NONE], "atomic_dec_x2", Memory(atomic(AtomicOperation::Decrement, true))),
    opcode([NONE, 0x5e, NONE, NONE], "atomic_fcmpswap_x2", Memory(atomic(AtomicOperation::CompareSwapFloat, true))),
    opcode([NONE, 0x5f, NONE, NONE], "atomic_fmin_x2", Memory(atomic(AtomicOperation::MinFloat, true))),
    opcode([NONE, 0x60, NONE, NONE], "atomic_fmax_x2", Memory(atomic(AtomicOperation::MaxFloat, true))),
    opcode([NONE, NONE, 0x33, 0x33], "atomic_swap_b32", Memory(atomic(AtomicOperation::Swap, false))),
    opcode([NONE, NONE, 0x34, 0x34], "atomic_cmpswap_b32", Memory(atomic(AtomicOperation::CompareSwap, false))),
    opcode([NONE, NONE, 0x35, 0x35], "atomic_add_u32", Memory(atomic(AtomicOperation::Add, false))),
    opcode([NONE, NONE, 0x36, 0x36], "atomic_sub_u32", Memory(atomic(AtomicOperation::Sub, false))),
    opcode([NONE, NONE, NONE, 0x37], "atomic_sub_clamp_u32", Memory(atomic(AtomicOperation::SubToZero, false))),
    opcode([NONE, NONE, 0x38, 0x38], "atomic_min_i32", Memory(atomic(AtomicOperation::SignedMin, false))),
    opcode([NONE, NONE, 0x39, 0x39], "atomic_min_u32", Memory(atomic(AtomicOperation::UnsignedMin, false))),
    opcode([NONE, NONE, 0x3a, 0x3a], "atomic_max_i32", Memory(atomic(AtomicOperation::SignedMax, false))),
    opcode([NONE, NONE, 0x3b, 0x3b], "atomic_max_u32", Memory(atomic(AtomicOperation::UnsignedMax, false))),
    opcode([NONE, NONE, 0x3c, 0x3c], "atomic_and_b32", Memory(atomic(AtomicOperation::And, false))),
    opcode([NONE, NONE, 0x3d, 0x3d], "atomic_or_b32", Memory(atomic(AtomicOperation::Or, false))),
    opcode([NONE, NONE, 0x3e, 0x3e], "atomic_xor_b32", Memory(atomic(AtomicOperation::Xor, false))),
    opcode([NONE, NONE, 0x3f, 0x3f], "atomic_inc_u32", Memory(atomic(AtomicOperation::Increment, false))),
    opcode([NONE, NONE, 0x40, 0x40], "atomic_dec_u32", Memory(atomic(AtomicOperation::Decrement, false))),
    opcode([NONE, NONE, 0x41, 0x41], "atomic_swap_b64", Memory(atomic(AtomicOperation::Swap, true))),
    opcode([NONE, NONE, 0x42, 0x42], "atomic_cmpswap_b64", Memory(atomic(AtomicOperation::CompareSwap, true))),
    opcode([NONE, NONE, 0x43, 0x43], "atomic_add_u64", Memory(atomic(AtomicOperation::Add, true))),
    opcode([NONE, NONE, 0x44, 0x44], "atomic_sub_u64", Memory(atomic(AtomicOperation::Sub, true))),
    opcode([NONE, NONE, 0x45, 0x45], "atomic_min_i64", Memory(atomic(AtomicOperation::SignedMin, true))),
    opcode([NONE, NONE, 0x46, 0x46], "atomic_min_u64", Memory(atomic(AtomicOperation::UnsignedMin, true))),
    opcode([NONE, NONE, 0x47, 0x47], "atomic_max_i64", Memory(atomic(AtomicOperation::SignedMax, true))),
    opcode([NONE, NONE, 0x48, 0x48], "atomic_max_u64", Memory(atomic(AtomicOperation::UnsignedMax, true))),
    opcode([NONE, NONE, 0x49, 0x49], "atomic_and_b64", Memory(atomic(AtomicOperation::And, true))),
    opcode([NONE, NONE, 0x4a, 0x4a], "atomic_or_b64", Memory(atomic(AtomicOperation::Or, true))),
    opcode([NONE, NONE, 0x4b, 0x4b], "atomic_xor_b64", Memory(atomic(AtomicOperation::Xor, true))),
    opcode([NONE, NONE, 0x4c, 0x4c], "atomic_inc_u64", Memory(atomic(AtomicOperation::Increment, true))),
    opcode([NONE, NONE, 0x4d, 0x4d], "atomic_dec_u64", Memory(atomic(AtomicOperation::Decrement, true))),
    opcode([NONE, NONE, NONE, 0x50], "atomic_cond_sub_u32", Memory(atomic(AtomicOperation::SubIfNotLess, false))),
    opcode([NONE, NONE, NONE, 0x51], "atomic_min_num_f32", Memory(atomic(AtomicOperation::MinNumber, false))),
    opcode([NONE, NONE, NONE, 0x52], "atomic_max_num_f32", Memory(atomic(AtomicOperation::MaxNumber, false))),
    opcode([NONE, NONE, 0x50, NONE], "atomic_cmpswap_f32", Memory(atomic(AtomicOperation::CompareSwapFloat, false))),
    opcode([NONE, NONE, 0x51, NONE], "atomic_min_f32", Memory(atomic(AtomicOperation::MinFloat, false))),
    opcode([NONE, NONE, 0x52, NONE], "atomic_max_f32", Memory(atomic(AtomicOperation::MaxFloat, false))),
] }

// Flat addresses have no loads to LDS, and no loads and stores of register blocks.
segments! { GLOBAL_BLOCKS = "global_", SCRATCH_BLOCKS = "scratch_"; [
    // Block accesses take a register mask from M0.
    opcode([NONE, NONE, NONE, 0x53], "load_block", Refused),
    opcode([NONE, NONE, NONE, 0x54], "store_block", Refused),
    opcode([0x26, NONE, NONE, NONE], "load_lds_ubyte", LoadLds(load_part(1, false, DestinationHalf::Whole))).only(FROM_942),
    opcode([0x27, NONE, NONE, NONE], "load_lds_sbyte", LoadLds(load_part(1, true, DestinationHalf::Whole))).only(FROM_942),
    opcode([0x28, NONE, NONE, NONE], "load_lds_ushort", LoadLds(load_part(2, false, DestinationHalf::Whole))).only(FROM_942),
    opcode([0x29, NONE, NONE, NONE], "load_lds_sshort", LoadLds(load_part(2, true, DestinationHalf::Whole))).only(FROM_942),
    opcode([0x2a, NONE, NONE, NONE], "load_lds_dword", LoadLds(load(1))).only(FROM_942),
] }

// Flat addresses, where other instruction sets have them than global addresses.
segments! { FLAT = "flat_"; [
    opcode([0x4d, NONE, 0x56, 0x56], "atomic_add_f32", Memory(atomic(AtomicOperation::AddFloat, false))).only(FROM_942),
    opcode([0x4e, NONE, NONE, 0x59], "atomic_pk_add_f16", Memory(atomic(AtomicOperation::PackedAddHalf, false))).only(FROM_942),
] }

// Global addresses only.
segments! { GLOBAL = "global_"; [
    // The hardware adds the lane number to these addresses; compute kernels do not use them.
    opcode([NONE, 0x16, NONE, NONE], "load_dword_addtid", Refused),
    opcode([NONE, 0x17, NONE, NONE], "store_dword_addtid", Refused),
    opcode([NONE, 0x34, NONE, NONE], "atomic_csub", Memory(atomic(AtomicOperation::SubToZero, false))),
    opcode([0x4d, NONE, 0x56, 0x56], "atomic_add_f32", Memory(atomic(AtomicOperation::AddFloat, false))).only(FROM_90A),
    opcode([NONE, NONE, 0x28, 0x28], "load_addtid_b32", Refused),
    opcode([NONE, NONE, 0x29, 0x29], "store_addtid_b32", Refused),
    // Every access is coherent here, so an invalidation does nothing; the checker observes it.
    opcode([NONE, NONE, NONE, 0x2b], "inv", Nothing),
    opcode([NONE, NONE, NONE, 0x2c], "wb", Nothing),
    opcode([NONE, NONE, NONE, 0x4f], "wbinv", Nothing),
    // Transposing loads exchange values between lanes for matrix instructions.
    opcode([NONE, NONE, NONE, 0x57], "load_tr_b128", Refused),
    opcode([NONE, NONE, NONE, 0x58], "load_tr_b64", Refused),
    opcode([NONE, NONE, NONE, 0x73], "atomic_ordered_add_b64", Refused),
    opcode([NONE, NONE, 0x37, NONE], "atomic_csub_u32", Memory(atomic(AtomicOperation::SubToZero, false))),
    opcode([0x4e, NONE, NONE, 0x59], "atomic_pk_add_f16", Memory(atomic(AtomicOperation::PackedAddHalf, false))).only(FROM_90A),
    // Only CDNA 4 moves more than a dword per lane to LDS.
    opcode([0x7d, NONE, NONE, NONE], "load_lds_dwordx4", LoadLds(load(4))).only(ONLY_950),
    opcode([0x7e, NONE, NONE, NONE], "load_lds_dwordx3", LoadLds(load(3))).only(ONLY_950),
] }
