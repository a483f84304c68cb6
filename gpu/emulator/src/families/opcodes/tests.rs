//! The shape of the opcode tables: a name has one row.

use std::collections::BTreeMap;

use super::{buffer, compare, flat, graphics, lds, program, scalar, scalar_memory};
use super::{vector, vop3, vop3p};
use crate::families::tables::OpcodeEntry;

const TABLES: [&[OpcodeEntry]; 29] = [
    buffer::BUFFER,
    buffer::TYPED_BUFFER,
    compare::VOPC,
    flat::FLAT_MOVES,
    flat::GLOBAL_MOVES,
    flat::SCRATCH_MOVES,
    flat::FLAT_ATOMICS,
    flat::GLOBAL_ATOMICS,
    flat::GLOBAL_BLOCKS,
    flat::SCRATCH_BLOCKS,
    flat::FLAT,
    flat::GLOBAL,
    graphics::IMAGE,
    graphics::SAMPLE,
    graphics::INTERPOLATION,
    graphics::DIRECT_LOAD,
    graphics::EXPORT,
    lds::DS,
    program::SOPK,
    program::SOPP,
    scalar::SOP1,
    scalar::SOP2,
    scalar::SOPC,
    scalar_memory::SMEM,
    vector::VOP1,
    vector::VOP2,
    vector::DUAL,
    vop3::VOP3,
    vop3p::VOP3P,
];

#[test]
fn a_name_has_one_row_unless_its_operation_or_format_differs() {
    let mut rows = BTreeMap::<&str, usize>::new();
    for line in TABLES.iter().copied().flatten() {
        *rows.entry(line.name).or_default() += 1;
    }
    let several: Vec<&str> = (rows.iter())
        .filter_map(|(name, count)| (*count > 1).then_some(*name))
        .collect();
    let expected = [
        // Refused on gfx12.
        "ds_nop",
        "s_waitcnt",
        // True16 operands from gfx11 on.
        "v_alignbit_b32",
        "v_alignbyte_b32",
        "v_cmp_class_f16",
        "v_cmpx_class_f16",
        // Other 8-bit formats on gfx942, another selection on gfx950.
        "v_cvt_f32_bf8",
        "v_cvt_f32_fp8",
        "v_cvt_pk_bf8_f32",
        "v_cvt_pk_f32_bf8",
        "v_cvt_pk_f32_fp8",
        "v_cvt_pk_fp8_f32",
        // Another order of additions on gfx950.
        "v_dot2_f32_bf16",
        // VINTRP and VOP3.
        "v_interp_mov_f32",
        "v_interp_p1_f32",
        "v_interp_p2_f32",
        // VOP2 on gfx906 and gfx10, VOP3 on later CDNA.
        "v_mul_legacy_f32",
    ];
    assert_eq!(several, expected);
}
