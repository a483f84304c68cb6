//! The opcode tables of SMEM, MUBUF and MTBUF: number, name and operation.

use crate::families::tables::{
    OpcodeEntry, Semantics, atomic, line, load, load_part, store, store_part,
};
use crate::operation::AtomicOperation;
use crate::operation::memory::DestinationHalf;

/// Scalar memory.
#[rustfmt::skip]
pub(super) static SMEM: &[OpcodeEntry] = &[
    line(0x00, "s_load_b32", Semantics::ScalarLoad { registers: 1, buffer: false }),
    line(0x01, "s_load_b64", Semantics::ScalarLoad { registers: 2, buffer: false }),
    line(0x02, "s_load_b128", Semantics::ScalarLoad { registers: 4, buffer: false }),
    line(0x03, "s_load_b256", Semantics::ScalarLoad { registers: 8, buffer: false }),
    line(0x04, "s_load_b512", Semantics::ScalarLoad { registers: 16, buffer: false }),
    line(0x08, "s_buffer_load_b32", Semantics::ScalarLoad { registers: 1, buffer: true }),
    line(0x09, "s_buffer_load_b64", Semantics::ScalarLoad { registers: 2, buffer: true }),
    line(0x0a, "s_buffer_load_b128", Semantics::ScalarLoad { registers: 4, buffer: true }),
    line(0x0b, "s_buffer_load_b256", Semantics::ScalarLoad { registers: 8, buffer: true }),
    line(0x0c, "s_buffer_load_b512", Semantics::ScalarLoad { registers: 16, buffer: true }),
    // Every access is coherent here, so an invalidation does nothing; the checker observes it.
    line(0x20, "s_gl1_inv", Semantics::Nothing),
    line(0x21, "s_dcache_inv", Semantics::Nothing),
    // A probe of the address translation returns nothing to the program.
    line(0x22, "s_atc_probe", Semantics::Refused),
    line(0x23, "s_atc_probe_buffer", Semantics::Refused),
];

/// Accesses with a buffer resource.
#[rustfmt::skip]
pub(super) static MUBUF: &[OpcodeEntry] = &[
    // Typed accesses convert through the resource format, which only graphics uses.
    line(0x00, "buffer_load_format_x", Semantics::Refused),
    line(0x01, "buffer_load_format_xy", Semantics::Refused),
    line(0x02, "buffer_load_format_xyz", Semantics::Refused),
    line(0x03, "buffer_load_format_xyzw", Semantics::Refused),
    line(0x04, "buffer_store_format_x", Semantics::Refused),
    line(0x05, "buffer_store_format_xy", Semantics::Refused),
    line(0x06, "buffer_store_format_xyz", Semantics::Refused),
    line(0x07, "buffer_store_format_xyzw", Semantics::Refused),
    line(0x08, "buffer_load_d16_format_x", Semantics::Refused),
    line(0x09, "buffer_load_d16_format_xy", Semantics::Refused),
    line(0x0a, "buffer_load_d16_format_xyz", Semantics::Refused),
    line(0x0b, "buffer_load_d16_format_xyzw", Semantics::Refused),
    line(0x0c, "buffer_store_d16_format_x", Semantics::Refused),
    line(0x0d, "buffer_store_d16_format_xy", Semantics::Refused),
    line(0x0e, "buffer_store_d16_format_xyz", Semantics::Refused),
    line(0x0f, "buffer_store_d16_format_xyzw", Semantics::Refused),
    line(0x10, "buffer_load_u8", Semantics::Memory(load_part(1, false, DestinationHalf::Whole))),
    line(0x11, "buffer_load_i8", Semantics::Memory(load_part(1, true, DestinationHalf::Whole))),
    line(0x12, "buffer_load_u16", Semantics::Memory(load_part(2, false, DestinationHalf::Whole))),
    line(0x13, "buffer_load_i16", Semantics::Memory(load_part(2, true, DestinationHalf::Whole))),
    line(0x14, "buffer_load_b32", Semantics::Memory(load(1))),
    line(0x15, "buffer_load_b64", Semantics::Memory(load(2))),
    line(0x16, "buffer_load_b96", Semantics::Memory(load(3))),
    line(0x17, "buffer_load_b128", Semantics::Memory(load(4))),
    line(0x18, "buffer_store_b8", Semantics::Memory(store_part(1, false))),
    line(0x19, "buffer_store_b16", Semantics::Memory(store_part(2, false))),
    line(0x1a, "buffer_store_b32", Semantics::Memory(store(1))),
    line(0x1b, "buffer_store_b64", Semantics::Memory(store(2))),
    line(0x1c, "buffer_store_b96", Semantics::Memory(store(3))),
    line(0x1d, "buffer_store_b128", Semantics::Memory(store(4))),
    line(0x1e, "buffer_load_d16_u8", Semantics::Memory(load_part(1, false, DestinationHalf::Low))),
    line(0x1f, "buffer_load_d16_i8", Semantics::Memory(load_part(1, true, DestinationHalf::Low))),
    line(0x20, "buffer_load_d16_b16", Semantics::Memory(load_part(2, false, DestinationHalf::Low))),
    line(0x21, "buffer_load_d16_hi_u8", Semantics::Memory(load_part(1, false, DestinationHalf::High))),
    line(0x22, "buffer_load_d16_hi_i8", Semantics::Memory(load_part(1, true, DestinationHalf::High))),
    line(0x23, "buffer_load_d16_hi_b16", Semantics::Memory(load_part(2, false, DestinationHalf::High))),
    line(0x24, "buffer_store_d16_hi_b8", Semantics::Memory(store_part(1, true))),
    line(0x25, "buffer_store_d16_hi_b16", Semantics::Memory(store_part(2, true))),
    line(0x26, "buffer_load_d16_hi_format_x", Semantics::Refused),
    line(0x27, "buffer_store_d16_hi_format_x", Semantics::Refused),
    // Every access is coherent here, so an invalidation does nothing; the checker observes it.
    line(0x2b, "buffer_gl0_inv", Semantics::Nothing),
    line(0x2c, "buffer_gl1_inv", Semantics::Nothing),
    line(0x33, "buffer_atomic_swap_b32", Semantics::Memory(atomic(AtomicOperation::Swap, false))),
    line(0x34, "buffer_atomic_cmpswap_b32", Semantics::Memory(atomic(AtomicOperation::CompareSwap, false))),
    line(0x35, "buffer_atomic_add_u32", Semantics::Memory(atomic(AtomicOperation::Add, false))),
    line(0x36, "buffer_atomic_sub_u32", Semantics::Memory(atomic(AtomicOperation::Sub, false))),
    line(0x37, "buffer_atomic_csub_u32", Semantics::Memory(atomic(AtomicOperation::SubToZero, false))),
    line(0x38, "buffer_atomic_min_i32", Semantics::Memory(atomic(AtomicOperation::SignedMin, false))),
    line(0x39, "buffer_atomic_min_u32", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, false))),
    line(0x3a, "buffer_atomic_max_i32", Semantics::Memory(atomic(AtomicOperation::SignedMax, false))),
    line(0x3b, "buffer_atomic_max_u32", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, false))),
    line(0x3c, "buffer_atomic_and_b32", Semantics::Memory(atomic(AtomicOperation::And, false))),
    line(0x3d, "buffer_atomic_or_b32", Semantics::Memory(atomic(AtomicOperation::Or, false))),
    line(0x3e, "buffer_atomic_xor_b32", Semantics::Memory(atomic(AtomicOperation::Xor, false))),
    line(0x3f, "buffer_atomic_inc_u32", Semantics::Memory(atomic(AtomicOperation::Increment, false))),
    line(0x40, "buffer_atomic_dec_u32", Semantics::Memory(atomic(AtomicOperation::Decrement, false))),
    line(0x41, "buffer_atomic_swap_b64", Semantics::Memory(atomic(AtomicOperation::Swap, true))),
    line(0x42, "buffer_atomic_cmpswap_b64", Semantics::Memory(atomic(AtomicOperation::CompareSwap, true))),
    line(0x43, "buffer_atomic_add_u64", Semantics::Memory(atomic(AtomicOperation::Add, true))),
    line(0x44, "buffer_atomic_sub_u64", Semantics::Memory(atomic(AtomicOperation::Sub, true))),
    line(0x45, "buffer_atomic_min_i64", Semantics::Memory(atomic(AtomicOperation::SignedMin, true))),
    line(0x46, "buffer_atomic_min_u64", Semantics::Memory(atomic(AtomicOperation::UnsignedMin, true))),
    line(0x47, "buffer_atomic_max_i64", Semantics::Memory(atomic(AtomicOperation::SignedMax, true))),
    line(0x48, "buffer_atomic_max_u64", Semantics::Memory(atomic(AtomicOperation::UnsignedMax, true))),
    line(0x49, "buffer_atomic_and_b64", Semantics::Memory(atomic(AtomicOperation::And, true))),
    line(0x4a, "buffer_atomic_or_b64", Semantics::Memory(atomic(AtomicOperation::Or, true))),
    line(0x4b, "buffer_atomic_xor_b64", Semantics::Memory(atomic(AtomicOperation::Xor, true))),
    line(0x4c, "buffer_atomic_inc_u64", Semantics::Memory(atomic(AtomicOperation::Increment, true))),
    line(0x4d, "buffer_atomic_dec_u64", Semantics::Memory(atomic(AtomicOperation::Decrement, true))),
    line(0x50, "buffer_atomic_cmpswap_f32", Semantics::Memory(atomic(AtomicOperation::CompareSwapFloat, false))),
    line(0x51, "buffer_atomic_min_f32", Semantics::Memory(atomic(AtomicOperation::MinFloat, false))),
    line(0x52, "buffer_atomic_max_f32", Semantics::Memory(atomic(AtomicOperation::MaxFloat, false))),
    line(0x56, "buffer_atomic_add_f32", Semantics::Memory(atomic(AtomicOperation::AddFloat, false))),
];

/// Typed accesses with a buffer resource.
#[rustfmt::skip]
pub(super) static MTBUF: &[OpcodeEntry] = &[
    line(0x00, "tbuffer_load_format_x", Semantics::Refused),
    line(0x01, "tbuffer_load_format_xy", Semantics::Refused),
    line(0x02, "tbuffer_load_format_xyz", Semantics::Refused),
    line(0x03, "tbuffer_load_format_xyzw", Semantics::Refused),
    line(0x04, "tbuffer_store_format_x", Semantics::Refused),
    line(0x05, "tbuffer_store_format_xy", Semantics::Refused),
    line(0x06, "tbuffer_store_format_xyz", Semantics::Refused),
    line(0x07, "tbuffer_store_format_xyzw", Semantics::Refused),
    line(0x08, "tbuffer_load_d16_format_x", Semantics::Refused),
    line(0x09, "tbuffer_load_d16_format_xy", Semantics::Refused),
    line(0x0a, "tbuffer_load_d16_format_xyz", Semantics::Refused),
    line(0x0b, "tbuffer_load_d16_format_xyzw", Semantics::Refused),
    line(0x0c, "tbuffer_store_d16_format_x", Semantics::Refused),
    line(0x0d, "tbuffer_store_d16_format_xy", Semantics::Refused),
    line(0x0e, "tbuffer_store_d16_format_xyz", Semantics::Refused),
    line(0x0f, "tbuffer_store_d16_format_xyzw", Semantics::Refused),
];
