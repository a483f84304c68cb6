//! The rules of IREE's kernels, stated once more.

use configgen::{ElementType, IndexType, Problem};

use super::{Dimension, elements, is_power_of_two};

/// How IREE's kernels find the index of a problem, as a reader of the comparator sees it.
fn is_iree_ballot(problem: &Problem) -> bool {
    let name = problem.to_string();
    // Those that `cases` has beside plain comparisons.
    !name.starts_with("argmax_nan") && !name.contains("arith.ori")
}

pub(super) fn is_iree(
    problem: &Problem,
    mut dimensions: Vec<Dimension>,
    size: u128,
    threads: u128,
    split: u128,
) -> bool {
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
    let of_workgroup = |threads| match (size, threads) {
        (64, ..=256) => 512,
        (64, 257..=512) => 256,
        (64, 513..=768) => 168,
        (64, _) => 128,
        (_, ..=768) => 256,
        (_, 769..=896) => 216,
        _ => 192,
    };
    let fits = |elements: u128, threads| {
        elements <= 128
            && elements * u128::from(problem.element.bytes()) <= 512
            && 8 * elements * (value_words + index_words) <= 5 * of_workgroup(threads)
    };
    if split != 1 {
        // Pieces take the place of rows, and one subgroup their results.
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
