//! Tests of the default rule against iree-base-compiler 3.13.0's choices for gfx942
//! (`--compile-to=executable-configurations`).

use configgen::{Generator, Pipeline, Problem, default_configuration};

use crate::{gfx942, gfx1100};

fn iree(problem: &str) -> Pipeline {
    let problem: Problem = problem.parse().unwrap();
    default_configuration(&problem, gfx942(), Generator::IREE).unwrap()
}

/// Checks that IREE distributes: `[P, thread, subgroups]` along the reduced dimension, with 64
/// lanes.
#[track_caller]
fn distributes(problem: &str, [partial, thread, subgroups]: [u32; 3]) {
    let Pipeline::VectorDistribute(c) = iree(problem) else {
        panic!("{problem} falls back");
    };
    let shape = problem.parse::<Problem>().unwrap().shape;
    let lowering = &c.lowering;
    for d in 0..shape.rank() {
        let (lanes, groups) = (
            lowering.lane_basis.count_along(d),
            lowering.subgroup_basis.count_along(d),
        );
        let all = [
            lowering.workgroup[d],
            lowering.partial_reduction[d],
            lowering.thread[d],
            lanes,
            groups,
        ];
        match shape.is_reduced(d) {
            true => assert_eq!(all, [0, partial, thread, 64, subgroups]),
            false => assert_eq!(all, [1, 0, 0, 1, 1]),
        }
    }
    assert_eq!(c.subgroup_size, 64);
    assert_eq!(c.workgroup_size, [64 * subgroups, 1, 1]);
}

#[test]
fn iree_distributes_rows_over_lanes() {
    distributes("argmax:4x[32000]xf32", [256, 4, 1]);
    distributes("argmax:4x[32000]xf16", [256, 4, 1]);
    distributes("argmax:4x[4096]xf32", [4096, 4, 16]);
    distributes("argmax:4096x[32000]xbf16", [256, 4, 1]);
    distributes("argmax:300x[4096]xi32", [2048, 4, 8]);
    distributes("argmax:4x[32000]xi64:i64", [256, 2, 2]);
    distributes("argmax:4x[32000]xi8", [256, 4, 1]);
    distributes("argmax:2048x[512]xf32", [256, 4, 1]);
    distributes("argmax:2049x[512]xf32", [256, 4, 1]);
    distributes("argmax:[1536]xf32", [1536, 4, 6]);
    distributes("argmax:[128256]xf32", [256, 4, 1]);
    distributes("argmax:[151936]xbf16:i64", [128, 2, 1]);
    distributes("argmax:[64]xf32", [64, 1, 1]);
    distributes("argmax:[4096]x256xf32", [4096, 4, 16]);
    distributes("argmax:4x[4096]x64xf32", [4096, 4, 16]);
    distributes("argmax:2x3x[768]xf16", [768, 4, 3]);
    distributes("argmax:4x[192]xf32", [192, 1, 3]);
    distributes("argmax:1000x[704]xf16", [704, 1, 11]);
    distributes("argmax:512x[12288]xf32", [2048, 4, 8]);
    // For an open number of rows, all have many subgroups.
    distributes("argmax:?x[4096]xf32", [4096, 4, 16]);
    distributes("argmax:?x300x[4096]xf32", [4096, 4, 16]);
    distributes("argmax:?x3000x[512]xf32", [512, 4, 2]);
    // With --iree-input-demote-f64-to-f32=false.
    distributes("argmax:4x[32000]xf64", [256, 2, 2]);
}

/// Checks a workgroup's rows along this dimension, and its threads.
#[track_caller]
fn shares(problem: &str, d: usize, rows: u32, threads: u32) {
    let chosen = iree(problem);
    let chosen = chosen.configuration().unwrap();
    let found = (chosen.lowering.workgroup[d], chosen.workgroup_size[0]);
    assert_eq!(found, (rows, threads));
}

/// Checks iree-compile's choices for products, with several rows per workgroup.
#[test]
fn products() {
    shares("dot:64x[4096]xf16,f16(1)", 0, 64, 512);
    shares("dot:8x64x[512]xf16,f16(0,2)", 0, 8, 64);
    falls_back("dot:[512]x64xf16,f16(0)", &[0, 64], 64);
}

/// Checks iree-compile's choices for generics.
///
/// It distributes no row if the outermost dimension is reduced and another follows.
#[test]
fn generics() {
    distributes("sum:64x[4096]xf32", [4096, 4, 16]);
    distributes("sum:20x[512]x8xf32", [512, 4, 2]);
    distributes("sum:32x[64]x784xf32", [64, 1, 1]);
    distributes("sum:64x[4096]xf16", [4096, 8, 8]);
    distributes("softmax:64x[768]xf32", [768, 4, 3]);
    falls_back("softmax:64x[1000]xf32", &[64, 0], 64);
    falls_back("sum:[4096]x768xf32", &[0, 256], 64);
    falls_back("sum:[4096]x512xf32", &[0, 64], 64);
    falls_back("sum:[768]x7xf32", &[0, 64], 64);
    falls_back("sum:[1000]xf32", &[0], 1);
    falls_back("sum:4096x[1000]xf32", &[256, 0], 64);
    falls_back("sum:4096x[1000]xf16", &[512, 0], 64);
    falls_back("sum:1280x[1000]xf16", &[64, 0], 64);
    falls_back("sum:4096x[1000]xi8", &[1024, 0], 64);
    falls_back("sum:50x[1000]xf32", &[64, 0], 64);
    falls_back("sum:8x[1000]x40xf32", &[8, 0, 8], 64);
    falls_back("sum:5x[1000]x256xf16", &[1, 0, 256], 64);
    falls_back("sum:100x[1000]x12xf32", &[4, 0, 16], 64);
    falls_back("sum:48x[1000]x24xi8", &[8, 0, 8], 64);
    falls_back("sum:1024x[1000]x20xi8", &[64, 0, 4], 64);
    // With many rows, each has one subgroup.
    let many = "sum:5000x[4096]xf32".parse().unwrap();
    let chosen = default_configuration(&many, gfx1100(), Generator::IREE).unwrap();
    assert_eq!(chosen.configuration().unwrap().workgroup_size, [32, 1, 1]);
}

/// Checks that IREE falls back, with these tiles and this number of threads.
#[track_caller]
fn falls_back(problem: &str, workgroup: &[u32], threads: u32) {
    let Pipeline::TileAndFuse(fallback) = iree(problem) else {
        panic!("{problem} is distributed");
    };
    assert_eq!(fallback.workgroup.as_slice(), workgroup);
    assert_eq!(fallback.workgroup_size, [threads, 1, 1]);
}

#[test]
fn iree_falls_back() {
    falls_back("argmax:[1000]xf32", &[0], 1);
    falls_back("argmax:4x[1000]xf32", &[4, 0], 64);
    falls_back("argmax:300x[1000]xf16", &[1, 0], 64);
    falls_back("argmax:128x[1000]xf16", &[128, 0], 128);
    falls_back("argmax:4x[1]xf32", &[4, 0], 64);
    for (rows, tile, threads) in [
        (1, 1, 64),
        (2, 2, 64),
        (3, 1, 64),
        (12, 1, 64),
        (32, 32, 64),
        (33, 1, 64),
        (64, 64, 64),
        (65, 1, 64),
        (96, 1, 64),
        (128, 128, 128),
        (129, 1, 64),
        (192, 1, 64),
        (256, 128, 128),
        (320, 1, 64),
        (384, 128, 128),
        (1000, 1, 64),
        (4096, 128, 128),
        (100_000, 1, 64),
    ] {
        falls_back(&format!("argmax:{rows}x[7]xf32"), &[tile, 0], threads);
    }
    falls_back("argmax:300x4x[7]xf32", &[1, 4, 0], 64);
    falls_back("argmax:3x100x[7]xf32", &[1, 1, 0], 64);
    falls_back("argmax:7x128x3x[7]xf32", &[1, 128, 1, 0], 128);
    falls_back("argmax:7x64x4x[7]xf32", &[1, 32, 4, 0], 128);
    falls_back("argmax:16x16x16x[7]xf32", &[1, 8, 16, 0], 128);
    falls_back("argmax:64x21x513x[7]xf32", &[64, 1, 1, 0], 64);
    falls_back("argmax:2x3x4x[7]xf32", &[2, 1, 4, 0], 64);
    falls_back("argmax:16x[21]x513x513xf32", &[16, 0, 1, 1], 64);
    falls_back("argmax:16x[21]x64x64xf32", &[1, 0, 2, 64], 128);
    falls_back("argmax:[21]x4096xf32", &[0, 128], 128);
    // iree-compile's choice for gfx1100: two subgroups are 64 threads there.
    for (problem, workgroup, threads) in [
        ("argmax:16384x[8]xf32", &[64, 0][..], 64),
        ("argmax:2x[3]x4xf32", &[2, 0, 4], 32),
        ("argmax:[9]xf32", &[0], 1),
        ("argmax:37x[5]x130xf32", &[1, 0, 1], 32),
        ("argmax:[7]x64xf32", &[0, 64], 64),
    ] {
        let parsed = problem.parse().unwrap();
        let chosen = default_configuration(&parsed, gfx1100(), Generator::IREE).unwrap();
        let Pipeline::TileAndFuse(fallback) = chosen else {
            panic!("{problem} is distributed");
        };
        assert_eq!(fallback.workgroup.as_slice(), workgroup, "{problem}");
        assert_eq!(fallback.workgroup_size, [threads, 1, 1], "{problem}");
        assert_eq!(fallback.subgroup_size, 32);
    }
    falls_back("argmax:?x[1000]xf32", &[1, 0], 64);
    falls_back("argmax:?x3x[1000]xf32", &[1, 1, 0], 64);
    falls_back("argmax:?x200x[1000]xf32", &[1, 1, 0], 64);
    falls_back("argmax:?x64x[1000]xf32", &[1, 64, 0], 64);
    let text = match iree("argmax:4x[1000]xf32") {
        Pipeline::TileAndFuse(fallback) => fallback.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        text,
        "TileAndFuse: one thread per output, workgroup = [4, 0], workgroup_size = [64, 1, 1]"
    );
}

#[test]
fn a_problem_that_the_generator_does_not_take_has_no_default() {
    let reject = |problem: &str, generator| {
        let problem: Problem = problem.parse().unwrap();
        default_configuration(&problem, gfx942(), generator)
            .unwrap_err()
            .to_string()
    };
    let iree = reject("argmax:[4]x[32]xf32", Generator::IREE);
    assert!(iree.starts_with("rule 0: "), "{iree}");
}
