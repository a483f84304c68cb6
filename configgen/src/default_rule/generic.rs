//! IREE's fallback for a `linalg.generic`: the threads of one subgroup, handed to the parallel loops.

use super::TileAndFuse;
use crate::{Problem, Target, Tiles};

/// Elements of a thread along the innermost loop at least, where it has several. It has 128 bits of them where these divide the loop.
const LEAST_VECTOR: u32 = 4;

/// Of a tile on one thread out of so many may be idle at first; then one out of half as many, down to all.
const FIRST_LOSS: u32 = 32;

/// What IREE falls back to (or takes its pipeline Distribute for, where there is but one row, which one thread then has) where no row is distributed over lanes: the loops get tiles from the innermost on, first such that each divides
/// its loop and a thread has several elements; if that leaves threads without work, such that few are idle, and then more.
pub(super) fn tile_and_fuse(problem: &Problem, target: &Target) -> TileAndFuse {
    let subgroup_size = target.subgroup_sizes[0];
    let divided = tiles(problem, subgroup_size, None);
    let loss = |factor: u32| tiles(problem, subgroup_size, Some(factor));
    let factors = (0..=FIRST_LOSS.ilog2()).rev().map(|exponent| 1 << exponent);
    let mut tried = std::iter::once(divided).chain(factors.map(loss));
    let found = tried.find_map(|(tiles, left)| (left == 1).then_some(tiles));
    let workgroup = found.unwrap_or_else(|| tiles(problem, subgroup_size, Some(1)).0);
    let has_rows = problem.shape.parallel().next().is_some();
    TileAndFuse {
        workgroup,
        subgroup_size,
        workgroup_size: [if has_rows { subgroup_size } else { 1 }, 1, 1],
    }
}

/// The tiles of so many threads, and how many threads are left over. Without a `loss` each divides its loop; with it, one out of
/// `loss` threads of a tile may be idle.
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
            // A row of few tiles takes shorter ones.
            let is_short = is_row && *candidate > subgroup_size && size.div_ceil(*candidate) <= 2;
            fits && !is_short
        };
        let powers = |least: u32, most: u32| {
            (least.ilog2()..=most.ilog2())
                .rev()
                .map(|exponent| 1 << exponent)
        };
        // Of a single loop only the longest vectors are tried.
        let shortest = if is_row { vector } else { LEAST_VECTOR };
        let wide = powers(shortest, vector)
            .filter(|_| has_vectors)
            .map(|it| left * it);
        let candidate = wide.chain(powers(1, left)).find(is_taken).unwrap_or(1);
        // A row of one subgroup's threads at most gives each one element: more would leave others without.
        let has_several = has_vectors && candidate.is_multiple_of(LEAST_VECTOR);
        let of_each = match has_several && !(is_row && candidate <= subgroup_size) {
            true => (candidate / left).max(LEAST_VECTOR),
            false => 1,
        };
        left /= candidate / of_each;
        has_vectors = false;
        workgroup[d] = candidate;
        if left == 1 {
            break;
        }
    }
    (workgroup, left)
}
