//! The words after a vector instruction: SDWA, DPP16 and DPP8.

use super::{EncodingFacts, LanePatterns, bit, bits};
use crate::instruction::{Dpp, LanePattern, Sdwa, Selection, UnusedBits};

/// Returns the selections of an SDWA word. Comparisons have no result to place.
pub(super) fn sdwa(word: u32, compare: bool) -> Option<Sdwa> {
    let selection = |code: u32| {
        Some(match code {
            0..=3 => Selection::Byte(code as u8),
            4 | 5 => Selection::Half(code as u8 - 4),
            6 => Selection::Whole,
            _ => return None,
        })
    };
    // The destination fields of a comparison hold its scalar register.
    let (to, unused) = if compare {
        (Selection::Whole, UnusedBits::Zero)
    } else {
        let unused = match bits(word, 12, 11) {
            0 => UnusedBits::Zero,
            1 => UnusedBits::SignExtend,
            2 => UnusedBits::Preserve,
            _ => return None,
        };
        (selection(bits(word, 10, 8))?, unused)
    };
    Some(Sdwa {
        from: [
            selection(bits(word, 18, 16))?,
            selection(bits(word, 26, 24))?,
        ],
        sign_extend: [bit(word, 19), bit(word, 27)],
        to,
        unused,
    })
}

/// Returns the pattern of a DPP16 control code, if it exists.
fn lane_pattern(facts: &EncodingFacts, control: u32) -> Option<LanePattern> {
    let low = (control & 15) as i8;
    let (crosses_rows, row_lane) = match facts.lane_patterns {
        LanePatterns::Wave { row_lane } => (true, row_lane),
        LanePatterns::Row => (false, true),
    };
    let shift = |by: i8, cyclic: bool| LanePattern::WaveShift { by, cyclic };
    Some(match control {
        0..=0xff => LanePattern::Quad(control as u8),
        0x101..=0x10f => LanePattern::RowShift(low),
        0x111..=0x11f => LanePattern::RowShift(-low),
        0x121..=0x12f => LanePattern::RowRotate(low as u8),
        0x130 if crosses_rows => shift(1, false),
        0x134 if crosses_rows => shift(1, true),
        0x138 if crosses_rows => shift(-1, false),
        0x13c if crosses_rows => shift(-1, true),
        0x140 => LanePattern::RowMirror,
        0x141 => LanePattern::RowHalfMirror,
        0x142 if crosses_rows => LanePattern::RowBroadcast15,
        0x143 if crosses_rows => LanePattern::RowBroadcast31,
        0x150..=0x15f if row_lane => LanePattern::RowLane(low as u8),
        0x160..=0x16f if !crosses_rows => LanePattern::RowXmask(low as u8),
        _ => return None,
    })
}

/// Returns the pattern and masks of a DPP16 word.
pub(super) fn dpp16(facts: &EncodingFacts, word: u32) -> Option<Dpp> {
    Some(Dpp {
        pattern: lane_pattern(facts, bits(word, 16, 8))?,
        row_mask: bits(word, 31, 28) as u8,
        bank_mask: bits(word, 27, 24) as u8,
        bound_zero: bit(word, 19),
        fetch_inactive: facts.dpp8 && bit(word, 18),
    })
}

/// Returns the pattern of a DPP8 word; an inactive lane gives 0.
pub(super) fn dpp8(word: u32, fetch_inactive: bool) -> Dpp {
    let lane = |index: usize| {
        let low = 8 + 3 * index as u32;
        bits(word, low + 2, low) as u8
    };
    Dpp {
        pattern: LanePattern::Eight(std::array::from_fn(lane)),
        row_mask: 15,
        bank_mask: 15,
        bound_zero: true,
        fetch_inactive,
    }
}
