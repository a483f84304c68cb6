//! The opcode tables of SOPK and SOPP: immediates and program control.

use crate::families::tables::Semantics::{
    Barrier, Branch, End, HardwareRegister, IndexOff, Jump, Mode, Nothing, Refused, Scalar, Trap,
    Wait,
};
use crate::families::tables::{NONE, OpcodeEntry, opcode};
use crate::instruction::{Condition, JumpKind};
use crate::operation::scalar::*;

/// A 16-bit immediate.
#[rustfmt::skip]
pub(super) static SOPK: &[OpcodeEntry] = &[
    opcode([0x00, 0x00, 0x00, 0x00], "s_movk_i32", Scalar(&MOVK)),
    // The version is a marker for tools.
    opcode([NONE, 0x01, 0x01, 0x01], "s_version", Nothing),
    opcode([0x01, 0x02, 0x02, 0x02], "s_cmovk_i32", Scalar(&CMOVK)),
    opcode([NONE, NONE, NONE, 0x0f], "s_addk_co_i32", Scalar(&ADDK)),
    opcode([0x02, 0x03, 0x03, NONE], "s_cmpk_eq_i32", Scalar(&CMP_EQ_32)),
    opcode([0x03, 0x04, 0x04, NONE], "s_cmpk_lg_i32", Scalar(&CMP_LG_32)),
    opcode([0x04, 0x05, 0x05, NONE], "s_cmpk_gt_i32", Scalar(&CMP_GT_I32)),
    opcode([0x05, 0x06, 0x06, NONE], "s_cmpk_ge_i32", Scalar(&CMP_GE_I32)),
    opcode([0x06, 0x07, 0x07, NONE], "s_cmpk_lt_i32", Scalar(&CMP_LT_I32)),
    opcode([0x07, 0x08, 0x08, NONE], "s_cmpk_le_i32", Scalar(&CMP_LE_I32)),
    opcode([0x08, 0x09, 0x09, NONE], "s_cmpk_eq_u32", Scalar(&CMP_EQ_32)),
    opcode([0x09, 0x0a, 0x0a, NONE], "s_cmpk_lg_u32", Scalar(&CMP_LG_32)),
    opcode([0x0a, 0x0b, 0x0b, NONE], "s_cmpk_gt_u32", Scalar(&CMP_GT_U32)),
    opcode([0x0b, 0x0c, 0x0c, NONE], "s_cmpk_ge_u32", Scalar(&CMP_GE_U32)),
    opcode([0x0c, 0x0d, 0x0d, NONE], "s_cmpk_lt_u32", Scalar(&CMP_LT_U32)),
    opcode([0x0d, 0x0e, 0x0e, NONE], "s_cmpk_le_u32", Scalar(&CMP_LE_U32)),
    opcode([0x0e, 0x0f, 0x0f, NONE], "s_addk_i32", Scalar(&ADDK)),
    opcode([0x0f, 0x10, 0x10, 0x10], "s_mulk_i32", Scalar(&MULK)),
    opcode([0x10, NONE, NONE, NONE], "s_cbranch_i_fork", Refused),
    opcode([0x11, 0x12, 0x11, 0x11], "s_getreg_b32", HardwareRegister { write: false, literal_source: false }),
    opcode([0x12, 0x13, 0x12, 0x12], "s_setreg_b32", HardwareRegister { write: true, literal_source: false }),
    opcode([0x14, 0x15, 0x13, 0x13], "s_setreg_imm32_b32", HardwareRegister { write: true, literal_source: true }),
    opcode([0x15, 0x16, 0x14, 0x14], "s_call_b64", Jump(JumpKind::Call(0))),
    opcode([NONE, 0x17, 0x18, NONE], "s_waitcnt_vscnt", Wait),
    opcode([NONE, 0x18, 0x19, NONE], "s_waitcnt_vmcnt", Wait),
    opcode([NONE, 0x19, 0x1a, NONE], "s_waitcnt_expcnt", Wait),
    opcode([NONE, 0x1a, 0x1b, NONE], "s_waitcnt_lgkmcnt", Wait),
    // Subvector loops run a wave of 64 lanes in two halves.
    opcode([NONE, 0x1b, 0x16, NONE], "s_subvector_loop_begin", Refused),
    opcode([NONE, 0x1c, 0x17, NONE], "s_subvector_loop_end", Refused),
];

/// Program control.
#[rustfmt::skip]
pub(super) static SOPP: &[OpcodeEntry] = &[
    opcode([0x00, 0x00, 0x00, 0x00], "s_nop", Nothing),
    opcode([0x01, 0x01, 0x30, 0x30], "s_endpgm", End),
    opcode([0x02, 0x02, 0x20, 0x20], "s_branch", Branch(Condition::Always)),
    opcode([0x03, 0x03, 0x34, 0x34], "s_wakeup", Nothing),
    opcode([0x04, 0x04, 0x21, 0x21], "s_cbranch_scc0", Branch(Condition::Scc(false))),
    opcode([0x05, 0x05, 0x22, 0x22], "s_cbranch_scc1", Branch(Condition::Scc(true))),
    opcode([0x06, 0x06, 0x23, 0x23], "s_cbranch_vccz", Branch(Condition::VccZero(true))),
    opcode([0x07, 0x07, 0x24, 0x24], "s_cbranch_vccnz", Branch(Condition::VccZero(false))),
    opcode([0x08, 0x08, 0x25, 0x25], "s_cbranch_execz", Branch(Condition::ExecZero(true))),
    opcode([0x09, 0x09, 0x26, 0x26], "s_cbranch_execnz", Branch(Condition::ExecZero(false))),
    opcode([0x0a, 0x0a, 0x3d, NONE], "s_barrier", Barrier),
    // Debuggers halt waves with these; the emulator has no debugger interface.
    opcode([0x0b, 0x0b, 0x01, 0x01], "s_setkill", Refused),
    opcode([0x0c, 0x0c, 0x09, NONE], "s_waitcnt", Wait),
    opcode([0x0d, 0x0d, 0x02, 0x02], "s_sethalt", Refused),
    // Preparation recognizes `s_sleep` by its name: the wave gives way there.
    // An instruction ends before the next one starts, so delays and hazards need no wait.
    opcode([0x0e, 0x0e, 0x03, 0x03], "s_sleep", Nothing),
    opcode([NONE, NONE, 0x04, NONE], "s_set_inst_prefetch_distance", Nothing),
    opcode([0x0f, 0x0f, 0x35, 0x35], "s_setprio", Nothing),
    opcode([0x10, 0x10, 0x36, 0x36], "s_sendmsg", Nothing),
    opcode([0x11, 0x11, 0x37, 0x37], "s_sendmsghalt", Refused),
    opcode([0x12, 0x12, 0x10, 0x10], "s_trap", Trap),
    // Performance counters, traces and the instruction cache have no effect on values.
    opcode([0x13, 0x13, 0x3c, 0x3c], "s_icache_inv", Nothing),
    opcode([NONE, NONE, NONE, 0x40], "s_wait_loadcnt", Wait),
    opcode([NONE, NONE, NONE, 0x41], "s_wait_storecnt", Wait),
    opcode([NONE, NONE, NONE, 0x42], "s_wait_samplecnt", Wait),
    opcode([NONE, NONE, NONE, 0x43], "s_wait_bvhcnt", Wait),
    opcode([NONE, NONE, NONE, 0x44], "s_wait_expcnt", Wait),
    opcode([NONE, NONE, NONE, 0x46], "s_wait_dscnt", Wait),
    opcode([NONE, NONE, NONE, 0x47], "s_wait_kmcnt", Wait),
    opcode([NONE, NONE, NONE, 0x48], "s_wait_loadcnt_dscnt", Wait),
    opcode([NONE, NONE, NONE, 0x49], "s_wait_storecnt_dscnt", Wait),
    opcode([0x14, 0x14, 0x38, 0x38], "s_incperflevel", Nothing),
    opcode([0x15, 0x15, 0x39, 0x39], "s_decperflevel", Nothing),
    opcode([0x16, 0x16, 0x3a, 0x3a], "s_ttracedata", Nothing),
    opcode([0x17, 0x17, 0x27, NONE], "s_cbranch_cdbgsys", Branch(Condition::Never)),
    opcode([0x18, 0x18, 0x28, NONE], "s_cbranch_cdbguser", Branch(Condition::Never)),
    opcode([0x19, 0x19, 0x29, NONE], "s_cbranch_cdbgsys_or_user", Branch(Condition::Never)),
    opcode([0x1a, 0x1a, 0x2a, NONE], "s_cbranch_cdbgsys_and_user", Branch(Condition::Never)),
    opcode([0x1b, 0x1b, 0x31, 0x31], "s_endpgm_saved", End),
    opcode([0x1c, NONE, NONE, NONE], "s_set_gpr_idx_off", IndexOff),
    // This changes the uses of an index within an indexed region.
    opcode([0x1d, NONE, NONE, NONE], "s_set_gpr_idx_mode", Refused),
    opcode([0x1e, 0x1e, 0x32, NONE], "s_endpgm_ordered_ps_done", Refused),
    opcode([NONE, 0x1f, 0x1f, 0x1f], "s_code_end", Refused),
    opcode([NONE, 0x20, NONE, NONE], "s_inst_prefetch", Nothing),
    opcode([NONE, 0x21, 0x05, 0x05], "s_clause", Nothing),
    opcode([NONE, NONE, 0x07, 0x07], "s_delay_alu", Nothing),
    opcode([NONE, NONE, NONE, 0x08], "s_wait_alu", Nothing),
    // gfx12 has a wait instruction for each counter instead.
    opcode([NONE, NONE, NONE, 0x09], "s_waitcnt", Refused),
    opcode([NONE, 0x22, 0x0a, 0x0a], "s_wait_idle", Wait),
    opcode([NONE, NONE, 0x0b, 0x0b], "s_wait_event", Nothing),
    opcode([NONE, 0x23, 0x08, NONE], "s_waitcnt_depctr", Nothing),
    // Rounding modes other than to nearest even are refused in any case.
    opcode([NONE, 0x24, 0x11, 0x11], "s_round_mode", Mode { offset: 0 }),
    opcode([NONE, 0x25, 0x12, 0x12], "s_denorm_mode", Mode { offset: 4 }),
    opcode([NONE, NONE, NONE, 0x14], "s_barrier_wait", Barrier),
    opcode([NONE, NONE, NONE, 0x15], "s_barrier_leave", Refused),
    opcode([NONE, 0x28, 0x3b, 0x3b], "s_ttracedata_imm", Nothing),
];
