//! The rules of IREE's kernels, stated again.

use configgen::{ElementType, IndexType, Problem};

use super::{Dimension, elements, is_power_of_two};

/// Returns whether IREE's kernels find the index by a ballot, as a reader of the comparator
/// decides.
fn is_iree_ballot(problem: &Problem) -> bool {
    let name = problem.to_string();
    // The ones in `cases` beside plain comparisons.
    !name.starts_with("argmax_nan") && !name.contains("arith.ori")
}

/// Returns whether a thread may take `elements` of `words` registers with `threads` in the
/// workgroup.
fn fits(problem: &Problem, size: u128, elements: u128, threads: u128, words: u128) -> bool {
    let registers = match (size, threads) {
        (64, ..=256) => 512,
        (64, 257..=512) => 256,
        (64, 513..=768) => 168,
        (64, _) => 128,
        (_, ..=768) => 256,
        (_, 769..=896) => 216,
        _ => 192,
    };
    elements <= 128
        && elements * u128::from(problem.element.bytes()) <= 512
        && 8 * elements * words <= 5 * registers
}

/// Returns the same for plain reductions, which mask the last step.
fn is_iree_plain(
    problem: &Problem,
    dimensions: &[Dimension],
    lane_digits: &[usize],
    size: u128,
    threads: u128,
) -> bool {
    let results = problem.results();
    let accumulated = u128::from(results[0].scalar.bytes());
    let words = if accumulated == 8 { 2 } else { 1 };
    let (reduced, parallel): (Vec<&Dimension>, Vec<&Dimension>) =
        dimensions.iter().partition(|d| d.reduced);
    let row = reduced[0];
    let unit = row.subgroups * row.lanes * row.thread;
    let begins = (row.subgroups - 1) * (row.partial / row.subgroups);
    // Faster digits of other dimensions than the row's.
    let apart: u128 = lane_digits
        .iter()
        .rev()
        .take_while(|&&d| !problem.shape.is_reduced(d))
        .map(|&d| dimensions[d].lanes)
        .product();
    dimensions.iter().all(|d| is_power_of_two(d.lanes))
        && dimensions.iter().map(|d| d.lanes).product::<u128>() <= size
        && parallel
            .iter()
            .all(|d| d.size % d.workgroup == 0 && (!d.counted || d.workgroup == 1))
        && row.partial < row.size + unit
        && begins < row.size
        && is_power_of_two(row.subgroups)
        && row.subgroups <= row.lanes
        && (accumulated > 1 || row.lanes <= size / 2)
        && (accumulated < 8 || row.lanes == 1 || apart == 1)
        && adds_few(problem, row)
        && fits(problem, size, elements(dimensions), threads, words)
}

/// Returns whether a sum of floats takes few additions one after the other.
fn adds_few(problem: &Problem, row: &Dimension) -> bool {
    let depth = configgen::summation_depth(row.size as u64).into();
    let sums_floats = problem.to_string().starts_with("sum:") && problem.element.is_float();
    if !sums_floats || row.size <= depth {
        return true;
    }
    let (sharers, step) = (row.subgroups * row.lanes, row.partial);
    let accumulators = step / (sharers * row.thread);
    let steps_after = depth.saturating_sub(accumulators + u128::from(sharers.ilog2()));
    // The steps of a row, rounded down, and one more.
    row.thread * (row.size + step) <= steps_after * step
}

/// Returns whether IREE's rules hold.
///
/// `lane_digits` has the dimension of each digit of the lanes, the slowest first.
pub(super) fn is_iree(
    problem: &Problem,
    mut dimensions: Vec<Dimension>,
    lane_digits: &[usize],
    size: u128,
    threads: u128,
    split: u128,
) -> bool {
    if problem.reduction.pairwise().is_some() {
        return split == 1 && is_iree_plain(problem, &dimensions, lane_digits, size, threads);
    }
    let has_ballot = is_iree_ballot(problem);
    let is_narrow = problem.element == ElementType::I8 && has_ballot;
    let most_lanes = if is_narrow { size / 2 } else { size };
    let value_words = if matches!(problem.element, ElementType::F64 | ElementType::I64) {
        2
    } else {
        1
    };
    let index_words = if problem.arg_compare().unwrap().index == IndexType::I64 {
        2
    } else {
        1
    };
    let fits =
        |elements: u128, threads| fits(problem, size, elements, threads, value_words + index_words);
    if split != 1 {
        // Pieces replace rows, and one subgroup takes their results.
        let reduced = dimensions.iter_mut().find(|d| d.reduced).unwrap();
        if split == 0
            || reduced.size % split != 0
            || problem.to_string().contains(":?x")
            || (1..=most_lanes)
                .filter(|&lanes| is_power_of_two(lanes) && split.is_multiple_of(lanes))
                .all(|lanes| !fits(split / lanes, size))
        {
            return false;
        }
        reduced.size /= split;
    }
    let elements = elements(&dimensions);
    let reduced = dimensions.iter().find(|d| d.reduced).unwrap();
    let lanes: u128 = dimensions.iter().map(|d| d.lanes).product();
    dimensions
        .iter()
        .all(|d| d.size % (d.workgroup + d.partial) == 0 && is_power_of_two(d.lanes))
        && lanes <= size
        && (!has_ballot
            || dimensions
                .iter()
                .all(|d| d.reduced || d.lanes == 1 || reduced.lanes == 1))
        && (reduced.subgroups == 1 || (dimensions.len() == 1 && is_power_of_two(reduced.subgroups)))
        && reduced.subgroups <= reduced.lanes
        && reduced.lanes <= most_lanes
        && fits(elements, threads)
}
