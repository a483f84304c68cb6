//! Sources from other lanes (DPP).

use super::lane_mask::write;
use crate::instruction::{Dpp, LanePattern};
use crate::operation::Lanes;

/// Returns the lane that `lane` reads, if it exists.
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

/// Returns the lanes that the row and bank masks enable.
fn written_lanes(dpp: &Dpp) -> u64 {
    (0..64).fold(0, |mask, lane| {
        let row = (dpp.row_mask >> (lane / 16)) & 1;
        let bank = (dpp.bank_mask >> ((lane / 4) & 3)) & 1;
        mask | (u64::from(row & bank) << lane)
    })
}

/// A DPP pattern with its masks, precomputed for all lanes.
#[derive(Clone)]
pub(crate) struct Permutation {
    /// The source lane of each lane; arbitrary if the pattern names none.
    from: [u8; 64],
    /// Lanes with a source in the pattern.
    found: u64,
    /// Lanes that the row and bank masks let write.
    written: u64,
    /// True if a lane may read an inactive lane.
    fetch_inactive: bool,
    /// True if an unreadable source is 0; otherwise the lane does not write.
    bound_zero: bool,
}

impl Permutation {
    pub(super) fn new(dpp: &Dpp) -> Permutation {
        let (mut from, mut found) = ([0; 64], 0);
        for (lane, place) in from.iter_mut().enumerate() {
            if let Some(source) = source_lane(dpp.pattern, lane as u32) {
                *place = source as u8;
                found |= 1 << lane;
            }
        }
        Permutation {
            from,
            found,
            written: written_lanes(dpp),
            fetch_inactive: dpp.fetch_inactive,
            bound_zero: dpp.bound_zero,
        }
    }

    /// Returns the lanes with a readable source.
    #[inline(always)]
    fn readable(&self, exec: u64) -> u64 {
        if self.fetch_inactive || exec == u64::MAX {
            return self.found;
        }
        let lanes = self.from.iter().enumerate();
        let active = lanes.fold(0, |mask, (lane, from)| {
            mask | (((exec >> (from & 63)) & 1) << lane)
        });
        self.found & active
    }

    /// Returns the lanes of `exec` that may write.
    #[inline(always)]
    pub(super) fn writes(&self, exec: u64) -> u64 {
        let sourced = if self.bound_zero {
            u64::MAX
        } else {
            self.readable(exec)
        };
        exec & self.written & sourced
    }

    /// Writes each lane's source value to `to`, and 0 for an unreadable source.
    #[inline(always)]
    pub(super) fn apply(&self, exec: u64, values: &Lanes, to: &mut Lanes) {
        // `& 63` lets the compiler omit the bounds check, so that the loop becomes a vector
        // shuffle.
        for (to, from) in to.0.iter_mut().zip(&self.from) {
            *to = values.0[usize::from(from & 63)];
        }
        let readable = self.readable(exec);
        if readable != u64::MAX {
            write(to, &Lanes([0; 64]), !readable);
        }
    }
}
