//! The opcode table of VOPD: number, name and operation. Those from 0x10 on are valid only as the
//! second half.

use crate::families::tables::{ImmediateRole, OpcodeEntry, Semantics, line};
use crate::operation::{dot, extremum, integer, single};

/// Halves of a dual instruction.
#[rustfmt::skip]
pub(super) static DUAL: &[OpcodeEntry] = &[
    line(0x00, "v_dual_fmac_f32", Semantics::Vector(&single::FMAC)),
    // These two always have a literal, as a factor or as the addend.
    line(0x01, "v_dual_fmaak_f32", Semantics::Vector(&single::FMA)).with_immediate(ImmediateRole::Addend),
    line(0x02, "v_dual_fmamk_f32", Semantics::Vector(&single::FMA)).with_immediate(ImmediateRole::Factor),
    line(0x03, "v_dual_mul_f32", Semantics::Vector(&single::MUL)),
    line(0x04, "v_dual_add_f32", Semantics::Vector(&single::ADD)),
    line(0x05, "v_dual_sub_f32", Semantics::Vector(&single::SUB)),
    line(0x06, "v_dual_subrev_f32", Semantics::Vector(&single::SUBREV)),
    line(0x07, "v_dual_mul_dx9_zero_f32", Semantics::Vector(&single::MUL_LEGACY)),
    line(0x08, "v_dual_mov_b32", Semantics::Vector(&integer::MOV)),
    line(0x09, "v_dual_cndmask_b32", Semantics::Vector(&integer::CNDMASK)),
    line(0x0a, "v_dual_max_num_f32", Semantics::Vector(&extremum::MAX_NUM_F32)),
    line(0x0b, "v_dual_min_num_f32", Semantics::Vector(&extremum::MIN_NUM_F32)),
    line(0x0c, "v_dual_dot2acc_f32_f16", Semantics::Vector(&dot::DOT2ACC_F32_F16)),
    line(0x0d, "v_dual_dot2acc_f32_bf16", Semantics::Vector(&dot::DOT2ACC_F32_BF16)),
    line(0x10, "v_dual_add_nc_u32", Semantics::Vector(&integer::ADD_U32)),
    line(0x11, "v_dual_lshlrev_b32", Semantics::Vector(&integer::LSHLREV_B32)),
    line(0x12, "v_dual_and_b32", Semantics::Vector(&integer::AND)),
];
