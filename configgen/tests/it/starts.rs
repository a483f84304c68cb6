//! Tests of starting points: members of the space, each once, with the documented shapes.

use std::collections::HashSet;

use configgen::{Basis, Configuration, Generator, TARGETS};
use expect_test::{Expect, expect};

use crate::{space, space_on};

#[track_caller]
fn check(problem: &str, generator: Generator, expected: &Expect) {
    let (_, space) = space(problem, generator);
    let starts = space.start_ranks().into_iter();
    let lines: String = starts
        .map(|rank| summary(&space.nth(rank).unwrap()))
        .collect();
    expected.assert_eq(&lines);
}

/// Returns W and P, lanes x subgroups of each dimension, the thread tile, and the split if there
/// is one.
fn summary(c: &Configuration) -> String {
    let l = &c.lowering;
    let counts = |basis: &Basis| format!("{:?}", basis.counts);
    let split = match c.knobs.split {
        1 => String::new(),
        split => format!(" split {split}"),
    };
    format!(
        "W {:?} P {:?} thread {:?} lanes {} subgroups {}{split}\n",
        l.workgroup,
        l.partial_reduction,
        l.thread,
        counts(&l.lane_basis),
        counts(&l.subgroup_basis),
    )
}

#[test]
fn contiguous_columns() {
    check(
        "argmax:65536x[1024]xf32",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 0] P [0, 1024] thread [0, 4] lanes [1, 64] subgroups [1, 1]
            W [2, 0] P [0, 1024] thread [0, 4] lanes [1, 64] subgroups [1, 1]
            W [4, 0] P [0, 1024] thread [0, 4] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 1024] thread [0, 4] lanes [1, 64] subgroups [1, 4]
            W [4, 0] P [0, 1024] thread [0, 1] lanes [1, 64] subgroups [4, 1]
        "#]],
    );
    // A lane has a short row alone.
    check(
        "argmax:16384x[8]xf32",
        Generator::NATIVE,
        &expect![[r#"
            W [64, 0] P [0, 8] thread [0, 4] lanes [64, 1] subgroups [1, 1]
            W [128, 0] P [0, 8] thread [0, 4] lanes [64, 1] subgroups [1, 1]
            W [256, 0] P [0, 8] thread [0, 4] lanes [64, 1] subgroups [4, 1]
            W [64, 0] P [0, 8] thread [0, 2] lanes [64, 1] subgroups [1, 4]
            W [256, 0] P [0, 8] thread [0, 1] lanes [64, 1] subgroups [4, 1]
        "#]],
    );
    // Few rows are split.
    check(
        "argmax:4x[131072]xbf16",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 0] P [0, 4096] thread [0, 8] lanes [1, 64] subgroups [1, 1]
            W [2, 0] P [0, 2048] thread [0, 8] lanes [1, 64] subgroups [1, 1]
            W [4, 0] P [0, 4096] thread [0, 8] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 16384] thread [0, 8] lanes [1, 64] subgroups [1, 4]
            W [4, 0] P [0, 4096] thread [0, 1] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 4096] thread [0, 8] lanes [1, 64] subgroups [1, 1] split 16
            W [1, 0] P [0, 8192] thread [0, 8] lanes [1, 64] subgroups [1, 4] split 16
            W [1, 0] P [0, 2048] thread [0, 8] lanes [1, 64] subgroups [1, 4] split 64
            W [4, 0] P [0, 4096] thread [0, 8] lanes [1, 64] subgroups [1, 4] split 16
        "#]],
    );
}

/// Checks rows of no power of two that registers hold: the widest load with the shortest single
/// step, for each number of subgroups.
#[test]
fn whole_rows() {
    check(
        "rms_norm:16x[2880]xbf16",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 0] P [0, 2048] thread [0, 8] lanes [1, 64] subgroups [1, 1]
            W [1, 0] P [0, 3072] thread [0, 4] lanes [1, 64] subgroups [1, 4]
            W [1, 0] P [0, 3072] thread [0, 8] lanes [1, 64] subgroups [1, 2]
            W [4, 0] P [0, 2048] thread [0, 8] lanes [1, 64] subgroups [4, 1]
            W [4, 0] P [0, 2048] thread [0, 1] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 3072] thread [0, 2] lanes [1, 64] subgroups [1, 8]
            W [1, 0] P [0, 2048] thread [0, 2] lanes [1, 64] subgroups [1, 16]
            W [2, 0] P [0, 3072] thread [0, 2] lanes [1, 64] subgroups [1, 8]
            W [1, 0] P [0, 2048] thread [0, 1] lanes [1, 64] subgroups [1, 16]
            W [1, 0] P [0, 1024] thread [0, 2] lanes [1, 64] subgroups [1, 8] split 4
            W [1, 0] P [0, 256] thread [0, 1] lanes [1, 64] subgroups [1, 4] split 16
            W [2, 0] P [0, 128] thread [0, 1] lanes [2, 32] subgroups [1, 4] split 32
            W [4, 0] P [0, 128] thread [0, 1] lanes [4, 16] subgroups [1, 8] split 32
        "#]],
    );
    check(
        "layer_norm:48x[1280]xf16",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 0] P [0, 1024] thread [0, 8] lanes [1, 64] subgroups [1, 1]
            W [1, 0] P [0, 1280] thread [0, 1] lanes [1, 64] subgroups [1, 4]
            W [1, 0] P [0, 1280] thread [0, 2] lanes [1, 64] subgroups [1, 2]
            W [4, 0] P [0, 1024] thread [0, 8] lanes [1, 64] subgroups [4, 1]
            W [4, 0] P [0, 1024] thread [0, 1] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 1024] thread [0, 2] lanes [1, 64] subgroups [1, 8]
            W [1, 0] P [0, 1024] thread [0, 1] lanes [1, 64] subgroups [1, 16]
            W [2, 0] P [0, 1024] thread [0, 2] lanes [1, 64] subgroups [1, 8]
            W [1, 0] P [0, 512] thread [0, 1] lanes [1, 64] subgroups [1, 8] split 4
            W [2, 0] P [0, 128] thread [0, 1] lanes [2, 32] subgroups [1, 4] split 16
            W [4, 0] P [0, 64] thread [0, 1] lanes [4, 16] subgroups [1, 4] split 32
            W [8, 0] P [0, 64] thread [0, 1] lanes [8, 8] subgroups [1, 8] split 32
        "#]],
    );
}

/// Checks that few neighbouring rows also have starts with more lanes and workgroups per row.
#[test]
fn long_rows_that_are_not_contiguous() {
    check(
        "sum:[4096]x768xbf16",
        Generator::NATIVE,
        &expect![[r#"
            W [0, 1] P [128, 0] thread [1, 0] lanes [64, 1] subgroups [1, 1]
            W [0, 4] P [128, 0] thread [1, 0] lanes [64, 1] subgroups [1, 4]
            W [0, 4] P [128, 0] thread [1, 0] lanes [16, 4] subgroups [4, 1]
            W [0, 8] P [128, 0] thread [1, 8] lanes [64, 1] subgroups [1, 1]
            W [0, 32] P [128, 0] thread [1, 8] lanes [64, 1] subgroups [1, 4]
            W [0, 32] P [128, 0] thread [1, 8] lanes [16, 4] subgroups [4, 1]
            W [0, 32] P [16, 0] thread [1, 0] lanes [2, 32] subgroups [4, 1] split 8
            W [0, 16] P [32, 0] thread [1, 0] lanes [4, 16] subgroups [4, 1] split 4
            W [0, 64] P [32, 0] thread [1, 0] lanes [1, 64] subgroups [16, 1] split 4
            W [0, 8] P [4096, 0] thread [1, 0] lanes [8, 8] subgroups [16, 1]
            W [0, 128] P [256, 0] thread [1, 8] lanes [4, 16] subgroups [8, 1] split 16
            W [0, 16] P [1024, 0] thread [1, 2] lanes [8, 8] subgroups [4, 1] split 4
            W [0, 16] P [128, 0] thread [1, 0] lanes [4, 16] subgroups [16, 1]
        "#]],
    );
}

/// Checks that tiles lie on the dimension next to the row, even if no thread is spread over rows.
#[test]
fn rows_of_boxes() {
    check(
        "argmax:500x600x[1024]xf32",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 1, 0] P [0, 0, 1024] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 1]
            W [1, 2, 0] P [0, 0, 1024] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 1]
            W [1, 4, 0] P [0, 0, 1024] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 4, 1]
            W [1, 1, 0] P [0, 0, 1024] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 4]
            W [1, 4, 0] P [0, 0, 1024] thread [0, 0, 1] lanes [1, 1, 64] subgroups [1, 4, 1]
        "#]],
    );
    check(
        "argmax:6x10x[4096]xf32",
        Generator::IREE,
        &expect![[r#"
            W [1, 1, 0] P [0, 0, 4096] thread [0, 0, 64] lanes [1, 1, 64] subgroups [1, 1, 1]
            W [1, 1, 0] P [0, 0, 1024] thread [0, 0, 16] lanes [1, 1, 64] subgroups [1, 1, 1] split 4
            W [1, 1, 0] P [0, 0, 4096] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 1]
            W [1, 2, 0] P [0, 0, 4096] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 1]
            W [1, 1, 0] P [0, 0, 256] thread [0, 0, 4] lanes [1, 1, 64] subgroups [1, 1, 1] split 16
        "#]],
    );
}

#[test]
fn contiguous_rows() {
    check(
        "argmax:4x[21]x500x500xf16",
        Generator::NATIVE,
        &expect![[r#"
            W [1, 0, 1, 64] P [0, 20, 0, 0] thread [0, 1, 0, 0] lanes [1, 1, 1, 64] subgroups [1, 1, 1, 1]
            W [1, 0, 1, 256] P [0, 20, 0, 0] thread [0, 1, 0, 0] lanes [1, 1, 1, 64] subgroups [1, 1, 1, 4]
            W [1, 0, 1, 64] P [0, 24, 0, 0] thread [0, 1, 0, 0] lanes [1, 1, 1, 64] subgroups [1, 4, 1, 1]
            W [1, 0, 1, 512] P [0, 8, 0, 0] thread [0, 1, 0, 8] lanes [1, 1, 1, 64] subgroups [1, 1, 1, 1]
            W [1, 0, 4, 512] P [0, 8, 0, 0] thread [0, 1, 0, 8] lanes [1, 1, 1, 64] subgroups [1, 1, 4, 1]
            W [1, 0, 1, 512] P [0, 24, 0, 0] thread [0, 1, 0, 8] lanes [1, 1, 1, 64] subgroups [1, 4, 1, 1]
            W [1, 0, 1, 64] P [0, 16, 0, 0] thread [0, 1, 0, 0] lanes [1, 1, 1, 64] subgroups [1, 16, 1, 1]
        "#]],
    );
}

#[test]
fn iree_has_no_surplus() {
    check(
        "argmax:64x[4096]xf32",
        Generator::IREE,
        &expect![[r#"
            W [1, 0] P [0, 4096] thread [0, 64] lanes [1, 64] subgroups [1, 1]
            W [4, 0] P [0, 4096] thread [0, 64] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 1024] thread [0, 16] lanes [1, 64] subgroups [1, 1] split 4
            W [1, 0] P [0, 4096] thread [0, 4] lanes [1, 64] subgroups [1, 1]
            W [2, 0] P [0, 4096] thread [0, 4] lanes [1, 64] subgroups [1, 1]
            W [4, 0] P [0, 4096] thread [0, 4] lanes [1, 64] subgroups [4, 1]
            W [4, 0] P [0, 4096] thread [0, 1] lanes [1, 64] subgroups [4, 1]
            W [1, 0] P [0, 256] thread [0, 4] lanes [1, 64] subgroups [1, 1] split 16
        "#]],
    );
}

/// Counts IREE's starts that leave a lane one block of a row, and the ones before any other.
#[track_caller]
fn check_blocks(problem: &str, all: usize, first: usize) {
    let (problem, space) = space(problem, Generator::IREE);
    let column = problem.shape.reduced().next().unwrap();
    let is_block = |rank: u64| {
        let start = space.nth(rank).unwrap();
        let l = start.lowering;
        let lanes = l.lane_basis.count_along(column) * l.subgroup_basis.count_along(column);
        let size = problem.shape.sizes()[column] / start.knobs.split;
        let blocks = size / l.partial_reduction[column];
        blocks == 1 && l.partial_reduction[column] == lanes * l.thread[column]
    };
    let are_blocks: Vec<bool> = space.start_ranks().into_iter().map(is_block).collect();
    let found = are_blocks.iter().filter(|&&is_block| is_block).count();
    let before = are_blocks.iter().take_while(|&&is_block| is_block).count();
    assert_eq!((found, before), (all, first), "{problem}");
}

/// Checks that their index on ties is the fold's.
#[test]
fn iree_begins_with_lanes_that_have_one_block() {
    check_blocks("argmax:[4096]xf32", 7, 5);
    check_blocks("argmax:4x[4096]xf32", 4, 3);
    check_blocks("argmax:8x[2048]xf16", 3, 3);
    // No lanes of a thread tile fill such a row; they fill a piece of it.
    check_blocks("argmax:4x[32000]xf32", 1, 1);
    check_blocks("argmax:4x[50257]xf32", 0, 0);
}

#[test]
fn starts_are_different_members() {
    for target in &TARGETS {
        for problem in [
            "argmax:1x[1]xbf16",
            "argmax:[3]xf16",
            "argmax:[1048576]xf64",
            "argmin:2x3x[3]x[10]xf16",
            "argmax:100x[50]x4x4xi8",
            "argmin:6x1x[9]x[1]xf16",
            "argmax.ugt:3x[10]x[12]x700xf8E5M2",
        ] {
            let (_, space) = space_on(target, problem, Generator::NATIVE);
            let starts = space.start_ranks();
            assert!(!starts.is_empty(), "{target} {problem}");
            let members = starts.iter().map(|&rank| space.nth(rank));
            let ranks: HashSet<_> = members
                .map(|start| start.and_then(|start| space.rank_of(&start)))
                .collect();
            assert!(!ranks.contains(&None), "{target} {problem}");
            assert_eq!(ranks.len(), starts.len(), "{target} {problem}");
        }
    }
}
