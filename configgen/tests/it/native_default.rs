//! Tests of the native default: legal everywhere, and as the rule says.

use configgen::{Basis, ElementType, Generator, Problem, TARGETS, check, native_default};
use expect_test::expect;

use crate::{gfx942, gfx1100};

/// Checks the shares of lanes, subgroups and workgroups, one line per problem.
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
        // A subgroup takes several short rows.
        "argmax:128x[7]xf32",
        "argmax:65536x[128]xbf16",
        "sum:1000000x[4]xf64",
        "argmax:2x[3]x4xf32",
        // Rows that are used again stay in registers, if they fit.
        "softmax:4x[50257]xf32",
        "rms_norm:4096x[1000]xf16",
        "layer_norm:48x[1280]xf16",
        "layer_norm:64x[28]xbf16",
        "softmax:1x[1000000]xf32",
        // Workgroups share no short row, and the lanes of many rows hold them.
        "rms_norm:1x[4096]xf16",
        "softmax:1x[8192]xf16",
        "layer_norm:4096x[8192]xf16",
        // Neighbours in memory belong to other rows.
        "softmax:2x[50]x300xf32",
        "sum:[4096]x4096xf16",
        "sum:[4096]x768xbf16",
        "dot:32x[1006]x4xf16,f16(0,1)",
        "max:4096x[64]x128xf32",
        "argmax:16x[21]x513x513xf32",
        "sum:?x[40]x6xf32:count=1..9",
        // Steps of several reduced dimensions multiply, so fewer of them count more than workgroups.
        "sum(math.absf(0)):[7]x[17]x[2624]xf32",
        "dot:[29]x[9]x[85]x[3]x[9]xbf16,bf16:f64",
        "layer_norm:[1233]x13x89x[5]xf16",
        "layer_norm:[44245]x[9]x3x1xbf16",
        "sum:4x[8]x[100]xf32",
        // A serial comparator has one lane per row.
        "argmax.ugt:256x[4100]xf32",
        "argmax.ugt:[1009]xf32",
        // Maps.
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
    expect![[r#"
        argmax:4x[4096]xf32: [1, 0] [0, 1024] thread [0, 4] lanes [1, 64] subgroups [1, 4] split 4
        argmax:4x[192]xf32: [1, 0] [0, 256] thread [0, 4] lanes [1, 64] subgroups [1, 1] split 1
        argmax:[1000]xf32: [0] [1024] thread [4] lanes [64] subgroups [4] split 1
        sum:64x[50257]xf32: [1, 0] [0, 16384] thread [0, 4] lanes [1, 64] subgroups [1, 16] split 4
        sum:1x[1000003]xf32: [1, 0] [0, 16384] thread [0, 4] lanes [1, 64] subgroups [1, 16] split 64
        argmax:5x[51865]xf16: [1, 0] [0, 4096] thread [0, 8] lanes [1, 64] subgroups [1, 8] split 16
        dot:4096x[11008]xbf16,bf16(1): [1, 0] [0, 12288] thread [0, 8] lanes [1, 64] subgroups [1, 8] split 1
        argmax:128x[7]xf32: [32, 0] [0, 8] thread [0, 4] lanes [32, 2] subgroups [1, 1] split 1
        argmax:65536x[128]xbf16: [16, 0] [0, 128] thread [0, 8] lanes [4, 16] subgroups [4, 1] split 1
        sum:1000000x[4]xf64: [128, 0] [0, 4] thread [0, 2] lanes [32, 2] subgroups [4, 1] split 1
        argmax:2x[3]x4xf32: [2, 0, 4] [0, 32, 0] thread [0, 1, 4] lanes [2, 32, 1] subgroups [1, 1, 1] split 1
        softmax:4x[50257]xf32: [1, 0] [0, 2048] thread [0, 4] lanes [1, 64] subgroups [1, 8] split 32
        rms_norm:4096x[1000]xf16: [4, 0] [0, 1024] thread [0, 8] lanes [1, 64] subgroups [4, 1] split 1
        layer_norm:48x[1280]xf16: [1, 0] [0, 2048] thread [0, 8] lanes [1, 64] subgroups [1, 2] split 1
        layer_norm:64x[28]xbf16: [16, 0] [0, 32] thread [0, 8] lanes [16, 4] subgroups [1, 1] split 1
        softmax:1x[1000000]xf32: [1, 0] [0, 32768] thread [0, 4] lanes [1, 64] subgroups [1, 16] split 32
        rms_norm:1x[4096]xf16: [1, 0] [0, 4096] thread [0, 8] lanes [1, 64] subgroups [1, 8] split 1
        softmax:1x[8192]xf16: [1, 0] [0, 2048] thread [0, 8] lanes [1, 64] subgroups [1, 4] split 4
        layer_norm:4096x[8192]xf16: [1, 0] [0, 8192] thread [0, 8] lanes [1, 64] subgroups [1, 8] split 1
        softmax:2x[50]x300xf32: [1, 0, 8] [0, 56, 0] thread [0, 1, 0] lanes [1, 8, 8] subgroups [1, 1, 1] split 1
        sum:[4096]x4096xf16: [0, 64] [1024, 0] thread [1, 8] lanes [8, 8] subgroups [16, 1] split 4
        sum:[4096]x768xbf16: [0, 64] [256, 0] thread [1, 8] lanes [8, 8] subgroups [8, 1] split 16
        dot:32x[1006]x4xf16,f16(0,1): [16, 0, 4] [0, 128, 0] thread [0, 1, 4] lanes [16, 4, 1] subgroups [1, 8, 1] split 8
        max:4096x[64]x128xf32: [2, 0, 128] [0, 64, 0] thread [0, 1, 4] lanes [2, 1, 32] subgroups [1, 16, 1] split 1
        argmax:16x[21]x513x513xf32: [1, 0, 1, 256] [0, 24, 0, 0] thread [0, 1, 0, 4] lanes [1, 1, 1, 64] subgroups [1, 4, 1, 1] split 1
        sum:?x[40]x6xf32:count=1..9: [4, 0, 8] [0, 48, 0] thread [0, 1, 4] lanes [4, 8, 2] subgroups [1, 2, 1] split 1
        sum(math.absf(0)):[7]x[17]x[2624]xf32: [0, 0, 0] [1, 1, 2048] thread [1, 1, 4] lanes [1, 1, 64] subgroups [1, 1, 8] split 32
        dot:[29]x[9]x[85]x[3]x[9]xbf16,bf16:f64: [0, 0, 0, 0, 0] [1, 2, 64, 4, 16] thread [1, 1, 1, 1, 8] lanes [1, 1, 8, 4, 2] subgroups [1, 2, 8, 1, 1] split 32
        layer_norm:[1233]x13x89x[5]xf16: [0, 1, 4, 0] [320, 0, 0, 8] thread [1, 0, 0, 1] lanes [2, 1, 4, 8] subgroups [16, 1, 1, 1] split 4
        layer_norm:[44245]x[9]x3x1xbf16: [0, 0, 1, 1] [1024, 16, 0, 0] thread [1, 1, 0, 0] lanes [4, 16, 1, 1] subgroups [16, 1, 1, 1] split 32
        sum:4x[8]x[100]xf32: [1, 0, 0] [0, 8, 128] thread [0, 1, 4] lanes [1, 2, 32] subgroups [1, 4, 1] split 1
        argmax.ugt:256x[4100]xf32: [128, 0] [0, 64] thread [0, 1] lanes [64, 1] subgroups [2, 1] split 1
        argmax.ugt:[1009]xf32: [0] [64] thread [1] lanes [1] subgroups [1] split 1
        copy:7168x4096xbf16(1,0): [64, 256] [0, 0] thread [8, 8] lanes [8, 8] subgroups [1, 4] split 1
        map(math.absf(0)):300x70xf32: [8, 128] [0, 0] thread [0, 4] lanes [2, 32] subgroups [4, 1] split 1"#]].assert_eq(&lines.join("\n"));
}

/// Checks that lanes lie on contiguous rows of an outer reduction, as many as there are.
#[test]
fn lanes_lie_on_neighbours() {
    let mut checked = 0;
    let sizes: [(u32, u32); 6] = [(1, 2), (3, 5), (7, 64), (50, 33), (300, 768), (4096, 1002)];
    for (length, rows) in sizes {
        let shape = format!("4x[{length}]x{rows}");
        let texts = ElementType::ALL.into_iter().flat_map(|it| {
            [
                format!("sum:{shape}x{it}"),
                format!("max:{shape}x{it}"),
                format!("dot:{shape}x{it},{it}(1)"),
                // The row is so wide that few f64 fit a lane's registers.
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
            // At least a cache line of each row.
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

/// Checks that no thread of a row that is used again begins far beyond the row's end.
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

/// Parses the numbers of a default along dimensions larger than 1, and its other values.
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

/// Checks rows from the issue about long sums, which had one lane each.
///
/// Lanes now load 16 bytes, and workgroups fill the device.
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

/// Checks sizes a little above a power of two, which leave the inner dimension too small for
/// subgroups.
///
/// The next dimension takes the others. Dimensions of size 1 and of rows may lie between.
#[test]
fn several_reduced_dimensions_of_any_length_fill_the_device() {
    let sizes = [3, 33, 65, 257, 1025, 1066, 1999];
    let pairs = sizes
        .iter()
        .flat_map(|outer| sizes.map(|inner| (*outer, inner)));
    for (outer, inner) in pairs {
        for shape in [
            format!("[{outer}]x1x[{inner}]"),
            format!("[{outer}]x3x[{inner}]"),
            format!("3x[{outer}]x1x[{inner}]x1"),
            format!("[{outer}]x1x[3]x[{inner}]"),
        ] {
            for operation in ["sum", "argmax", "product", "softmax", "standardize"] {
                let problem: Problem = format!("{operation}:{shape}xf32").parse().unwrap();
                let chosen = native_default(&problem, gfx942()).unwrap();
                let legal = check(&problem, gfx942(), Generator::NATIVE, &chosen);
                assert_eq!(legal, Ok(()), "{problem}");
                let lowering = &chosen.lowering;
                let threads = problem.shape.reduced().map(|d| {
                    let lanes = lowering.lane_basis.count_along(d);
                    u64::from(lanes * lowering.subgroup_basis.count_along(d))
                });
                let threads = threads.product::<u64>();
                let elements = problem.shape.reduced_size() / u64::from(chosen.knobs.split);
                let wanted = (elements / 64).min(1024);
                assert!(threads >= wanted, "{problem}: {threads} threads: {chosen}");
            }
        }
    }
}

/// Checks that contiguous rows leave a row enough lanes for sums (rule N18).
#[test]
fn rows_leave_lanes_for_sums() {
    for operation in ["sum", "standardize"] {
        let problem = format!("{operation}:[9]x[33]x[3]x[9]x23xf16");
        let problem: Problem = problem.parse().unwrap();
        let chosen = native_default(&problem, gfx942());
        assert!(chosen.is_ok(), "{problem}: {chosen:?}");
    }
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
        // Its chains of additions are limited too.
        ("sum", "bf16"),
        // No order.
        ("argmin.ult", "f32"),
    ] {
        for &columns in &sizes {
            // One in three small numbers of rows: their divisors occur with the others.
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
