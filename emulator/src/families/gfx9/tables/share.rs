//! DS: a number, a name and what is done in LDS or across lanes.

use super::{Entry, Line, access, atomic, line, load, load_part, returning, store, store_part};
use crate::instruction::ShareOperation;
use crate::operation::AtomicOperation;
use crate::operation::memory::Part;

/// Data share.
pub(super) static DS: &[Line] = &[
    line(
        0x00,
        "ds_add_u32",
        Entry::Share(access(atomic(AtomicOperation::Add, false))),
    ),
    line(
        0x01,
        "ds_sub_u32",
        Entry::Share(access(atomic(AtomicOperation::Sub, false))),
    ),
    line(
        0x02,
        "ds_rsub_u32",
        Entry::Share(access(atomic(AtomicOperation::ReverseSub, false))),
    ),
    line(
        0x03,
        "ds_inc_u32",
        Entry::Share(access(atomic(AtomicOperation::Increment, false))),
    ),
    line(
        0x04,
        "ds_dec_u32",
        Entry::Share(access(atomic(AtomicOperation::Decrement, false))),
    ),
    line(
        0x05,
        "ds_min_i32",
        Entry::Share(access(atomic(AtomicOperation::SignedMin, false))),
    ),
    line(
        0x06,
        "ds_max_i32",
        Entry::Share(access(atomic(AtomicOperation::SignedMax, false))),
    ),
    line(
        0x07,
        "ds_min_u32",
        Entry::Share(access(atomic(AtomicOperation::UnsignedMin, false))),
    ),
    line(
        0x08,
        "ds_max_u32",
        Entry::Share(access(atomic(AtomicOperation::UnsignedMax, false))),
    ),
    line(
        0x09,
        "ds_and_b32",
        Entry::Share(access(atomic(AtomicOperation::And, false))),
    ),
    line(
        0x0a,
        "ds_or_b32",
        Entry::Share(access(atomic(AtomicOperation::Or, false))),
    ),
    line(
        0x0b,
        "ds_xor_b32",
        Entry::Share(access(atomic(AtomicOperation::Xor, false))),
    ),
    line(
        0x0c,
        "ds_mskor_b32",
        Entry::Share(access(atomic(AtomicOperation::MaskOr, false))),
    ),
    line(0x0d, "ds_write_b32", Entry::Share(access(store(1)))),
    line(
        0x0e,
        "ds_write2_b32",
        Entry::Share(ShareOperation::WriteTwo { registers: 1 }),
    ),
    line(
        0x0f,
        "ds_write2st64_b32",
        Entry::Share(ShareOperation::WriteTwo { registers: 1 }),
    ),
    line(
        0x10,
        "ds_cmpst_b32",
        Entry::Share(access(atomic(AtomicOperation::CompareSwap, false))),
    ),
    line(
        0x11,
        "ds_cmpst_f32",
        Entry::Share(access(atomic(AtomicOperation::CompareSwapFloat, false))),
    ),
    line(
        0x12,
        "ds_min_f32",
        Entry::Share(access(atomic(AtomicOperation::MinFloat, false))),
    ),
    line(
        0x13,
        "ds_max_f32",
        Entry::Share(access(atomic(AtomicOperation::MaxFloat, false))),
    ),
    line(0x14, "ds_nop", Entry::Nothing),
    line(
        0x15,
        "ds_add_f32",
        Entry::Share(access(atomic(AtomicOperation::AddFloat, false))),
    ),
    line(
        0x17,
        "ds_pk_add_f16",
        Entry::Share(access(atomic(AtomicOperation::PackedAddHalf, false))),
    ),
    line(
        0x18,
        "ds_pk_add_bf16",
        Entry::Share(access(atomic(AtomicOperation::PackedAddBfloat, false))),
    ),
    line(
        0x1d,
        "ds_write_addtid_b32",
        Entry::Share(ShareOperation::WriteLaneAddress),
    ),
    line(
        0x1e,
        "ds_write_b8",
        Entry::Share(access(store_part(1, false))),
    ),
    line(
        0x1f,
        "ds_write_b16",
        Entry::Share(access(store_part(2, false))),
    ),
    line(
        0x20,
        "ds_add_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::Add, false))),
    ),
    line(
        0x21,
        "ds_sub_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::Sub, false))),
    ),
    line(
        0x22,
        "ds_rsub_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::ReverseSub, false))),
    ),
    line(
        0x23,
        "ds_inc_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::Increment, false))),
    ),
    line(
        0x24,
        "ds_dec_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::Decrement, false))),
    ),
    line(
        0x25,
        "ds_min_rtn_i32",
        Entry::Share(returning(atomic(AtomicOperation::SignedMin, false))),
    ),
    line(
        0x26,
        "ds_max_rtn_i32",
        Entry::Share(returning(atomic(AtomicOperation::SignedMax, false))),
    ),
    line(
        0x27,
        "ds_min_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::UnsignedMin, false))),
    ),
    line(
        0x28,
        "ds_max_rtn_u32",
        Entry::Share(returning(atomic(AtomicOperation::UnsignedMax, false))),
    ),
    line(
        0x29,
        "ds_and_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::And, false))),
    ),
    line(
        0x2a,
        "ds_or_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::Or, false))),
    ),
    line(
        0x2b,
        "ds_xor_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::Xor, false))),
    ),
    line(
        0x2c,
        "ds_mskor_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::MaskOr, false))),
    ),
    line(
        0x2d,
        "ds_wrxchg_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::Swap, false))),
    ),
    line(
        0x2e,
        "ds_wrxchg2_rtn_b32",
        Entry::Share(ShareOperation::ExchangeTwo { registers: 1 }),
    ),
    line(
        0x2f,
        "ds_wrxchg2st64_rtn_b32",
        Entry::Share(ShareOperation::ExchangeTwo { registers: 1 }),
    ),
    line(
        0x30,
        "ds_cmpst_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::CompareSwap, false))),
    ),
    line(
        0x31,
        "ds_cmpst_rtn_f32",
        Entry::Share(returning(atomic(AtomicOperation::CompareSwapFloat, false))),
    ),
    line(
        0x32,
        "ds_min_rtn_f32",
        Entry::Share(returning(atomic(AtomicOperation::MinFloat, false))),
    ),
    line(
        0x33,
        "ds_max_rtn_f32",
        Entry::Share(returning(atomic(AtomicOperation::MaxFloat, false))),
    ),
    line(
        0x34,
        "ds_wrap_rtn_b32",
        Entry::Share(returning(atomic(AtomicOperation::Wrap, false))),
    ),
    line(
        0x35,
        "ds_add_rtn_f32",
        Entry::Share(returning(atomic(AtomicOperation::AddFloat, false))),
    ),
    line(0x36, "ds_read_b32", Entry::Share(access(load(1)))),
    line(
        0x37,
        "ds_read2_b32",
        Entry::Share(ShareOperation::ReadTwo { registers: 1 }),
    ),
    line(
        0x38,
        "ds_read2st64_b32",
        Entry::Share(ShareOperation::ReadTwo { registers: 1 }),
    ),
    line(
        0x39,
        "ds_read_i8",
        Entry::Share(access(load_part(1, true, Part::Whole))),
    ),
    line(
        0x3a,
        "ds_read_u8",
        Entry::Share(access(load_part(1, false, Part::Whole))),
    ),
    line(
        0x3b,
        "ds_read_i16",
        Entry::Share(access(load_part(2, true, Part::Whole))),
    ),
    line(
        0x3c,
        "ds_read_u16",
        Entry::Share(access(load_part(2, false, Part::Whole))),
    ),
    line(
        0x3d,
        "ds_swizzle_b32",
        Entry::Share(ShareOperation::Swizzle),
    ),
    line(
        0x3e,
        "ds_permute_b32",
        Entry::Share(ShareOperation::Permute),
    ),
    line(
        0x3f,
        "ds_bpermute_b32",
        Entry::Share(ShareOperation::PermuteBackward),
    ),
    line(
        0x40,
        "ds_add_u64",
        Entry::Share(access(atomic(AtomicOperation::Add, true))),
    ),
    line(
        0x41,
        "ds_sub_u64",
        Entry::Share(access(atomic(AtomicOperation::Sub, true))),
    ),
    line(
        0x42,
        "ds_rsub_u64",
        Entry::Share(access(atomic(AtomicOperation::ReverseSub, true))),
    ),
    line(
        0x43,
        "ds_inc_u64",
        Entry::Share(access(atomic(AtomicOperation::Increment, true))),
    ),
    line(
        0x44,
        "ds_dec_u64",
        Entry::Share(access(atomic(AtomicOperation::Decrement, true))),
    ),
    line(
        0x45,
        "ds_min_i64",
        Entry::Share(access(atomic(AtomicOperation::SignedMin, true))),
    ),
    line(
        0x46,
        "ds_max_i64",
        Entry::Share(access(atomic(AtomicOperation::SignedMax, true))),
    ),
    line(
        0x47,
        "ds_min_u64",
        Entry::Share(access(atomic(AtomicOperation::UnsignedMin, true))),
    ),
    line(
        0x48,
        "ds_max_u64",
        Entry::Share(access(atomic(AtomicOperation::UnsignedMax, true))),
    ),
    line(
        0x49,
        "ds_and_b64",
        Entry::Share(access(atomic(AtomicOperation::And, true))),
    ),
    line(
        0x4a,
        "ds_or_b64",
        Entry::Share(access(atomic(AtomicOperation::Or, true))),
    ),
    line(
        0x4b,
        "ds_xor_b64",
        Entry::Share(access(atomic(AtomicOperation::Xor, true))),
    ),
    line(
        0x4c,
        "ds_mskor_b64",
        Entry::Share(access(atomic(AtomicOperation::MaskOr, true))),
    ),
    line(0x4d, "ds_write_b64", Entry::Share(access(store(2)))),
    line(
        0x4e,
        "ds_write2_b64",
        Entry::Share(ShareOperation::WriteTwo { registers: 2 }),
    ),
    line(
        0x4f,
        "ds_write2st64_b64",
        Entry::Share(ShareOperation::WriteTwo { registers: 2 }),
    ),
    line(
        0x50,
        "ds_cmpst_b64",
        Entry::Share(access(atomic(AtomicOperation::CompareSwap, true))),
    ),
    line(
        0x51,
        "ds_cmpst_f64",
        Entry::Share(access(atomic(AtomicOperation::CompareSwapFloat, true))),
    ),
    line(
        0x52,
        "ds_min_f64",
        Entry::Share(access(atomic(AtomicOperation::MinFloat, true))),
    ),
    line(
        0x53,
        "ds_max_f64",
        Entry::Share(access(atomic(AtomicOperation::MaxFloat, true))),
    ),
    line(
        0x54,
        "ds_write_b8_d16_hi",
        Entry::Share(access(store_part(1, true))),
    ),
    line(
        0x55,
        "ds_write_b16_d16_hi",
        Entry::Share(access(store_part(2, true))),
    ),
    line(
        0x56,
        "ds_read_u8_d16",
        Entry::Share(access(load_part(1, false, Part::Low))),
    ),
    line(
        0x57,
        "ds_read_u8_d16_hi",
        Entry::Share(access(load_part(1, false, Part::High))),
    ),
    line(
        0x58,
        "ds_read_i8_d16",
        Entry::Share(access(load_part(1, true, Part::Low))),
    ),
    line(
        0x59,
        "ds_read_i8_d16_hi",
        Entry::Share(access(load_part(1, true, Part::High))),
    ),
    line(
        0x5a,
        "ds_read_u16_d16",
        Entry::Share(access(load_part(2, false, Part::Low))),
    ),
    line(
        0x5b,
        "ds_read_u16_d16_hi",
        Entry::Share(access(load_part(2, false, Part::High))),
    ),
    line(
        0x5c,
        "ds_add_f64",
        Entry::Share(access(atomic(AtomicOperation::AddFloat, true))),
    ),
    line(
        0x60,
        "ds_add_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::Add, true))),
    ),
    line(
        0x61,
        "ds_sub_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::Sub, true))),
    ),
    line(
        0x62,
        "ds_rsub_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::ReverseSub, true))),
    ),
    line(
        0x63,
        "ds_inc_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::Increment, true))),
    ),
    line(
        0x64,
        "ds_dec_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::Decrement, true))),
    ),
    line(
        0x65,
        "ds_min_rtn_i64",
        Entry::Share(returning(atomic(AtomicOperation::SignedMin, true))),
    ),
    line(
        0x66,
        "ds_max_rtn_i64",
        Entry::Share(returning(atomic(AtomicOperation::SignedMax, true))),
    ),
    line(
        0x67,
        "ds_min_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::UnsignedMin, true))),
    ),
    line(
        0x68,
        "ds_max_rtn_u64",
        Entry::Share(returning(atomic(AtomicOperation::UnsignedMax, true))),
    ),
    line(
        0x69,
        "ds_and_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::And, true))),
    ),
    line(
        0x6a,
        "ds_or_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::Or, true))),
    ),
    line(
        0x6b,
        "ds_xor_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::Xor, true))),
    ),
    line(
        0x6c,
        "ds_mskor_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::MaskOr, true))),
    ),
    line(
        0x6d,
        "ds_wrxchg_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::Swap, true))),
    ),
    line(
        0x6e,
        "ds_wrxchg2_rtn_b64",
        Entry::Share(ShareOperation::ExchangeTwo { registers: 2 }),
    ),
    line(
        0x6f,
        "ds_wrxchg2st64_rtn_b64",
        Entry::Share(ShareOperation::ExchangeTwo { registers: 2 }),
    ),
    line(
        0x70,
        "ds_cmpst_rtn_b64",
        Entry::Share(returning(atomic(AtomicOperation::CompareSwap, true))),
    ),
    line(
        0x71,
        "ds_cmpst_rtn_f64",
        Entry::Share(returning(atomic(AtomicOperation::CompareSwapFloat, true))),
    ),
    line(
        0x72,
        "ds_min_rtn_f64",
        Entry::Share(returning(atomic(AtomicOperation::MinFloat, true))),
    ),
    line(
        0x73,
        "ds_max_rtn_f64",
        Entry::Share(returning(atomic(AtomicOperation::MaxFloat, true))),
    ),
    line(0x76, "ds_read_b64", Entry::Share(access(load(2)))),
    line(
        0x77,
        "ds_read2_b64",
        Entry::Share(ShareOperation::ReadTwo { registers: 2 }),
    ),
    line(
        0x78,
        "ds_read2st64_b64",
        Entry::Share(ShareOperation::ReadTwo { registers: 2 }),
    ),
    line(
        0x7c,
        "ds_add_rtn_f64",
        Entry::Share(returning(atomic(AtomicOperation::AddFloat, true))),
    ),
    line(0x7e, "ds_condxchg32_rtn_b64", Entry::Refused),
    line(
        0xb6,
        "ds_read_addtid_b32",
        Entry::Share(ShareOperation::ReadLaneAddress),
    ),
    line(
        0xb7,
        "ds_pk_add_rtn_f16",
        Entry::Share(returning(atomic(AtomicOperation::PackedAddHalf, false))),
    ),
    line(
        0xb8,
        "ds_pk_add_rtn_bf16",
        Entry::Share(returning(atomic(AtomicOperation::PackedAddBfloat, false))),
    ),
    line(
        0xbd,
        "ds_consume",
        Entry::Share(ShareOperation::Append { subtract: true }),
    ),
    line(
        0xbe,
        "ds_append",
        Entry::Share(ShareOperation::Append { subtract: false }),
    ),
    line(0xde, "ds_write_b96", Entry::Share(access(store(3)))),
    line(0xdf, "ds_write_b128", Entry::Share(access(store(4)))),
    line(0xfe, "ds_read_b96", Entry::Share(access(load(3)))),
    line(0xff, "ds_read_b128", Entry::Share(access(load(4)))),
];
