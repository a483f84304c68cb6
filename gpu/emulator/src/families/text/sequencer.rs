//! LLVM's assembly of the sequencer instructions of gfx10 and later: hints, delays, versions.

use super::scalar::short_number;
use crate::families::tables::OpcodeEntry;

/// The fields of `s_waitcnt_depctr` and `s_wait_alu` in LLVM's order: name, first bit, number of
/// bits. All ones means no wait.
const COUNTERS: [(&str, u32, u32); 7] = [
    ("hold_cnt", 7, 1),
    ("sa_sdst", 0, 1),
    ("va_vdst", 12, 4),
    ("va_sdst", 9, 3),
    ("va_ssrc", 8, 1),
    ("va_vcc", 1, 1),
    ("vm_vsrc", 2, 3),
];

/// Returns the text of an instruction with a special immediate; None for all others.
pub(in crate::families) fn program(line: &OpcodeEntry, immediate: u32) -> Option<String> {
    let value = match line.name {
        "s_delay_alu" => delay(immediate)?,
        "s_version" => version(immediate),
        "s_clause"
        | "s_set_inst_prefetch_distance"
        | "s_inst_prefetch"
        | "s_wait_event"
        | "s_round_mode"
        | "s_ttracedata_imm" => format!("{immediate:#x}"),
        "s_denorm_mode" => short_number(immediate),
        _ => return None,
    };
    Some(format!("{} {value}", line.name))
}

/// Returns the delays that `s_delay_alu` names; None if a field has no name.
pub(in crate::families) fn delay(word: u32) -> Option<String> {
    const INSTRUCTIONS: [&str; 12] = [
        "",
        "VALU_DEP_1",
        "VALU_DEP_2",
        "VALU_DEP_3",
        "VALU_DEP_4",
        "TRANS32_DEP_1",
        "TRANS32_DEP_2",
        "TRANS32_DEP_3",
        "FMA_ACCUM_CYCLE_1",
        "SALU_CYCLE_1",
        "SALU_CYCLE_2",
        "SALU_CYCLE_3",
    ];
    const SKIPS: [&str; 6] = ["", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];
    let field = |shift: u32, bits: u32| (word >> shift & ((1 << bits) - 1)) as usize;
    let mut parts = Vec::new();
    for (name, value, names) in [
        ("instid0", field(0, 4), &INSTRUCTIONS[..]),
        ("instskip", field(4, 3), &SKIPS[..]),
        ("instid1", field(7, 4), &INSTRUCTIONS[..]),
    ] {
        // A value without a name makes the whole instruction invalid.
        match names.get(value)? {
            &"" => {}
            known => parts.push(format!("{name}({known})")),
        }
    }
    Some(if parts.is_empty() {
        "0".to_owned()
    } else {
        parts.join(" | ")
    })
}

/// Returns the version and the tool bits of `s_version`.
fn version(immediate: u32) -> String {
    const FLAGS: [(u32, &str); 3] = [
        (0x2000, "UC_VERSION_W64_BIT"),
        (0x4000, "UC_VERSION_W32_BIT"),
        (0x8000, "UC_VERSION_MDP_BIT"),
    ];
    // LLVM prints unknown bits as a number.
    if immediate & 0x1f00 != 0 {
        return format!("{immediate:#x}");
    }
    let start = match immediate & 0xff {
        0 => "UC_VERSION_GFX7".to_owned(),
        4 => "UC_VERSION_GFX10".to_owned(),
        6 => "UC_VERSION_GFX11".to_owned(),
        9 => "UC_VERSION_GFX12".to_owned(),
        other => other.to_string(),
    };
    let mut set = FLAGS.into_iter().filter(|(bit, _)| immediate & bit != 0);
    let first = set.next().map(|(_, flag)| format!("{start}|{flag}"));
    set.fold(first.unwrap_or(start), |text, (_, flag)| {
        format!("({text})|{flag}")
    })
}

/// Returns the waits of `s_waitcnt_depctr`: the fields that are not all ones, or all of them.
pub(in crate::families) fn depctr(immediate: u32) -> String {
    let mask = |bits: u32| (1u32 << bits) - 1;
    let used = COUNTERS
        .iter()
        .fold(0, |used, (_, first, bits)| used | (mask(*bits) << first));
    if immediate & !used != 0 {
        return format!("{immediate:#x}");
    }
    let waits: Vec<String> = COUNTERS
        .iter()
        .filter(|(_, first, bits)| immediate >> first & mask(*bits) != mask(*bits))
        .map(|(name, first, bits)| format!("depctr_{name}({})", immediate >> first & mask(*bits)))
        .collect();
    if !waits.is_empty() {
        return waits.join(" ");
    }
    let all: Vec<String> = COUNTERS
        .iter()
        .map(|(name, _, bits)| format!("depctr_{name}({})", mask(*bits)))
        .collect();
    all.join(" ")
}
