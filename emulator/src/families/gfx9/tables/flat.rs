//! FLAT, GLOBAL and SCRATCH: a number, a name and what is moved.

use super::{Entry, Line, atomic, line, load, load_part, store, store_part};
use crate::operation::AtomicOperation;
use crate::operation::memory::Part;

/// Flat addresses.
pub(super) static FLAT: &[Line] = &[
    line(
        0x10,
        "flat_load_ubyte",
        Entry::Memory(load_part(1, false, Part::Whole)),
    ),
    line(
        0x11,
        "flat_load_sbyte",
        Entry::Memory(load_part(1, true, Part::Whole)),
    ),
    line(
        0x12,
        "flat_load_ushort",
        Entry::Memory(load_part(2, false, Part::Whole)),
    ),
    line(
        0x13,
        "flat_load_sshort",
        Entry::Memory(load_part(2, true, Part::Whole)),
    ),
    line(0x14, "flat_load_dword", Entry::Memory(load(1))),
    line(0x15, "flat_load_dwordx2", Entry::Memory(load(2))),
    line(0x16, "flat_load_dwordx3", Entry::Memory(load(3))),
    line(0x17, "flat_load_dwordx4", Entry::Memory(load(4))),
    line(0x18, "flat_store_byte", Entry::Memory(store_part(1, false))),
    line(
        0x19,
        "flat_store_byte_d16_hi",
        Entry::Memory(store_part(1, true)),
    ),
    line(
        0x1a,
        "flat_store_short",
        Entry::Memory(store_part(2, false)),
    ),
    line(
        0x1b,
        "flat_store_short_d16_hi",
        Entry::Memory(store_part(2, true)),
    ),
    line(0x1c, "flat_store_dword", Entry::Memory(store(1))),
    line(0x1d, "flat_store_dwordx2", Entry::Memory(store(2))),
    line(0x1e, "flat_store_dwordx3", Entry::Memory(store(3))),
    line(0x1f, "flat_store_dwordx4", Entry::Memory(store(4))),
    line(
        0x20,
        "flat_load_ubyte_d16",
        Entry::Memory(load_part(1, false, Part::Low)),
    ),
    line(
        0x21,
        "flat_load_ubyte_d16_hi",
        Entry::Memory(load_part(1, false, Part::High)),
    ),
    line(
        0x22,
        "flat_load_sbyte_d16",
        Entry::Memory(load_part(1, true, Part::Low)),
    ),
    line(
        0x23,
        "flat_load_sbyte_d16_hi",
        Entry::Memory(load_part(1, true, Part::High)),
    ),
    line(
        0x24,
        "flat_load_short_d16",
        Entry::Memory(load_part(2, false, Part::Low)),
    ),
    line(
        0x25,
        "flat_load_short_d16_hi",
        Entry::Memory(load_part(2, false, Part::High)),
    ),
    line(
        0x40,
        "flat_atomic_swap",
        Entry::Memory(atomic(AtomicOperation::Swap, false)),
    ),
    line(
        0x41,
        "flat_atomic_cmpswap",
        Entry::Memory(atomic(AtomicOperation::CompareSwap, false)),
    ),
    line(
        0x42,
        "flat_atomic_add",
        Entry::Memory(atomic(AtomicOperation::Add, false)),
    ),
    line(
        0x43,
        "flat_atomic_sub",
        Entry::Memory(atomic(AtomicOperation::Sub, false)),
    ),
    line(
        0x44,
        "flat_atomic_smin",
        Entry::Memory(atomic(AtomicOperation::SignedMin, false)),
    ),
    line(
        0x45,
        "flat_atomic_umin",
        Entry::Memory(atomic(AtomicOperation::UnsignedMin, false)),
    ),
    line(
        0x46,
        "flat_atomic_smax",
        Entry::Memory(atomic(AtomicOperation::SignedMax, false)),
    ),
    line(
        0x47,
        "flat_atomic_umax",
        Entry::Memory(atomic(AtomicOperation::UnsignedMax, false)),
    ),
    line(
        0x48,
        "flat_atomic_and",
        Entry::Memory(atomic(AtomicOperation::And, false)),
    ),
    line(
        0x49,
        "flat_atomic_or",
        Entry::Memory(atomic(AtomicOperation::Or, false)),
    ),
    line(
        0x4a,
        "flat_atomic_xor",
        Entry::Memory(atomic(AtomicOperation::Xor, false)),
    ),
    line(
        0x4b,
        "flat_atomic_inc",
        Entry::Memory(atomic(AtomicOperation::Increment, false)),
    ),
    line(
        0x4c,
        "flat_atomic_dec",
        Entry::Memory(atomic(AtomicOperation::Decrement, false)),
    ),
    line(
        0x4d,
        "flat_atomic_add_f32",
        Entry::Memory(atomic(AtomicOperation::AddFloat, false)),
    ),
    line(
        0x4e,
        "flat_atomic_pk_add_f16",
        Entry::Memory(atomic(AtomicOperation::PackedAddHalf, false)),
    ),
    line(
        0x4f,
        "flat_atomic_add_f64",
        Entry::Memory(atomic(AtomicOperation::AddFloat, true)),
    ),
    line(
        0x50,
        "flat_atomic_min_f64",
        Entry::Memory(atomic(AtomicOperation::MinFloat, true)),
    ),
    line(
        0x51,
        "flat_atomic_max_f64",
        Entry::Memory(atomic(AtomicOperation::MaxFloat, true)),
    ),
    line(
        0x52,
        "flat_atomic_pk_add_bf16",
        Entry::Memory(atomic(AtomicOperation::PackedAddBfloat, false)),
    ),
    line(
        0x60,
        "flat_atomic_swap_x2",
        Entry::Memory(atomic(AtomicOperation::Swap, true)),
    ),
    line(
        0x61,
        "flat_atomic_cmpswap_x2",
        Entry::Memory(atomic(AtomicOperation::CompareSwap, true)),
    ),
    line(
        0x62,
        "flat_atomic_add_x2",
        Entry::Memory(atomic(AtomicOperation::Add, true)),
    ),
    line(
        0x63,
        "flat_atomic_sub_x2",
        Entry::Memory(atomic(AtomicOperation::Sub, true)),
    ),
    line(
        0x64,
        "flat_atomic_smin_x2",
        Entry::Memory(atomic(AtomicOperation::SignedMin, true)),
    ),
    line(
        0x65,
        "flat_atomic_umin_x2",
        Entry::Memory(atomic(AtomicOperation::UnsignedMin, true)),
    ),
    line(
        0x66,
        "flat_atomic_smax_x2",
        Entry::Memory(atomic(AtomicOperation::SignedMax, true)),
    ),
    line(
        0x67,
        "flat_atomic_umax_x2",
        Entry::Memory(atomic(AtomicOperation::UnsignedMax, true)),
    ),
    line(
        0x68,
        "flat_atomic_and_x2",
        Entry::Memory(atomic(AtomicOperation::And, true)),
    ),
    line(
        0x69,
        "flat_atomic_or_x2",
        Entry::Memory(atomic(AtomicOperation::Or, true)),
    ),
    line(
        0x6a,
        "flat_atomic_xor_x2",
        Entry::Memory(atomic(AtomicOperation::Xor, true)),
    ),
    line(
        0x6b,
        "flat_atomic_inc_x2",
        Entry::Memory(atomic(AtomicOperation::Increment, true)),
    ),
    line(
        0x6c,
        "flat_atomic_dec_x2",
        Entry::Memory(atomic(AtomicOperation::Decrement, true)),
    ),
];

/// Global addresses.
pub(super) static GLOBAL: &[Line] = &[
    line(
        0x10,
        "global_load_ubyte",
        Entry::Memory(load_part(1, false, Part::Whole)),
    ),
    line(
        0x11,
        "global_load_sbyte",
        Entry::Memory(load_part(1, true, Part::Whole)),
    ),
    line(
        0x12,
        "global_load_ushort",
        Entry::Memory(load_part(2, false, Part::Whole)),
    ),
    line(
        0x13,
        "global_load_sshort",
        Entry::Memory(load_part(2, true, Part::Whole)),
    ),
    line(0x14, "global_load_dword", Entry::Memory(load(1))),
    line(0x15, "global_load_dwordx2", Entry::Memory(load(2))),
    line(0x16, "global_load_dwordx3", Entry::Memory(load(3))),
    line(0x17, "global_load_dwordx4", Entry::Memory(load(4))),
    line(
        0x18,
        "global_store_byte",
        Entry::Memory(store_part(1, false)),
    ),
    line(
        0x19,
        "global_store_byte_d16_hi",
        Entry::Memory(store_part(1, true)),
    ),
    line(
        0x1a,
        "global_store_short",
        Entry::Memory(store_part(2, false)),
    ),
    line(
        0x1b,
        "global_store_short_d16_hi",
        Entry::Memory(store_part(2, true)),
    ),
    line(0x1c, "global_store_dword", Entry::Memory(store(1))),
    line(0x1d, "global_store_dwordx2", Entry::Memory(store(2))),
    line(0x1e, "global_store_dwordx3", Entry::Memory(store(3))),
    line(0x1f, "global_store_dwordx4", Entry::Memory(store(4))),
    line(
        0x20,
        "global_load_ubyte_d16",
        Entry::Memory(load_part(1, false, Part::Low)),
    ),
    line(
        0x21,
        "global_load_ubyte_d16_hi",
        Entry::Memory(load_part(1, false, Part::High)),
    ),
    line(
        0x22,
        "global_load_sbyte_d16",
        Entry::Memory(load_part(1, true, Part::Low)),
    ),
    line(
        0x23,
        "global_load_sbyte_d16_hi",
        Entry::Memory(load_part(1, true, Part::High)),
    ),
    line(
        0x24,
        "global_load_short_d16",
        Entry::Memory(load_part(2, false, Part::Low)),
    ),
    line(
        0x25,
        "global_load_short_d16_hi",
        Entry::Memory(load_part(2, false, Part::High)),
    ),
    line(0x26, "global_load_lds_ubyte", Entry::Refused),
    line(0x27, "global_load_lds_sbyte", Entry::Refused),
    line(0x28, "global_load_lds_ushort", Entry::Refused),
    line(0x29, "global_load_lds_sshort", Entry::Refused),
    line(0x2a, "global_load_lds_dword", Entry::Refused),
    line(
        0x40,
        "global_atomic_swap",
        Entry::Memory(atomic(AtomicOperation::Swap, false)),
    ),
    line(
        0x41,
        "global_atomic_cmpswap",
        Entry::Memory(atomic(AtomicOperation::CompareSwap, false)),
    ),
    line(
        0x42,
        "global_atomic_add",
        Entry::Memory(atomic(AtomicOperation::Add, false)),
    ),
    line(
        0x43,
        "global_atomic_sub",
        Entry::Memory(atomic(AtomicOperation::Sub, false)),
    ),
    line(
        0x44,
        "global_atomic_smin",
        Entry::Memory(atomic(AtomicOperation::SignedMin, false)),
    ),
    line(
        0x45,
        "global_atomic_umin",
        Entry::Memory(atomic(AtomicOperation::UnsignedMin, false)),
    ),
    line(
        0x46,
        "global_atomic_smax",
        Entry::Memory(atomic(AtomicOperation::SignedMax, false)),
    ),
    line(
        0x47,
        "global_atomic_umax",
        Entry::Memory(atomic(AtomicOperation::UnsignedMax, false)),
    ),
    line(
        0x48,
        "global_atomic_and",
        Entry::Memory(atomic(AtomicOperation::And, false)),
    ),
    line(
        0x49,
        "global_atomic_or",
        Entry::Memory(atomic(AtomicOperation::Or, false)),
    ),
    line(
        0x4a,
        "global_atomic_xor",
        Entry::Memory(atomic(AtomicOperation::Xor, false)),
    ),
    line(
        0x4b,
        "global_atomic_inc",
        Entry::Memory(atomic(AtomicOperation::Increment, false)),
    ),
    line(
        0x4c,
        "global_atomic_dec",
        Entry::Memory(atomic(AtomicOperation::Decrement, false)),
    ),
    line(
        0x4d,
        "global_atomic_add_f32",
        Entry::Memory(atomic(AtomicOperation::AddFloat, false)),
    ),
    line(
        0x4e,
        "global_atomic_pk_add_f16",
        Entry::Memory(atomic(AtomicOperation::PackedAddHalf, false)),
    ),
    line(
        0x4f,
        "global_atomic_add_f64",
        Entry::Memory(atomic(AtomicOperation::AddFloat, true)),
    ),
    line(
        0x50,
        "global_atomic_min_f64",
        Entry::Memory(atomic(AtomicOperation::MinFloat, true)),
    ),
    line(
        0x51,
        "global_atomic_max_f64",
        Entry::Memory(atomic(AtomicOperation::MaxFloat, true)),
    ),
    line(
        0x52,
        "global_atomic_pk_add_bf16",
        Entry::Memory(atomic(AtomicOperation::PackedAddBfloat, false)),
    ),
    line(
        0x60,
        "global_atomic_swap_x2",
        Entry::Memory(atomic(AtomicOperation::Swap, true)),
    ),
    line(
        0x61,
        "global_atomic_cmpswap_x2",
        Entry::Memory(atomic(AtomicOperation::CompareSwap, true)),
    ),
    line(
        0x62,
        "global_atomic_add_x2",
        Entry::Memory(atomic(AtomicOperation::Add, true)),
    ),
    line(
        0x63,
        "global_atomic_sub_x2",
        Entry::Memory(atomic(AtomicOperation::Sub, true)),
    ),
    line(
        0x64,
        "global_atomic_smin_x2",
        Entry::Memory(atomic(AtomicOperation::SignedMin, true)),
    ),
    line(
        0x65,
        "global_atomic_umin_x2",
        Entry::Memory(atomic(AtomicOperation::UnsignedMin, true)),
    ),
    line(
        0x66,
        "global_atomic_smax_x2",
        Entry::Memory(atomic(AtomicOperation::SignedMax, true)),
    ),
    line(
        0x67,
        "global_atomic_umax_x2",
        Entry::Memory(atomic(AtomicOperation::UnsignedMax, true)),
    ),
    line(
        0x68,
        "global_atomic_and_x2",
        Entry::Memory(atomic(AtomicOperation::And, true)),
    ),
    line(
        0x69,
        "global_atomic_or_x2",
        Entry::Memory(atomic(AtomicOperation::Or, true)),
    ),
    line(
        0x6a,
        "global_atomic_xor_x2",
        Entry::Memory(atomic(AtomicOperation::Xor, true)),
    ),
    line(
        0x6b,
        "global_atomic_inc_x2",
        Entry::Memory(atomic(AtomicOperation::Increment, true)),
    ),
    line(
        0x6c,
        "global_atomic_dec_x2",
        Entry::Memory(atomic(AtomicOperation::Decrement, true)),
    ),
];

/// Private memory.
pub(super) static SCRATCH: &[Line] = &[
    line(
        0x10,
        "scratch_load_ubyte",
        Entry::Memory(load_part(1, false, Part::Whole)),
    ),
    line(
        0x11,
        "scratch_load_sbyte",
        Entry::Memory(load_part(1, true, Part::Whole)),
    ),
    line(
        0x12,
        "scratch_load_ushort",
        Entry::Memory(load_part(2, false, Part::Whole)),
    ),
    line(
        0x13,
        "scratch_load_sshort",
        Entry::Memory(load_part(2, true, Part::Whole)),
    ),
    line(0x14, "scratch_load_dword", Entry::Memory(load(1))),
    line(0x15, "scratch_load_dwordx2", Entry::Memory(load(2))),
    line(0x16, "scratch_load_dwordx3", Entry::Memory(load(3))),
    line(0x17, "scratch_load_dwordx4", Entry::Memory(load(4))),
    line(
        0x18,
        "scratch_store_byte",
        Entry::Memory(store_part(1, false)),
    ),
    line(
        0x19,
        "scratch_store_byte_d16_hi",
        Entry::Memory(store_part(1, true)),
    ),
    line(
        0x1a,
        "scratch_store_short",
        Entry::Memory(store_part(2, false)),
    ),
    line(
        0x1b,
        "scratch_store_short_d16_hi",
        Entry::Memory(store_part(2, true)),
    ),
    line(0x1c, "scratch_store_dword", Entry::Memory(store(1))),
    line(0x1d, "scratch_store_dwordx2", Entry::Memory(store(2))),
    line(0x1e, "scratch_store_dwordx3", Entry::Memory(store(3))),
    line(0x1f, "scratch_store_dwordx4", Entry::Memory(store(4))),
    line(
        0x20,
        "scratch_load_ubyte_d16",
        Entry::Memory(load_part(1, false, Part::Low)),
    ),
    line(
        0x21,
        "scratch_load_ubyte_d16_hi",
        Entry::Memory(load_part(1, false, Part::High)),
    ),
    line(
        0x22,
        "scratch_load_sbyte_d16",
        Entry::Memory(load_part(1, true, Part::Low)),
    ),
    line(
        0x23,
        "scratch_load_sbyte_d16_hi",
        Entry::Memory(load_part(1, true, Part::High)),
    ),
    line(
        0x24,
        "scratch_load_short_d16",
        Entry::Memory(load_part(2, false, Part::Low)),
    ),
    line(
        0x25,
        "scratch_load_short_d16_hi",
        Entry::Memory(load_part(2, false, Part::High)),
    ),
    line(0x26, "scratch_load_lds_ubyte", Entry::Refused),
    line(0x27, "scratch_load_lds_sbyte", Entry::Refused),
    line(0x28, "scratch_load_lds_ushort", Entry::Refused),
    line(0x29, "scratch_load_lds_sshort", Entry::Refused),
    line(0x2a, "scratch_load_lds_dword", Entry::Refused),
];
