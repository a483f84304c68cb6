//! Split reductions: the two operations that IREE makes of one with split rows.
//!
//! The attribute `iree_linalg_ext.split_reduction = [N / C]` makes two dispatches of an
//! operation:
//!
//! - The *partial* reduces each of the C pieces of a row like a row of N / C elements. It adds
//!   the piece's start to the indices. It has C times the workgroups of such a problem.
//! - The *merge* reduces the C results of a row, with explicit indices.
//!
//! A configuration with a split belongs to the partial; that of the merge follows from it.

use super::{max_elements_per_thread, most_lanes};
use crate::legality::{Rejection, ensure};
use crate::{
    ArgCompare, Basis, Configuration, IndexMode, Knobs, LoweringConfig, Problem, Reduction, Target,
    Tiles,
};

/// The attribute that makes IREE split rows: the size of a piece along the reduced dimension.
pub const ATTRIBUTE: &str = "iree_linalg_ext.split_reduction";

/// The two operations that IREE makes of one with split rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitReduction {
    /// The number of elements of a piece.
    pub size: u32,
    /// The reduction of a piece of each row, with its configuration.
    pub partial: (Problem, Configuration),
    /// The reduction of the results of each row's pieces, with its configuration.
    pub merge: (Problem, Configuration),
}

impl SplitReduction {
    /// Returns the operations of a legal configuration, or none if it splits no row.
    pub fn of(problem: &Problem, configuration: &Configuration) -> Option<SplitReduction> {
        let Knobs { split, .. } = configuration.knobs;
        let reduced = problem.shape.reduced().next()?;
        let size = problem.shape.sizes()[reduced];
        if split <= 1 || !size.is_multiple_of(split) {
            return None;
        }
        // A piece begins in the middle of its row, so the partial needs a base for its positions.
        let mode = match problem.arg_compare()?.index_mode {
            IndexMode::Position | IndexMode::Based => IndexMode::Based,
            IndexMode::Explicit => IndexMode::Explicit,
        };
        // The indices of the partials are positions in whole rows, so the merge takes them as
        // explicit.
        let merge = resized(problem, split, IndexMode::Explicit)?;
        let merged = merging(&merge, configuration.subgroup_size);
        let partial = Configuration {
            knobs: Knobs::DEFAULT,
            ..configuration.clone()
        };
        Some(SplitReduction {
            size: size / split,
            partial: (resized(problem, size / split, mode)?, partial),
            merge: (merge, merged),
        })
    }
}

/// Returns the problem with the pieces as rows and with the same index mode.
pub(super) fn piece(problem: &Problem, split: u32) -> Problem {
    let mut piece = problem.clone();
    let reduced = piece.shape.reduced().next();
    if let Some(size) = reduced.and_then(|d| piece.shape.sizes.get_mut(d)) {
        *size /= split;
    }
    piece
}

/// Returns the problem with another size of the reduced dimension and another index mode.
fn resized(problem: &Problem, size: u32, index_mode: IndexMode) -> Option<Problem> {
    let mut resized = problem.clone();
    let reduced = resized.shape.reduced().next()?;
    resized.shape.sizes[reduced] = size;
    resized.reduction = Reduction::by(ArgCompare {
        index_mode,
        ..problem.arg_compare()?.clone()
    });
    Some(resized)
}

/// Returns the configuration of the merge.
///
/// A subgroup takes the results of one row at once. Each lane has one block of them, so that the
/// first of equal results wins.
fn merging(merge: &Problem, subgroup_size: u32) -> Configuration {
    let shape = &merge.shape;
    let along = |reduced: u32, parallel: u32| -> Tiles {
        let entry = |d| match shape.is_reduced(d) {
            true => reduced,
            false => parallel,
        };
        (0..shape.rank()).map(entry).collect()
    };
    let basis = |count| Basis::in_order(along(count, 1));
    // The merge has `split` elements per row, so they fit u32.
    let pieces = shape.reduced_size() as u32;
    let lanes = lanes(merge, subgroup_size, pieces);
    Configuration {
        lowering: LoweringConfig {
            workgroup: along(0, 1),
            partial_reduction: along(pieces, 0),
            thread: along(pieces / lanes, 0),
            lane_basis: basis(lanes),
            subgroup_basis: basis(1),
        },
        subgroup_size,
        workgroup_size: [subgroup_size, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}

/// Returns the number of lanes that merge `pieces` of a row: the largest power of two that
/// divides them.
fn lanes(problem: &Problem, subgroup_size: u32, pieces: u32) -> u32 {
    // `trailing_zeros` of 0 is 32, for which the shift has no result.
    let largest = 1u32.checked_shl(pieces.trailing_zeros());
    most_lanes(problem, subgroup_size).min(largest.unwrap_or(1))
}

/// Checks rules F1 and F2.
pub(crate) fn check_split(
    problem: &Problem,
    target: &Target,
    subgroup_size: u32,
    split: u32,
) -> Result<(), Rejection> {
    if split == 1 {
        return Ok(());
    }
    ensure(problem.index_of_own().is_some(), "F1", || {
        format!("split is {split}; it must be 1 unless the problem is an arg_compare")
    })?;
    let size = problem.shape.reduced_size();
    let divides = split > 0 && size.is_multiple_of(u64::from(split));
    ensure(divides, "F1", || {
        format!("split is {split}, which does not divide the size {size}")
    })?;
    ensure(problem.shape.counts().is_none(), "F1", || {
        format!("split is {split}; it must be 1 for a number of rows that is known at launch only")
    })?;
    let lanes = lanes(problem, subgroup_size, split);
    let most = max_elements_per_thread(problem, target, subgroup_size);
    ensure(split / lanes <= most, "F2", || {
        format!(
            "{lanes} lanes merge {split} pieces of a row; each lane may take at most {most} results"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generator, Space, check};

    /// Checks the partial, the merge, and the merge's lanes and thread tile.
    #[track_caller]
    fn check_pieces(problem: &str, split: u32, expected: Option<(u32, &str, &str, [u32; 2])>) {
        let problem: Problem = problem.parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let space = Space::new(&problem, target, Generator::IREE);
        let mut members = space.iter().filter(|member| member.knobs.split == split);
        let configuration = members.next().unwrap();
        let pieces = SplitReduction::of(&problem, &configuration);
        let found = pieces.as_ref().map(|pieces| {
            let (merge, merged) = &pieces.merge;
            let d = merge.shape.reduced().next().unwrap();
            let lowering = &merged.lowering;
            let lanes = lowering.lane_basis.count_along(d);
            let threads = [lanes, lowering.thread[d]];
            let texts = [&pieces.partial.0, merge].map(Problem::to_string);
            (pieces.size, texts, threads)
        });
        let expected = expected.map(|(size, partial, merge, threads)| {
            (size, [partial, merge].map(str::to_owned), threads)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_are_problems_of_their_own() {
        check_pieces("argmax:4x[32000]xf32", 1, None);
        check_pieces(
            "argmax:4x[32000]xf32",
            16,
            Some((
                2000,
                "argmax:4x[2000]xf32:i32:index_base",
                "argmax:4x[16]xf32:i32:explicit_index",
                [16, 1],
            )),
        );
        check_pieces(
            "argmin:[4096]x6xi8:i64:explicit_index",
            8,
            Some((
                512,
                "argmin:[512]x6xi8:i64:explicit_index",
                "argmin:[8]x6xi8:i64:explicit_index",
                [8, 1],
            )),
        );
        check_pieces(
            "argmax:[1048576]xf32:i32:index_base",
            1024,
            Some((
                1024,
                "argmax:[1024]xf32:i32:index_base",
                "argmax:[1024]xf32:i32:explicit_index",
                [64, 16],
            )),
        );
        // All lanes have the same number of pieces.
        check_pieces(
            "argmax:1x[32000]xf32",
            50,
            Some((
                640,
                "argmax:1x[640]xf32:i32:index_base",
                "argmax:1x[50]xf32:i32:explicit_index",
                [2, 25],
            )),
        );
        // A whole subgroup of 8-bit keys does not compile.
        check_pieces(
            "argmax:[1048576]xi8",
            1024,
            Some((
                1024,
                "argmax:[1024]xi8:i32:index_base",
                "argmax:[1024]xi8:i32:explicit_index",
                [32, 32],
            )),
        );
    }

    /// Checks that the operations that IREE makes of a legal configuration are legal too.
    #[test]
    fn pieces_of_legal_configurations_are_legal() {
        let mut splits = 0;
        for problem in [
            "argmax:4x[32000]xf32",
            "argmax:[1048576]xf64:i64",
            "argmin:[8192]x3xi8:i32:index_base",
            "argmax_nan:2x3x[4096]xbf16:i64:explicit_index",
        ] {
            let problem: Problem = problem.parse().unwrap();
            for target in ["gfx942", "gfx1201"] {
                let target = Target::named(target).unwrap();
                let space = Space::new(&problem, target, Generator::IREE);
                for configuration in space.sample(300, 1) {
                    let Some(pieces) = SplitReduction::of(&problem, &configuration) else {
                        assert_eq!(configuration.knobs.split, 1);
                        continue;
                    };
                    splits += 1;
                    for (problem, configuration) in [&pieces.partial, &pieces.merge] {
                        let checked = check(problem, target, Generator::IREE, configuration);
                        assert_eq!(checked, Ok(()), "{problem} {configuration}");
                    }
                }
            }
        }
        assert!(splits > 1000, "{splits}");
    }
}
