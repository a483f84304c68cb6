//! The default rule against what iree-base-compiler 3.13.0 chose for gfx942 (`--compile-to=executable-configurations`), and
//! its native counterpart.

use configgen::{
    Basis, ElementType, Generator, Pipeline, Problem, TARGETS, check, default_configuration,
    native_default,
};
use expect_test::expect;

use crate::{gfx942, gfx1100};

fn iree(problem: &str) -> Pipeline {
    let problem: Problem = problem.parse().unwrap();
    default_configuration(&problem, gfx942(), Generator::IREE).unwrap()
}

/// IREE distributes: `[P, thread, subgroups]` along the reduced dimension; 64 lanes lie on it.
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
    // Of an unknown number of rows all have many subgroups, however many there are for each.
    distributes("argmax:?x[4096]xf32", [4096, 4, 16]);
    distributes("argmax:?x300x[4096]xf32", [4096, 4, 16]);
    distributes("argmax:?x3000x[512]xf32", [512, 4, 2]);
    // With --iree-input-demote-f64-to-f32=false.
    distributes("argmax:4x[32000]xf64", [256, 2, 2]);
}

/// A workgroup has so many places of this dimension, and its threads are so many.
#[track_caller]
fn shares(problem: &str, d: usize, rows: u32, threads: u32) {
    let chosen = iree(problem);
    let chosen = chosen.configuration().unwrap();
    let found = (chosen.lowering.workgroup[d], chosen.workgroup_size[0]);
    assert_eq!(found, (rows, threads));
}

/// As iree-compile chose for products, whose workgroups have several rows.
#[test]
fn products() {
    shares("dot:64x[4096]xf16,f16(1)", 0, 64, 512);
    shares("dot:8x64x[512]xf16,f16(0,2)", 0, 8, 64);
    falls_back("dot:[512]x64xf16,f16(0)", &[0, 64], 64);
}

/// As iree-compile chose for generics. Where the outermost dimension is reduced and another follows it distributes no row.
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
    // Where there are many rows, one subgroup has each.
    let many = "sum:5000x[4096]xf32".parse().unwrap();
    let chosen = default_configuration(&many, gfx1100(), Generator::IREE).unwrap();
    assert_eq!(chosen.configuration().unwrap().workgroup_size, [32, 1, 1]);
}

/// IREE falls back, with these tiles and this number of threads.
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
    // As iree-compile chose for gfx1100: two subgroups are 64 threads there.
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

/// What lanes, subgroups and workgroups have of problems, a line each.
#[test]
fn native_defaults() {
    let problems = [
        "argmax:4x[4096]xf32",
        "argmax:4x[192]xf32",
        "argmax:[1000]xf32",
        "sum:64x[50257]xf32",
        "sum:1x[1000003]xf32",
        "argmax:5x[51865]xf16",
        "dot:4096x[11008]xbf16,bf16(1)",
        // Of short rows a subgroup has several.
        "argmax:128x[7]xf32",
        "argmax:65536x[128]xbf16",
        "sum:1000000x[4]xf64",
        "argmax:2x[3]x4xf32",
        // Rows that are used again are in registers, where they fit.
        "softmax:4x[50257]xf32",
        "rms_norm:4096x[1000]xf16",
        "layer_norm:48x[1280]xf16",
        "layer_norm:64x[28]xbf16",
        "softmax:1x[1000000]xf32",
        // Neighbours in memory are of other rows.
        "softmax:2x[50]x300xf32",
        "sum:[4096]x4096xf16",
        "sum:[4096]x768xbf16",
        "dot:32x[1006]x4xf16,f16(0,1)",
        "max:4096x[64]x128xf32",
        "argmax:16x[21]x513x513xf32",
        "sum:?x[40]x6xf32:count=1..9",
        // What is no order has one lane a row.
        "argmax.ugt:256x[4100]xf32",
        "argmax.ugt:[1009]xf32",
        // What reduces nothing.
        "copy:7168x4096xbf16(1,0)",
        "map(math.absf(0)):300x70xf32",
    ];
    let lines = problems.map(|text| {
        let chosen = native_default(&text.parse().unwrap(), gfx942()).unwrap();
        let it = &chosen.lowering;
        let counts = |basis: &Basis| -> Vec<u32> {
            (0..basis.counts.len()).map(|d| basis.count_along(d)).collect()
        };
        let (lanes, subgroups) = (counts(&it.lane_basis), counts(&it.subgroup_basis));
        let [tile, step, thread] = [&it.workgroup, &it.partial_reduction, &it.thread].map(|it| &it[..]);
        let split = chosen.knobs.split;
        format!("{text}: {tile:?} {step:?} thread {thread:?} lanes {lanes:?} subgroups {subgroups:?} split {split}")
    });
    expect![[""]].assert_eq(&lines.join("\n"));
}

/// Of a fold over an outer dimension, lanes lie on the rows that are neighbours in memory, as many as there are.
#[test]
fn lanes_lie_on_neighbours() {
    let mut checked = 0;
    let sizes = [(1, 2), (3, 5), (7, 64), (50, 33), (300, 768), (4096, 1002)];
    for (length, rows) in sizes {
        let shape = format!("4x[{length}]x{rows}");
        let texts = ElementType::ALL.into_iter().flat_map(|it| {
            [
                format!("sum:{shape}x{it}"),
                format!("max:{shape}x{it}"),
                format!("dot:{shape}x{it},{it}(1)"),
                // So wide that few places of f64 fit into a lane's registers.
                format!(
                    "sum(5=arith.addf(0,1);6=arith.addf(2,3);7=arith.addf(4,5);arith.addf(6,7)):{shape}x{it},{it}(2),{it}(2),{it}(2),{it}(2)"
                ),
            ]
        });
        let problems = texts.filter_map(|it| it.parse::<Problem>().ok());
        for (problem, target) in
            problems.flat_map(|it| TARGETS.iter().map(move |t| (it.clone(), t)))
        {
            let Ok(chosen) = native_default(&problem, target) else {
                continue;
            };
            let legal = check(&problem, target, Generator::NATIVE, &chosen);
            assert_eq!(legal, Ok(()), "{problem}");
            assert_eq!(chosen.canonical(&problem), chosen, "{problem}");
            // A line of the caches of each row at least.
            let (lanes, thread) = (
                chosen.lowering.lane_basis.counts[2],
                chosen.lowering.thread[2].max(1),
            );
            let bytes = lanes * thread * problem.element.bytes();
            let most = rows.next_power_of_two() * problem.element.bytes();
            assert!(bytes >= most.min(128), "{problem}: {chosen}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

/// A row that is used again has no thread that begins far beyond its end.
#[test]
fn rows_that_are_used_again_have_workgroups() {
    let operations = [
        "softmax",
        "log_softmax",
        "log_sum_exp",
        "layer_norm",
        "rms_norm",
        "add_rms_norm",
        "standardize",
    ];
    let mut checked = 0;
    for shape in [
        "[1]",
        "[7]",
        "3x[33]",
        "5x[1000]",
        "70000x[770]",
        "4x[50257]",
        "[300001]",
        "2x3x[9]x[1002]",
    ] {
        let texts = operations.iter().flat_map(|operation| {
            ElementType::ALL
                .into_iter()
                .map(move |it| format!("{operation}:{shape}x{it}"))
        });
        let problems = texts.filter_map(|it| it.parse::<Problem>().ok());
        for (problem, target) in
            problems.flat_map(|it| TARGETS.iter().map(move |t| (it.clone(), t)))
        {
            let chosen = native_default(&problem, target).unwrap();
            let legal = check(&problem, target, Generator::NATIVE, &chosen);
            assert_eq!(legal, Ok(()), "{problem}");
            assert_eq!(chosen.canonical(&problem), chosen, "{problem}");
            let along = |d| {
                let it = &chosen.lowering;
                let threads = it.lane_basis.count_along(d) * it.subgroup_basis.count_along(d);
                (it.thread[d], threads)
            };
            let reduced = problem.shape.reduced().last().unwrap();
            let (thread, threads) = along(reduced);
            let columns = problem.shape.sizes()[reduced];
            let is_filled =
                threads * thread < 2 * columns.next_multiple_of(target.subgroup_sizes[0]);
            assert!(is_filled, "{problem}: {chosen}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

/// The numbers of a default along the dimensions that are larger than 1, and what else it says.
fn numbers(text: &str) -> (Vec<[u32; 5]>, u32, [u32; 3], u32) {
    let problem: Problem = text.parse().unwrap();
    let chosen = native_default(&problem, gfx942()).unwrap();
    let it = &chosen.lowering;
    let wide = (0..problem.shape.rank()).filter(|&d| problem.shape.sizes()[d] > 1);
    let along = wide.map(|d| {
        [
            it.workgroup[d],
            it.partial_reduction[d],
            it.thread[d],
            it.lane_basis.count_along(d),
            it.subgroup_basis.count_along(d),
        ]
    });
    (
        along.collect(),
        chosen.subgroup_size,
        chosen.workgroup_size,
        chosen.knobs.split,
    )
}

#[test]
fn a_dimension_of_size_1_changes_no_default() {
    for [one, other] in [
        ["sum:[1000003]xf32", "sum:1x[1000003]xf32"],
        ["argmax:[51865]xf16", "argmax:1x[51865]xf16"],
        ["dot:[4097]xf32,f32", "dot:1x1x[4097]xf32,f32"],
        ["max:[4096]x768xbf16", "max:1x[4096]x1x768xbf16"],
        ["softmax:64x[768]xf32", "softmax:64x1x[768]xf32"],
        ["argmin:64x[768]xi8", "argmin:64x[768]x1xi8"],
        ["copy:64x768xf32", "copy:64x1x768xf32"],
    ] {
        assert_eq!(numbers(one), numbers(other), "{one} {other}");
    }
}

/// Rows that the issue about long sums names had one lane each: now lanes load 16 bytes, and workgroups fill the device.
#[test]
fn long_rows_of_any_length_fill_the_device() {
    for (shape, workgroups) in [
        ("1x[4097]", 1),
        ("3x[300001]", 128),
        ("4x[50257]", 16),
        ("8x[151937]", 128),
        ("64x[50257]", 256),
        ("1x[1000003]", 64),
        ("1x[20971521]", 64),
        ("1x[128]x[64]x[32]", 32),
    ] {
        for operation in ["sum", "argmax", "product"] {
            let problem: Problem = format!("{operation}:{shape}xf32").parse().unwrap();
            let chosen = native_default(&problem, gfx942()).unwrap();
            let lanes: u32 = chosen.lowering.lane_basis.counts[1..].iter().product();
            let thread: u32 = chosen.lowering.thread[1..].iter().product();
            assert_eq!((lanes, thread), (64, 4), "{problem}: {chosen}");
            let all = problem.shape.rows() * u64::from(chosen.knobs.split);
            assert!(all >= workgroups, "{problem}: {all} workgroups");
        }
    }
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

#[test]
fn every_native_problem_has_a_legal_canonical_default() {
    let sizes = (1..=130).chain([
        192,
        255,
        256,
        257,
        300,
        511,
        513,
        704,
        768,
        1000,
        1023,
        1024,
        1025,
        1536,
        2047,
        2048,
        2049,
        3072,
        4096,
        5003,
        12_288,
        32_000,
        50_257,
        50_304,
        65_536,
        128_256,
        151_936,
        1_000_003,
        2_147_483_647,
    ]);
    let sizes: Vec<u32> = sizes.collect();
    let mut checked = 0;
    for (comparator, element) in [
        ("argmin", "f32"),
        ("argmin", "f16"),
        ("argmin", "bf16"),
        ("argmin", "i32"),
        // No order.
        ("argmin.ult", "f32"),
    ] {
        for &columns in &sizes {
            // Of small numbers of rows one in three: what they divide is seen with the others.
            let rows = sizes
                .iter()
                .filter(|&&rows| rows > 130 || rows % 3 == 1)
                .map(|rows| format!("{rows}x"))
                .chain([String::new()]);
            for rows in rows {
                let text = format!("{comparator}:{rows}[{columns}]x{element}");
                let Ok(problem) = text.parse::<Problem>() else {
                    continue; // more than 2^40 elements
                };
                for target in [gfx942(), gfx1100()] {
                    let configuration = native_default(&problem, target).unwrap();
                    assert_eq!(
                        check(&problem, target, Generator::NATIVE, &configuration),
                        Ok(())
                    );
                    assert_eq!(configuration.canonical(&problem), configuration);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 90_000, "{checked}");
}

#[test]
fn the_native_default_is_legal_for_every_element_type() {
    for element in ElementType::ALL {
        for shape in ["4x[4096]", "[7]x300", "[151936]"] {
            let problem: Problem = format!("argmin:{shape}x{element}:index").parse().unwrap();
            let chosen = native_default(&problem, gfx942()).unwrap();
            let legal = check(&problem, gfx942(), Generator::NATIVE, &chosen);
            assert_eq!(legal, Ok(()), "{problem}");
        }
    }
}
