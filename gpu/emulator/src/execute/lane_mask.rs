//! Lane masks: iteration over their lanes, and masked writes.

use crate::operation::Lanes;

/// Returns the lanes of a mask, in ascending order.
#[inline(always)]
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// Writes the lanes with a set bit in `mask`.
#[inline(always)]
pub(super) fn write(to: &mut Lanes, from: &Lanes, mask: u64) {
    if mask == u64::MAX {
        *to = *from;
        return;
    }
    // Halves of 32 lanes keep the bit tests in 32 bits, so that the loop vectorizes without
    // branches.
    for (half, bits) in [mask as u32, (mask >> 32) as u32].into_iter().enumerate() {
        let to = &mut to.0[32 * half..32 * half + 32];
        let from = &from.0[32 * half..32 * half + 32];
        for lane in 0..32 {
            let keep = if bits & (1 << lane) == 0 { u32::MAX } else { 0 };
            to[lane] = (to[lane] & keep) | (from[lane] & !keep);
        }
    }
}
