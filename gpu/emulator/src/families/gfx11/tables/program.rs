//! The opcode tables of SOPK and SOPP: number, name and operation.

use crate::families::tables::{OpcodeEntry, Semantics, line};
use crate::instruction::{Condition, JumpKind};
use crate::operation::scalar::*;

/// A 16-bit immediate.
#[rustfmt::skip]
pub(super) static SOPK: &[OpcodeEntry] = &[
    line(0x00, "s_movk_i32", Semantics::Scalar(&MOVK)),
    line(0x01, "s_version", Semantics::Nothing),
    line(0x02, "s_cmovk_i32", Semantics::Scalar(&CMOVK)),
    line(0x03, "s_cmpk_eq_i32", Semantics::Scalar(&CMP_EQ_32)),
    line(0x04, "s_cmpk_lg_i32", Semantics::Scalar(&CMP_LG_32)),
    line(0x05, "s_cmpk_gt_i32", Semantics::Scalar(&CMP_GT_I32)),
    line(0x06, "s_cmpk_ge_i32", Semantics::Scalar(&CMP_GE_I32)),
    line(0x07, "s_cmpk_lt_i32", Semantics::Scalar(&CMP_LT_I32)),
    line(0x08, "s_cmpk_le_i32", Semantics::Scalar(&CMP_LE_I32)),
    line(0x09, "s_cmpk_eq_u32", Semantics::Scalar(&CMP_EQ_32)),
    line(0x0a, "s_cmpk_lg_u32", Semantics::Scalar(&CMP_LG_32)),
    line(0x0b, "s_cmpk_gt_u32", Semantics::Scalar(&CMP_GT_U32)),
    line(0x0c, "s_cmpk_ge_u32", Semantics::Scalar(&CMP_GE_U32)),
    line(0x0d, "s_cmpk_lt_u32", Semantics::Scalar(&CMP_LT_U32)),
    line(0x0e, "s_cmpk_le_u32", Semantics::Scalar(&CMP_LE_U32)),
    line(0x0f, "s_addk_i32", Semantics::Scalar(&ADDK)),
    line(0x10, "s_mulk_i32", Semantics::Scalar(&MULK)),
    line(0x11, "s_getreg_b32", Semantics::HardwareRegister { write: false, literal_source: false }),
    line(0x12, "s_setreg_b32", Semantics::HardwareRegister { write: true, literal_source: false }),
    line(0x13, "s_setreg_imm32_b32", Semantics::HardwareRegister { write: true, literal_source: true }),
    line(0x14, "s_call_b64", Semantics::Jump(JumpKind::Call(0))),
    // Subvector loops run a wave of 64 lanes in two halves.
    line(0x16, "s_subvector_loop_begin", Semantics::Refused),
    line(0x17, "s_subvector_loop_end", Semantics::Refused),
    line(0x18, "s_waitcnt_vscnt", Semantics::Wait),
    line(0x19, "s_waitcnt_vmcnt", Semantics::Wait),
    line(0x1a, "s_waitcnt_expcnt", Semantics::Wait),
    line(0x1b, "s_waitcnt_lgkmcnt", Semantics::Wait),
];

/// Program control.
#[rustfmt::skip]
pub(super) static SOPP: &[OpcodeEntry] = &[
    line(0x00, "s_nop", Semantics::Nothing),
    // Debuggers halt waves with these; the emulator has no debugger interface.
    line(0x01, "s_setkill", Semantics::Refused),
    line(0x02, "s_sethalt", Semantics::Refused),
    // An instruction ends before the next one starts, so delays and hazards need no wait.
    line(0x03, "s_sleep", Semantics::Nothing),
    line(0x04, "s_set_inst_prefetch_distance", Semantics::Nothing),
    line(0x05, "s_clause", Semantics::Nothing),
    line(0x07, "s_delay_alu", Semantics::Nothing),
    line(0x08, "s_waitcnt_depctr", Semantics::Nothing),
    line(0x09, "s_waitcnt", Semantics::Wait),
    line(0x0a, "s_wait_idle", Semantics::Wait),
    line(0x0b, "s_wait_event", Semantics::Nothing),
    line(0x10, "s_trap", Semantics::Trap),
    line(0x11, "s_round_mode", Semantics::Mode { offset: 0 }),
    line(0x12, "s_denorm_mode", Semantics::Mode { offset: 4 }),
    line(0x1f, "s_code_end", Semantics::Refused),
    line(0x20, "s_branch", Semantics::Branch(Condition::Always)),
    line(0x21, "s_cbranch_scc0", Semantics::Branch(Condition::Scc(false))),
    line(0x22, "s_cbranch_scc1", Semantics::Branch(Condition::Scc(true))),
    line(0x23, "s_cbranch_vccz", Semantics::Branch(Condition::VccZero(true))),
    line(0x24, "s_cbranch_vccnz", Semantics::Branch(Condition::VccZero(false))),
    line(0x25, "s_cbranch_execz", Semantics::Branch(Condition::ExecZero(true))),
    line(0x26, "s_cbranch_execnz", Semantics::Branch(Condition::ExecZero(false))),
    line(0x27, "s_cbranch_cdbgsys", Semantics::Branch(Condition::Never)),
    line(0x28, "s_cbranch_cdbguser", Semantics::Branch(Condition::Never)),
    line(0x29, "s_cbranch_cdbgsys_or_user", Semantics::Branch(Condition::Never)),
    line(0x2a, "s_cbranch_cdbgsys_and_user", Semantics::Branch(Condition::Never)),
    line(0x30, "s_endpgm", Semantics::End),
    line(0x31, "s_endpgm_saved", Semantics::End),
    line(0x32, "s_endpgm_ordered_ps_done", Semantics::Refused),
    line(0x34, "s_wakeup", Semantics::Nothing),
    line(0x35, "s_setprio", Semantics::Nothing),
    line(0x36, "s_sendmsg", Semantics::Nothing),
    line(0x37, "s_sendmsghalt", Semantics::Refused),
    // Performance counters, traces and the instruction cache have no effect on values.
    line(0x38, "s_incperflevel", Semantics::Nothing),
    line(0x39, "s_decperflevel", Semantics::Nothing),
    line(0x3a, "s_ttracedata", Semantics::Nothing),
    line(0x3b, "s_ttracedata_imm", Semantics::Nothing),
    line(0x3c, "s_icache_inv", Semantics::Nothing),
    line(0x3d, "s_barrier", Semantics::Barrier),
];
