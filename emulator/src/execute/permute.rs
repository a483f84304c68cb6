//! Sources from other lanes (DPP).

use crate::instruction::{Dpp, LanePattern};

/// The lane that each lane reads, where there is one.
fn source_lane(pattern: LanePattern, lane: u32) -> Option<u32> {
    let row = lane & !15;
    let inside = |from: i32, low: u32, size: u32| {
        (from >= low as i32 && from < (low + size) as i32).then_some(from as u32)
    };
    match pattern {
        LanePattern::Quad(lanes) => {
            Some((lane & !3) | ((u32::from(lanes) >> (2 * (lane & 3))) & 3))
        }
        LanePattern::RowShift(by) => inside(lane as i32 + i32::from(by), row, 16),
        LanePattern::RowRotate(by) => Some(row | (lane.wrapping_sub(u32::from(by)) & 15)),
        LanePattern::WaveShift { by, cyclic: false } => inside(lane as i32 + i32::from(by), 0, 64),
        LanePattern::WaveShift { by, cyclic: true } => {
            Some(lane.wrapping_add_signed(i32::from(by)) & 63)
        }
        LanePattern::RowMirror => Some(lane ^ 15),
        LanePattern::RowHalfMirror => Some(lane ^ 7),
        LanePattern::RowBroadcast15 => row.checked_sub(1),
        LanePattern::RowBroadcast31 => (lane >= 32).then_some(31),
        LanePattern::RowLane(from) => Some(row | u32::from(from)),
        LanePattern::RowXmask(bits) => Some(lane ^ u32::from(bits & 15)),
        LanePattern::Eight(lanes) => Some((lane & !7) | u32::from(lanes[(lane & 7) as usize] & 7)),
    }
}

/// The lanes that the row and bank masks let write.
fn written_lanes(dpp: &Dpp) -> u64 {
    (0..64).fold(0, |mask, lane| {
        let row = (dpp.row_mask >> (lane / 16)) & 1;
        let bank = (dpp.bank_mask >> ((lane / 4) & 3)) & 1;
        mask | (u64::from(row & bank) << lane)
    })
}

/// The first source, permuted; and the lanes that may write.
pub(super) fn permute<const N: usize, T: Copy + Default>(
    dpp: &Dpp,
    exec: u64,
    values: &[T; N],
) -> ([T; N], u64) {
    let mut permuted = [T::default(); N];
    let mut mask = written_lanes(dpp);
    for lane in 0..64u32 {
        let from = source_lane(dpp.pattern, lane)
            .filter(|&from| dpp.fetch_inactive || (exec >> from) & 1 != 0);
        match from {
            Some(from) => permuted[lane as usize] = values[from as usize],
            None if dpp.bound_zero => {}
            None => mask &= !(1 << lane),
        }
    }
    (permuted, mask)
}
