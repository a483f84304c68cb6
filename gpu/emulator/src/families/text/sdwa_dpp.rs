//! LLVM's assembly of the words after a vector instruction: SDWA, DPP16 and DPP8.

use super::result_modifiers;
use crate::families::encoding::{CommonFormat, EncodingFacts, LanePatterns, bit, bits};
use crate::families::flags::Flag;
use crate::families::tables::OpcodeEntry;

/// Returns the text that an SDWA word adds.
pub(super) fn sdwa(format: CommonFormat, line: &OpcodeEntry, word: u32) -> String {
    const PARTS: [&str; 7] = [
        "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
    ];
    const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
    let part = |high: u32, low: u32| {
        PARTS
            .get(bits(word, high, low) as usize)
            .copied()
            .unwrap_or("?")
    };
    let mut text = String::new();
    // For conversions of 8-bit floats, LLVM prints only the source selection.
    if line.is(Flag::Widens8) {
        text += &result_modifiers(bit(word, 13), bits(word, 15, 14) as u8);
    } else if format != CommonFormat::Vopc {
        text += &result_modifiers(bit(word, 13), bits(word, 15, 14) as u8);
        let unused = UNUSED
            .get(bits(word, 12, 11) as usize)
            .copied()
            .unwrap_or("?");
        text += &format!(" dst_sel:{} dst_unused:{unused}", part(10, 8));
    }
    text += &format!(" src0_sel:{}", part(18, 16));
    if format != CommonFormat::Vop1 {
        text += &format!(" src1_sel:{}", part(26, 24));
    }
    text
}

/// Returns the text that a DPP16 word adds.
pub(super) fn dpp16(facts: &EncodingFacts, word: u32) -> String {
    let control = bits(word, 16, 8);
    let low = control & 15;
    let pattern = match control {
        0..=0xff => {
            let lane = |index: u32| (control >> (2 * index)) & 3;
            format!(
                "quad_perm:[{},{},{},{}]",
                lane(0),
                lane(1),
                lane(2),
                lane(3)
            )
        }
        0x101..=0x10f => format!("row_shl:{low}"),
        0x111..=0x11f => format!("row_shr:{low}"),
        0x121..=0x12f => format!("row_ror:{low}"),
        0x130 => "wave_shl:1".into(),
        0x134 => "wave_rol:1".into(),
        0x138 => "wave_shr:1".into(),
        0x13c => "wave_ror:1".into(),
        0x140 => "row_mirror".into(),
        0x141 => "row_half_mirror".into(),
        0x142 => "row_bcast:15".into(),
        0x143 => "row_bcast:31".into(),
        0x150..=0x15f if facts.lane_patterns == LanePatterns::Row => format!("row_share:{low}"),
        0x160..=0x16f => format!("row_xmask:{low}"),
        // The remaining valid controls are those from 0x150 on gfx9.
        _ => format!("row_newbcast:{low}"),
    };
    // Only sets with DPP8 have this bit.
    let inactive = if facts.dpp8 && bit(word, 18) {
        " fi:1"
    } else {
        ""
    };
    let bound = if bit(word, 19) { " bound_ctrl:1" } else { "" };
    format!(
        " {pattern} row_mask:{:#x} bank_mask:{:#x}{bound}{inactive}",
        bits(word, 31, 28),
        bits(word, 27, 24)
    )
}

/// Returns the text that a DPP8 word adds.
pub(super) fn dpp8(word: u32, fetch_inactive: bool) -> String {
    let lanes: Vec<String> = (0..8)
        .map(|index| bits(word, 8 + 3 * index + 2, 8 + 3 * index).to_string())
        .collect();
    let inactive = if fetch_inactive { " fi:1" } else { "" };
    format!(" dpp8:[{}]{inactive}", lanes.join(","))
}
