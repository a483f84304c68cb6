//! Wait states: each pair of instructions with one wait state less than it needs, and with enough.
//! Kernels of clang with one `s_nop` shortened at a time are a second source of pairs.

use emulator::{CodeObject, EmulatedMemory, FindingKind, KernelLaunch, check};
use testing::{Failed, Trial};

use super::build::{assembled, assembly_of, linked};
use super::support::with_llvm;

/// An instruction set, the earlier instruction, the wait states, and the later instruction.
type Pair = (&'static str, &'static str, u32, &'static str);

/// The numbers are those of AMD's manuals of MI200 and MI300, "Manually Inserted Wait States", and
/// of LLVM. 0 is for pairs that need nothing.
#[rustfmt::skip] // a line per pair
const PAIRS: &[Pair] = &[
    ("gfx906", "v_readfirstlane_b32 s8, v0", 5, "global_load_dword v2, v1, s[8:9]"),
    ("gfx906", "v_add_u32_e32 v2, v0, v0", 2, "v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    ("gfx906", "v_cmp_eq_u32_e32 vcc, v0, v1", 4, "v_div_fmas_f32 v2, v0, v0, v0"),
    ("gfx906", "v_readfirstlane_b32 s8, v0", 4, "v_readlane_b32 s9, v1, s8"),
    ("gfx906", "v_readfirstlane_b32 s8, v0", 4, "v_writelane_b32 v1, 7, s8"),
    ("gfx906", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", 2, "s_getreg_b32 s8, hwreg(HW_REG_MODE)"),
    ("gfx906", "v_exp_f32_e32 v2, v0", 0, "v_add_f32_e32 v3, v2, v2"),
    ("gfx90a", "v_cmpx_eq_u32_e64 exec, v0, v0", 5, "v_mov_b32_dpp v3, v2 row_mirror row_mask:0xf bank_mask:0xf"),
    ("gfx90a", "global_store_dwordx4 v1, v[4:7], s[6:7]", 1, "v_mov_b32_e32 v5, 0"),
    ("gfx90a", "global_store_dwordx2 v1, v[4:5], s[6:7]", 0, "v_mov_b32_e32 v5, 0"),
    ("gfx90a", "s_mov_b32 m0, 0", 1, "s_sendmsg sendmsg(MSG_INTERRUPT)"),
    ("gfx90a", "v_cmp_eq_u32_e32 vcc, v0, v1", 0, "v_cndmask_b32_e32 v2, v0, v1, vcc"),
    ("gfx90a", "v_mov_b32_e32 v4, 0", 2, "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]"),
    ("gfx90a", "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]", 0, "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]"),
    ("gfx90a", "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]", 8, "v_mfma_f32_16x16x16f16 a[2:5], v[4:5], v[6:7], a[2:5]"),
    ("gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[4:5], v[6:7], 0", 11, "v_mfma_f32_16x16x16f16 a[2:5], v[8:9], v[6:7], a[2:5]"),
    ("gfx90a", "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]", 11, "v_accvgpr_read_b32 v2, a3"),
    ("gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[4:5], v[6:7], a[0:15]", 19, "v_accvgpr_read_b32 v2, a15"),
    ("gfx90a", "v_mfma_f32_4x4x4f16 a[0:3], v[4:5], v[6:7], a[0:3]", 5, "global_store_dword v1, a0, s[6:7]"),
    ("gfx90a", "v_mfma_f32_16x16x16f16 v[8:11], v[4:5], v[6:7], v[12:15]", 7, "v_mov_b32_e32 v12, 0"),
    ("gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[4:5], v[6:7], a[16:31]", 15, "v_accvgpr_write_b32 a17, 0"),
    ("gfx90a", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[6:7], 0", 11, "v_add_f64 v[2:3], v[8:9], v[8:9]"),
    ("gfx90a", "v_mfma_f64_16x16x4f64 v[8:15], v[4:5], v[6:7], 0", 18, "global_store_dword v1, v8, s[6:7]"),
    ("gfx90a", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[6:7], 0", 4, "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[6:7], v[8:9]"),
    ("gfx90a", "v_dot2_f32_f16 v2, v4, v5, v6", 3, "v_mov_b32_e32 v3, v2"),
    ("gfx90a", "v_dot2_f32_f16 v2, v4, v5, v6", 0, "v_dot2_f32_f16 v2, v4, v5, v2"),
    ("gfx942", "v_readfirstlane_b32 s8, v0", 5, "global_load_dword v2, v1, s[8:9]"),
    ("gfx942", "v_readlane_b32 s8, v0, 3", 4, "v_readlane_b32 s9, v1, s8"),
    ("gfx942", "v_cmp_eq_u32_e32 vcc, v0, v1", 2, "v_cndmask_b32_e32 v2, v0, v1, vcc"),
    ("gfx942", "v_cmp_eq_u32_e64 s[8:9], v0, v1", 2, "v_cndmask_b32_e64 v2, v0, v1, s[8:9]"),
    ("gfx942", "v_mov_b32_e32 v2, v0", 1, "v_readfirstlane_b32 s8, v2"),
    ("gfx942", "v_cmpx_eq_u32_e64 exec, v0, v0", 4, "v_readfirstlane_b32 s8, v1"),
    ("gfx942", "v_exp_f32_e32 v2, v0", 1, "v_add_f32_e32 v3, v2, v2"),
    ("gfx942", "v_exp_f32_e32 v2, v0", 0, "v_exp_f32_e32 v3, v2"),
    ("gfx942", "v_mul_f16_sdwa v2, v0, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD", 1, "v_mov_b32_e32 v3, v2"),
    ("gfx942", "global_store_dwordx4 v1, v[4:7], s[6:7]", 2, "v_mov_b32_e32 v5, 0"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 7, "v_accvgpr_read_b32 v2, a3"),
    ("gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[4:5], v[6:7], a[0:15]", 11, "v_accvgpr_read_b32 v2, a3"),
    ("gfx942", "v_mfma_f32_16x16x4_f32 a[0:3], v4, v6, a[0:3]", 10, "v_accvgpr_read_b32 v2, a3"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 0, "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]"),
    ("gfx942", "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 2, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[4:5], v[6:7], a[0:3]"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 5, "v_mfma_f32_16x16x16_f16 a[2:5], v[4:5], v[6:7], a[2:5]"),
    ("gfx942", "v_mfma_f32_16x16x4_f32 a[0:3], v4, v6, a[0:3]", 0, "v_mfma_f32_16x16x16_f16 a[2:5], v[4:5], v[6:7], a[2:5]"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0", 7, "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[6:7], 0"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[12:15]", 3, "v_mov_b32_e32 v12, 0"),
    ("gfx942", "v_mfma_f32_16x16x4_f32 v[8:11], v4, v6, v[12:15]", 0, "v_mov_b32_e32 v12, 0"),
    ("gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0", 7, "v_mov_b32_e32 v8, 0"),
    ("gfx950", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 8, "v_accvgpr_read_b32 v2, a3"),
    ("gfx950", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]", 6, "v_mfma_f32_16x16x16_f16 a[2:5], v[4:5], v[6:7], a[2:5]"),
    ("gfx1100", "v_readfirstlane_b32 s8, v0", 0, "v_readlane_b32 s9, v1, s8"),
];

const ISAS: [&str; 5] = ["gfx906", "gfx90a", "gfx942", "gfx950", "gfx1100"];

pub(crate) fn trials() -> Vec<Trial> {
    let tools = ["ld.lld", "llvm-mc"];
    let of_isa = ISAS.map(|isa| {
        let name = format!("pairs_with_missing_wait_states_are_found {isa}");
        with_llvm(&name, &tools, move || pairs(isa))
    });
    let paths = "wait_states_count_along_every_path";
    let of_clang = ["gfx90a", "gfx942", "gfx950"].map(|isa| {
        let name = format!("each_wait_state_of_clang_is_needed {isa}");
        let tools = ["clang", "ld.lld", "llvm-mc"];
        with_llvm(&name, &tools, move || each_is_needed(isa))
    });
    let others = [with_llvm(paths, &tools, along_paths)];
    of_isa.into_iter().chain(of_clang).chain(others).collect()
}

/// Returns a kernel with defined registers.
fn kernel(name: &str, body: &str) -> String {
    let mut text = format!("begin {name}\n  s_load_dwordx4 s[4:7], s[0:1], 0x0\n");
    for register in 1..32 {
        text += &format!("  v_mov_b32_e32 v{register}, 0\n");
    }
    text + "  s_mov_b32 s9, 0\n  s_mov_b64 vcc, 0\n  s_waitcnt lgkmcnt(0)\n  s_mov_b32 s8, s4\n"
        + "  s_mov_b32 s9, s5\n  s_nop 15\n  s_nop 15\n"
        + body
        + &format!("\n  s_nop 15\n  s_nop 15\nfinish {name}\n")
}

/// Returns the reasons of the findings of this kind.
fn found(code: &CodeObject, name: &str) -> Result<Vec<String>, String> {
    let mut memory = EmulatedMemory::new();
    let mut kernarg = Vec::new();
    for _ in 0..3 {
        let buffer = memory.allocate(4096).map_err(|error| error.to_string())?;
        kernarg.extend(buffer.get().to_le_bytes());
    }
    kernarg.resize(32, 0);
    let launch = KernelLaunch {
        kernel: code.kernel(name).ok_or("no such kernel")?,
        workgroups: [1; 3],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 10_000,
        resident_workgroups: 0,
        threads: 1,
    };
    let checked = check(code, &mut memory, &launch);
    checked.result.map_err(|fault| fault.to_string())?;
    let of_kind = checked
        .findings
        .iter()
        .filter(|it| it.kind == FindingKind::MissingWaitState);
    Ok(of_kind.map(ToString::to_string).collect())
}

fn pairs(isa: &str) -> Result<(), Failed> {
    let of_isa: Vec<&Pair> = PAIRS.iter().filter(|it| it.0 == isa).collect();
    let body = |&&(_, earlier, _, later): &&Pair, states: u32| {
        let nops = (0..states).map(|_| "\n  s_nop 0");
        format!("  {earlier}{}\n  {later}", nops.collect::<String>())
    };
    let mut text = String::new();
    for (index, pair) in of_isa.iter().enumerate() {
        text += &kernel(&format!("enough{index}"), &body(pair, pair.2));
        text += &kernel(
            &format!("few{index}"),
            &body(pair, pair.2.saturating_sub(1)),
        );
    }
    let code = assembled(isa, &text)?;
    let mut wrong = Vec::new();
    for (index, (_, earlier, states, later)) in of_isa.iter().enumerate() {
        let enough = found(&code, &format!("enough{index}"))?;
        let few = found(&code, &format!("few{index}"))?;
        if !enough.is_empty() || few.len() != usize::from(*states > 0) {
            wrong.push(format!(
                "{earlier}, {states}, {later}: {few:?}, enough: {enough:?}"
            ));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// The shortest path counts, and `s_nop N` is N + 1 wait states.
fn along_paths() -> Result<(), Failed> {
    let body = |nop: &str| {
        format!(
            "  v_readfirstlane_b32 s8, v0\n  s_cbranch_scc0 to{nop}\n  s_nop 3\nto{nop}:\n  s_nop {nop}\n  \
             v_readlane_b32 s9, v1, s8"
        )
    };
    let text = kernel("few", &body("1")) + &kernel("enough", &body("2"));
    let code = assembled("gfx942", &text)?;
    let few = found(&code, "few")?;
    let reason = "needs 4 wait states after `v_readfirstlane_b32 s8, v0` at ";
    match few
        .iter()
        .all(|it| it.contains(reason) && it.contains(", has 3"))
    {
        true if few.len() == 1 && found(&code, "enough")?.is_empty() => Ok(()),
        _ => Err(format!("{few:?}").into()),
    }
}

/// Clang inserts as few wait states as its own rules ask for.
fn each_is_needed(isa: &str) -> Result<(), Failed> {
    let text = assembly_of("wait_states.hip", isa)?;
    let code = linked(isa, &text)?;
    let lines: Vec<&str> = text.lines().collect();
    let (mut kernel, mut wrong, mut count) = ("", Vec::new(), 0);
    for (number, line) in lines.iter().enumerate() {
        let label = line.split(':').next().unwrap_or_default();
        if line.contains("; @") && code.kernel(label).is_some() {
            kernel = label;
            let found = found(&code, kernel)?;
            if !found.is_empty() {
                wrong.push(format!("{kernel}: {found:?}"));
            }
        }
        let Some(operand) = line.trim().strip_prefix("s_nop ") else {
            continue;
        };
        let states: u32 = operand.trim().parse()?;
        let fewer = match states {
            0 => String::new(),
            _ => format!("\ts_nop {}", states - 1),
        };
        let mut lines = lines.clone();
        lines[number] = &fewer;
        count += 1;
        if found(&linked(isa, &lines.join("\n"))?, kernel)?.is_empty() {
            wrong.push(format!(
                "{kernel}: line {number}, `{line}` seems to be longer than needed"
            ));
        }
    }
    match (wrong.is_empty(), count) {
        (true, 8..) => Ok(()),
        _ => Err(format!("{count} s_nop:\n{}", wrong.join("\n")).into()),
    }
}
