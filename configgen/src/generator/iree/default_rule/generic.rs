//! IREE's fallback for a `linalg.generic`: distributes one subgroup's threads over the parallel
//! loops.

use crate::{Problem, Target, TileAndFuse, Tiles};

/// The smallest number of elements of a thread along the innermost loop, if it has several.
///
/// A thread has 128 bits of elements if that divides the loop.
const LEAST_VECTOR: u32 = 4;

/// The reciprocal of the first share of idle threads. The search then halves it, down to 1.
const FIRST_LOSS: u32 = 32;

/// Returns IREE's fallback for a reduction with no row distributed over lanes.
///
/// IREE uses its pipeline Distribute if there is only one row; one thread then computes it. Loops
/// get tiles from the innermost on. Each tile first divides its loop, and a thread has several
/// elements. If that leaves threads without work, the search admits a growing share of idle
/// threads.
pub(super) fn tile_and_fuse(problem: &Problem, target: &Target) -> TileAndFuse {
    let subgroup_size = target.subgroup_sizes[0];
    let divided = tiles(problem, subgroup_size, None);
    let loss = |factor: u32| tiles(problem, subgroup_size, Some(factor));
    let factors = (0..=FIRST_LOSS.ilog2()).rev().map(|exponent| 1 << exponent);
    let mut tried = std::iter::once(divided).chain(factors.map(loss));
    let found = tried.find_map(|(tiles, left)| (left == 1).then_some(tiles));
    let workgroup = found.unwrap_or_else(|| tiles(problem, subgroup_size, Some(1)).0);
    // IREE's pipeline Distribute runs a single row on a single thread.
    let has_rows = problem.shape.parallel().next().is_some();
    TileAndFuse {
        workgroup,
        subgroup_size,
        workgroup_size: [if has_rows { subgroup_size } else { 1 }, 1, 1],
    }
}

/// Returns the tiles for `subgroup_size` threads, and the number of threads that remain.
///
/// Without a `loss`, each tile divides its loop. With it, 1 of `loss` threads of a tile may be
/// idle.
fn tiles(problem: &Problem, subgroup_size: u32, loss: Option<u32>) -> (Tiles, u32) {
    let shape = &problem.shape;
    let is_row = shape.parallel().count() == 1;
    let bits = problem
        .read_operands()
        .into_iter()
        .map(|it| it.scalar.bytes() * 8);
    let bits = bits.fold(problem.element.bytes() * 8, u32::min);
    let vector = (128 / bits).max(LEAST_VECTOR);
    let mut workgroup: Tiles = (0..shape.rank())
        .map(|d| u32::from(!shape.is_reduced(d)))
        .collect();
    let mut left = subgroup_size;
    let mut has_vectors = loss.is_none();
    let known = shape.parallel().filter(|&d| !shape.is_counted(d));
    for d in known.collect::<Vec<_>>().into_iter().rev() {
        let size = shape.sizes()[d];
        let is_taken = |candidate: &u32| {
            let beyond = size % candidate;
            let fits = match loss {
                None => beyond == 0,
                Some(loss) => beyond == 0 || candidate - beyond <= candidate / loss,
            };
            // IREE prefers shorter tiles for a row with at most two tiles.
            let is_short = is_row && *candidate > subgroup_size && size.div_ceil(*candidate) <= 2;
            fits && !is_short
        };
        let powers = |least: u32, most: u32| {
            (least.ilog2()..=most.ilog2())
                .rev()
                .map(|exponent| 1 << exponent)
        };
        // For a single loop, IREE tries only the longest vectors.
        let shortest = if is_row { vector } else { LEAST_VECTOR };
        let wide = powers(shortest, vector)
            .filter(|_| has_vectors)
            .map(|it| left * it);
        let candidate = wide.chain(powers(1, left)).find(is_taken).unwrap_or(1);
        // A row with at most a subgroup's elements gives each thread one; more would idle other
        // threads.
        let has_several = has_vectors && candidate.is_multiple_of(LEAST_VECTOR);
        let of_each = match has_several && !(is_row && candidate <= subgroup_size) {
            true => (candidate / left).max(LEAST_VECTOR),
            false => 1,
        };
        left /= candidate / of_each;
        // Only the innermost loop has vectors, because only its elements are contiguous.
        has_vectors = false;
        workgroup[d] = candidate;
        if left == 1 {
            break;
        }
    }
    (workgroup, left)
}
