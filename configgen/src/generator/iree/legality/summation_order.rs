//! Rule G: the additions between an element of a floating-point sum and the result.

use crate::legality::{Axis, Rejection, ensure};
use crate::summation::tree_height;
use crate::{Problem, summation_depth};

/// Returns whether a sum of floats may take this many additions.
///
/// `axis` is that of the reduced dimension, and the other rules hold for it. For the tiles P of
/// one distribution, the answer is yes between two bounds.
pub(crate) fn adds_few(axis: &Axis) -> bool {
    let depth = summation_depth(axis.size);
    if axis.size <= depth {
        // No order takes more additions than it has elements.
        return true;
    }
    let [size, tile, thread, unit] =
        [axis.size, axis.tile, axis.thread, axis.unit()].map(u128::from);
    let tree = tree_height(axis.subgroups) + tree_height(axis.lanes);
    // tR (N / P + 1) + P / unit <= depth - tree, without a division.
    let serial = (thread * unit)
        .saturating_mul(size + tile)
        .saturating_add(tile * tile);
    let most = u128::from(depth.saturating_sub(tree));
    serial <= most.saturating_mul(tile * unit)
}

/// Checks rule G of a reduced dimension for which the other rules hold.
pub(super) fn check(problem: &Problem, axis: &Axis) -> Result<(), Rejection> {
    ensure(
        !problem.reduction.adds_floats() || adds_few(axis),
        "G",
        || {
            let Axis { size, tile, .. } = axis;
            let accumulators = tile / axis.unit();
            let elements = axis.thread * size.div_ceil(*tile);
            format!(
                "a lane adds up to {elements} elements to each of {accumulators} accumulators in sequence; a sum of \
                 {size} floats may take at most {} additions",
                summation_depth(*size)
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the additions of a kernel, counted element by element.
    fn additions(axis: &Axis) -> u64 {
        let mut elements = vec![0; (axis.tile / axis.thread) as usize];
        for element in 0..axis.size {
            elements[(element % axis.tile / axis.thread) as usize] += 1;
        }
        let of_lane = axis.tile / axis.unit();
        let height = axis.subgroups.ilog2() + axis.lanes.ilog2();
        elements.iter().max().unwrap() + of_lane + u64::from(height)
    }

    /// Checks that accepted kernels add few elements, and that accepted tiles have no gaps.
    #[test]
    fn accepted_tiles_lie_between_bounds_and_add_few() {
        let [mut accepted, mut refused] = [0, 0];
        let sizes = [60, 66, 100, 1000, 4099, 9001];
        for (size, thread, lanes, subgroups) in sizes.into_iter().flat_map(|size| {
            let counts = [
                (1, 1, 1),
                (1, 16, 2),
                (4, 1, 1),
                (4, 64, 1),
                (16, 4, 4),
                (128, 1, 1),
            ];
            counts.map(|(thread, lanes, subgroups)| (size, thread, lanes, subgroups))
        }) {
            let unit = thread * lanes * subgroups;
            let axis = |multiple| Axis {
                size,
                tile: multiple * unit,
                subgroups,
                lanes,
                thread,
            };
            let tiles = (1..).map(axis).take_while(|it| it.tile < size + unit);
            let of_tiles: Vec<bool> = tiles
                .map(|it| {
                    let are_few = adds_few(&it);
                    let is_short = size <= summation_depth(size);
                    let has_few = is_short || additions(&it) <= summation_depth(size);
                    assert!(!are_few || has_few, "{it:?}");
                    are_few
                })
                .collect();
            let changes = of_tiles.windows(2).filter(|it| it[0] != it[1]).count();
            let starts_and_ends_refused = !of_tiles[0] && !of_tiles[of_tiles.len() - 1];
            assert!(
                changes <= 1 || (changes == 2 && starts_and_ends_refused),
                "{size} {unit}"
            );
            accepted += of_tiles.iter().filter(|it| **it).count();
            refused += of_tiles.iter().filter(|it| !**it).count();
        }
        assert!(accepted > 100 && refused > 1000, "{accepted} {refused}");
    }

    #[test]
    fn no_numbers_overflow() {
        let most = u64::from(u32::MAX);
        let axis = Axis {
            size: most,
            tile: most,
            subgroups: most,
            lanes: most,
            thread: most,
        };
        assert!(!adds_few(&axis));
    }
}
