//! Tests of the laws of ranks, samples and neighbours.

use std::collections::{HashMap, HashSet, VecDeque};

use configgen::{Basis, Configuration, Generator, Space, Target, check, native_default};

use crate::{gfx942, gfx1100, space, space_on};

const PROBLEMS: [(&str, Generator); 23] = [
    ("argmax:4x[32000]xf32", Generator::NATIVE),
    ("argmin:7x[13]xi32", Generator::NATIVE),
    ("argmax:1x[1]xbf16", Generator::NATIVE),
    ("argmax:[151936]xf16", Generator::NATIVE),
    ("argmax:[3]xf16", Generator::NATIVE),
    ("argmax:500x[9]x3xf32", Generator::NATIVE),
    ("argmin:2x3x[3]x[10]xf16", Generator::NATIVE),
    ("argmax.ugt:70x[6]x6xf16", Generator::NATIVE),
    // The distributed dimensions are no neighbours.
    ("argmax:100x[50]x4x4xf32", Generator::NATIVE),
    ("argmin:6x1x[9]x[1]xf16", Generator::NATIVE),
    ("argmax.ugt:4x[32000]xf32", Generator::NATIVE),
    ("argmax.ugt:3x[10]x[12]x700xf16", Generator::NATIVE),
    ("argmin.ult:[32000]xf64", Generator::NATIVE),
    ("argmin.ult:[7]xf32", Generator::NATIVE),
    ("argmax:?x[500]xf16:i32:count=1..20", Generator::NATIVE),
    ("argmax:?x[70]x6xf32:i32:count=1..20", Generator::NATIVE),
    ("argmax:4x[32000]xf32", Generator::IREE),
    ("argmax:[4096]x256xf32", Generator::IREE),
    ("argmax:16x[21]x513x512xf32", Generator::IREE),
    ("argmax:64x1x[50257]xf16:i64", Generator::IREE),
    ("argmax:[128256]xi8", Generator::IREE),
    ("argmax:1x[1]xf64", Generator::IREE),
    ("argmax:2x3x5x7x11x[13]xi16", Generator::IREE),
];

/// Returns IREE's spaces on gfx942, and native ones also with two subgroup sizes.
fn cases<const N: usize>(
    problems: [(&'static str, Generator); N],
) -> impl Iterator<Item = (&'static Target, &'static str, Generator)> {
    let on = |target| problems.map(|(text, generator)| (target, text, generator));
    on(gfx942())
        .into_iter()
        .chain(on(gfx1100()))
        .filter(|(target, _, generator)| *generator == Generator::NATIVE || *target == gfx942())
}

/// Checks that every `nth` member is legal, canonical, and found by its rank, so that all differ.
fn check_members(nth: usize) {
    for (target, text, generator) in cases(PROBLEMS) {
        let (problem, space) = space_on(target, text, generator);
        assert_eq!(space.rejection(), None);
        let len = space.len() as usize;
        assert_eq!(space.iter().size_hint(), (len, Some(len)));
        for (rank, c) in (0..).zip(&space).step_by(nth) {
            let checked = check(&problem, target, generator, &c);
            assert_eq!(checked, Ok(()), "{text} {c:?}");
            assert_eq!(c.canonical(&problem), c);
            assert_eq!(space.rank_of(&c), Some(rank), "{text} {c:?}");
            assert_eq!(space.nth(rank).as_ref(), Some(&c));
        }
        assert_eq!((&space).into_iter().count(), len, "{text}");
        assert!(!space.is_empty());
        assert_eq!(space.nth(space.len()), None);
        assert_eq!(space.nth(u64::MAX), None);
    }
}

#[test]
fn members_are_legal_canonical_and_found_by_rank() {
    check_members(7);
}

#[test]
#[ignore = "full: every member of 39 spaces"]
fn all_members_are_legal_canonical_and_found_by_rank() {
    check_members(1);
}

#[test]
fn iteration_may_start_and_skip_anywhere() {
    let (_, space) = space("argmin:7x[13]xi32", Generator::NATIVE);
    let all: Vec<Configuration> = space.iter().collect();
    for start in [0, 1, 100, space.len() - 1, space.len()] {
        assert_eq!(
            space.iter_from(start).collect::<Vec<_>>(),
            all[usize::try_from(start).unwrap()..]
        );
    }
    let mut iter = space.iter();
    assert_eq!(iter.nth(10), Some(all[10].clone()));
    assert_eq!(iter.next(), Some(all[11].clone()));
    assert_eq!(iter.nth(3), Some(all[15].clone()));
    assert_eq!(iter.size_hint().0, all.len() - 16);
    assert_eq!(iter.nth(usize::MAX), None);
    assert_eq!(iter.next(), None);
}

#[test]
fn defaults_are_in_the_native_space() {
    for text in [
        "argmax:4x[32000]xf32",
        "argmax:300x[1000]xf16",
        "argmax:4x[192]xf32",
        "argmin:[1000]xi32",
        "argmax.ugt:4x[32000]xf32",
        "argmax.ugt:4000x[67]xf32",
        "argmin.ult:[1000]xf16",
        "argmax:?x[32000]xf32",
        "argmax.ugt:?x[67]xf32",
        "sum:1x[1000003]xf32",
        "sum:64x[50257]xbf16",
        "dot:[4096]x768xbf16,bf16(0)",
        "argmax:16x[21]x513x513xf16",
        "max:5x[100]x[9]xf64",
        "layer_norm:48x[1280]xf16",
        "softmax:2x[500]x300xf32",
        "copy:7168x4096xbf16(1,0)",
        "copy:300x70xf32",
    ] {
        let (problem, space) = space(text, Generator::NATIVE);
        let default = native_default(&problem, gfx942()).unwrap();
        assert!(space.rank_of(&default).is_some(), "{text}");
    }
}

/// Checks that 64 subgroups of 2^31 rows, which overflow 32 bits, have no rank.
///
/// A factor of 0 would make the product look small.
#[test]
fn counts_that_overflow_have_no_rank() {
    for (text, generator) in [PROBLEMS[0], PROBLEMS[5]] {
        let (_, space) = space(text, generator);
        let mut other = space.nth(0).unwrap();
        other.lowering.subgroup_basis.counts = [1 << 31, 0].into_iter().collect();
        other.workgroup_size = [0, 1, 1];
        assert_eq!(space.rank_of(&other), None);
    }
}

#[test]
fn other_forms_have_the_rank_of_the_canonical_one() {
    let (_, space) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    let json = r#"{"workgroup":[1,0],"partial_reduction":[0,256],"thread":[1,4],"lane_basis":[[64,1],[1,0]],"subgroup_basis":[[1,1],[1,0]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;
    let other: Configuration = serde_json::from_str(json).unwrap();
    let rank = space.rank_of(&other).unwrap();
    assert_ne!(space.nth(rank).unwrap(), other);
}

#[test]
fn configurations_outside_a_space_have_no_rank() {
    let (_, space) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    let member = space.nth(1000).unwrap();
    let outside = |change: &dyn Fn(&mut Configuration)| {
        let mut other = member.clone();
        change(&mut other);
        assert_eq!(space.rank_of(&other), None, "{other:?}");
        assert!(space.neighbours(&other).is_empty());
    };
    outside(&|c| c.lowering.partial_reduction[1] += 1);
    outside(&|c| c.lowering.partial_reduction[1] = u32::MAX);
    outside(&|c| c.lowering.workgroup[0] = 0);
    outside(&|c| c.lowering.workgroup.clear());
    outside(&|c| c.lowering.thread.truncate(1));
    outside(&|c| c.lowering.thread.push(1));
    outside(&|c| c.lowering.thread[1] = 3);
    outside(&|c| c.lowering.lane_basis.mapping[0] = 200);
    outside(&|c| c.lowering.lane_basis.counts.fill(0));
    outside(&|c| c.lowering.subgroup_basis.counts.fill(u32::MAX));
    outside(&|c| c.lowering.subgroup_basis.counts.clear());
    outside(&|c| c.subgroup_size = 32);
    outside(&|c| c.workgroup_size[0] = 0);
    outside(&|c| c.workgroup_size[2] = 2);
}

#[test]
fn samples_are_distinct_and_prefixes_of_longer_ones() {
    let (_, space) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    let long = space.sample(500, 7);
    assert_eq!(long.iter().collect::<HashSet<_>>().len(), 500);
    assert_eq!(space.sample(20, 7), long[..20]);
    assert_ne!(space.sample(20, 8), long[..20]);
    // More than there are: all, once each.
    let (_, small) = crate::space("argmax:1x[1]xbf16", Generator::NATIVE);
    let all: HashSet<u64> = small.sample_ranks(3).collect();
    assert_eq!(all, (0..small.len()).collect());
    assert_eq!(small.sample(u64::MAX, 3).len() as u64, small.len());
}

#[test]
fn samples_are_the_same_everywhere_and_for_ever() {
    let (_, space) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    let ranks: Vec<u64> = space.sample_ranks(42).take(8).collect();
    assert_eq!((space.len(), ranks), (SAMPLED.0, SAMPLED.1.to_vec()));
}

/// The length of the space, and the ranks that were drawn when this test was written.
const SAMPLED: (u64, [u64; 8]) = (
    65935,
    [16230, 25912, 7083, 33748, 20223, 49736, 46057, 28956],
);

#[test]
fn samples_are_uniform() {
    let (_, space) = space("argmax:[12]xf16", Generator::IREE);
    let cells = space.len() * space.len();
    let draws = 40 * cells;
    // Ordered pairs of the first two draws: equal ranks never, the others equally often.
    let mut counts: HashMap<(u64, u64), u64> = HashMap::new();
    for seed in 0..draws {
        let pair: Vec<u64> = space.sample_ranks(seed).take(2).collect();
        *counts.entry((pair[0], pair[1])).or_default() += 1;
    }
    let pairs = cells - space.len();
    assert_eq!(counts.len() as u64, pairs);
    let expected = draws as f64 / pairs as f64;
    let chi_squared: f64 = counts
        .values()
        .map(|&n| (n as f64 - expected).powi(2) / expected)
        .sum();
    let degrees = (pairs - 1) as f64;
    // Six standard deviations of the distribution.
    assert!(
        (chi_squared - degrees).abs() < 6.0 * (2.0 * degrees).sqrt(),
        "{chi_squared} {degrees}"
    );
}

#[test]
fn neighbours_are_symmetric_and_reach_the_whole_space() {
    let small = [
        ("argmin:7x[13]xi32", Generator::NATIVE),
        ("argmax:1x[1]xbf16", Generator::NATIVE),
        ("argmax:[700]xf16", Generator::NATIVE),
        ("argmax:9x[5]x2x3xf32", Generator::NATIVE),
        ("argmax:[3]x2x[7]xf32", Generator::NATIVE),
        ("argmax.ugt:100x[47]xf32", Generator::NATIVE),
        ("argmax.ugt:3x[5]x[7]x3xf32", Generator::NATIVE),
        ("argmin.ule:[960]xf32", Generator::NATIVE),
        ("argmax:?x[13]xi32:i32:count=3..7", Generator::NATIVE),
        ("argmax:[96]x24xi8", Generator::IREE),
        ("argmax:[4096]xf32", Generator::IREE),
        ("argmax:15x[1001]xf16", Generator::IREE),
        // A divisor of one parallel dimension does not divide the others.
        ("argmax:6x35x[32]x11xf16", Generator::IREE),
        ("argmax:3x1x4x[6]xi8", Generator::NATIVE),
    ];
    for (target, text, generator) in cases(small) {
        let (_, space) = space_on(target, text, generator);
        let ranks_of = |rank| -> Vec<u64> {
            let neighbours = space.neighbours(&space.nth(rank).unwrap());
            neighbours
                .iter()
                .map(|c| space.rank_of(c).unwrap())
                .collect()
        };
        let mut neighbours: HashMap<u64, Vec<u64>> = HashMap::new();
        let mut queue = VecDeque::from([0]);
        while let Some(rank) = queue.pop_front() {
            if neighbours.contains_key(&rank) {
                continue;
            }
            let next = ranks_of(rank);
            assert!(next.is_sorted_by(|a, b| a < b) && !next.contains(&rank));
            queue.extend(&next);
            neighbours.insert(rank, next);
        }
        assert_eq!(
            neighbours.len() as u64,
            space.len(),
            "{target} {text} {generator}"
        );
        for (rank, next) in &neighbours {
            assert!(
                next.iter().all(|n| neighbours[n].contains(rank)),
                "{target} {text} {generator} {rank}"
            );
        }
    }
}

#[test]
fn neighbours_of_one() {
    let (_, space) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    let json = r#"{"workgroup":[1,0],"partial_reduction":[0,256],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;
    let neighbours = space.neighbours(&serde_json::from_str(json).unwrap());
    let mut summary: Vec<String> = neighbours.iter().map(summary).collect();
    summary.sort();
    assert_eq!(
        summary,
        [
            "tile 1/128 thread 0/2 lanes 1/64 subgroups 1/1",
            "tile 1/256 thread 0/2 lanes 1/64 subgroups 1/1",
            "tile 1/256 thread 0/4 lanes 1/64 subgroups 1/1 lazy index",
            "tile 1/256 thread 0/4 lanes 1/64 subgroups 1/1 split 2",
            "tile 1/512 thread 0/4 lanes 1/64 subgroups 1/1",
            "tile 1/512 thread 0/4 lanes 1/64 subgroups 1/2",
            "tile 1/512 thread 0/8 lanes 1/64 subgroups 1/1",
            "tile 2/128 thread 0/4 lanes 2/32 subgroups 1/1",
            "tile 2/128 thread 0/4 lanes 2/32 swapped subgroups 1/1",
            "tile 2/256 thread 0/4 lanes 1/64 subgroups 1/1",
            "tile 2/256 thread 0/4 lanes 1/64 subgroups 2/1",
            "tile 2/256 thread 2/4 lanes 1/64 subgroups 1/1",
        ]
    );
}

#[test]
fn swapping_the_order_of_digits_is_a_step() {
    let (_, space) = space("argmax:300x[32000]xf32", Generator::NATIVE);
    let json = |lanes: &str, subgroups: &str| -> Configuration {
        let text = format!(
            r#"{{"workgroup":[16,0],"partial_reduction":[0,32],"thread":[0,1],"lane_basis":[[8,8],{lanes}],"subgroup_basis":[[2,2],{subgroups}],"subgroup_size":64,"workgroup_size":[256,1,1]}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let neighbours = space.neighbours(&json("[0,1]", "[0,1]"));
    assert!(neighbours.contains(&json("[1,0]", "[0,1]")));
    assert!(neighbours.contains(&json("[0,1]", "[1,0]")));
    assert!(!neighbours.contains(&json("[1,0]", "[1,0]")));
    // A step of a count keeps the order.
    let kept = space.neighbours(&json("[1,0]", "[1,0]"));
    let orders = |c: &Configuration| {
        (
            c.lowering.lane_basis.mapping[0],
            c.lowering.subgroup_basis.mapping[0],
        )
    };
    let wide = |basis: &Basis| basis.counts.iter().all(|&n| n > 1);
    let changed = kept
        .iter()
        .filter(|c| wide(&c.lowering.lane_basis) && wide(&c.lowering.subgroup_basis));
    assert_eq!(changed.filter(|c| orders(c) != (1, 1)).count(), 2);
}

/// Checks the neighbours of one wave per row with another `workgroup`.
#[track_caller]
fn check_tiles(problem: &str, generator: Generator, workgroup: &str, neighbours: &[[u32; 2]]) {
    let (problem, space) = space(problem, generator);
    let text = format!(
        r#"{{"workgroup":{workgroup},"partial_reduction":[0,0,64],"thread":[0,0,1],"lane_basis":[[1,1,64],[0,1,2]],"subgroup_basis":[[1,1,1],[0,1,2]],"subgroup_size":64,"workgroup_size":[64,1,1]}}"#
    );
    let start: Configuration = serde_json::from_str(&text).unwrap();
    let others = space.neighbours(&start).into_iter();
    let others = others.filter(|c| {
        let mut same = c.clone();
        same.lowering.workgroup = start.lowering.workgroup.clone();
        same == start
    });
    let tiles = |c: Configuration| [c.lowering.workgroup[0], c.lowering.workgroup[1]];
    assert_eq!(
        others.map(tiles).collect::<Vec<_>>(),
        neighbours,
        "{problem}"
    );
}

#[test]
fn a_tile_lies_on_one_dimension_and_moves_to_another() {
    let native = |problem, workgroup, neighbours: &[[u32; 2]]| {
        check_tiles(problem, Generator::NATIVE, workgroup, neighbours);
    };
    native(
        "argmax:8x16x[640]xf32",
        "[4,1,0]",
        &[[1, 4], [3, 1], [5, 1]],
    );
    native(
        "argmax:8x16x[640]xf32",
        "[1,4,0]",
        &[[1, 3], [1, 5], [4, 1]],
    );
    native("argmax:8x16x[640]xf32", "[1,1,0]", &[[1, 2], [2, 1]]);
    native(
        "argmax:8x16x[640]xf32",
        "[2,1,0]",
        &[[1, 1], [1, 2], [3, 1]],
    );
    native("argmax:3x16x[640]xf32", "[1,8,0]", &[[1, 7]]);
    // It lies on one dimension alone, and not on one with an open count.
    native("argmax:8x16x[640]xf32", "[2,2,0]", &[]);
    native("argmax:?x16x[640]xf32", "[2,1,0]", &[]);
    native("argmax:?x16x[640]xf32", "[1,1,0]", &[[1, 2]]);
    let iree = |problem, workgroup, neighbours: &[[u32; 2]]| {
        check_tiles(problem, Generator::IREE, workgroup, neighbours);
    };
    iree(
        "argmax:8x16x[640]xf32",
        "[4,1,0]",
        &[[1, 4], [2, 1], [8, 1]],
    );
    iree("argmax:8x16x[640]xf32", "[1,16,0]", &[[1, 8]]);
    // From the smallest divisor of one dimension to that of the other.
    iree("argmax:9x10x[640]xf32", "[3,1,0]", &[[1, 1], [9, 1]]);
    iree("argmax:9x10x[640]xf32", "[1,1,0]", &[[1, 2], [3, 1]]);
}

/// Checks that the rank of a tile on the innermost dimension depends on no outer tile.
#[test]
fn outer_tiles_come_last() {
    for (text, generator) in [
        ("argmax:8x16x[640]xf32", Generator::NATIVE),
        ("argmax:6x[21]x40x35xf32", Generator::IREE),
    ] {
        let (problem, space) = space(text, generator);
        let innermost = problem.shape.parallel().last().unwrap();
        // Lanes and subgroups of native kernels may lie on the outer dimensions too.
        let is_outer = |c: &Configuration| {
            let spread =
                |d| c.lowering.lane_basis.count_along(d) * c.lowering.subgroup_basis.count_along(d);
            let mut outside = problem.shape.parallel().filter(|&d| d != innermost);
            outside.any(|d| c.lowering.workgroup[d] > 1) && spread(innermost) == 1
        };
        let first = space.iter().position(|c| is_outer(&c)).unwrap();
        assert!(first > 0, "{text}");
        assert!(
            space.iter_from(first as u64).all(|c| is_outer(&c)),
            "{text}"
        );
    }
}

/// Returns W, P, thread, lanes and subgroups, each `rows/columns`.
fn summary(c: &Configuration) -> String {
    let l = &c.lowering;
    let both = |basis: &Basis| {
        let fast = if basis.mapping[0] == 1 {
            " swapped"
        } else {
            ""
        };
        format!("{}/{}{fast}", basis.count_along(0), basis.count_along(1))
    };
    let mut knobs = String::new();
    if c.knobs.split > 1 {
        knobs += &format!(" split {}", c.knobs.split);
    }
    if c.knobs.lazy_index {
        knobs += " lazy index";
    }
    format!(
        "tile {}/{} thread {}/{} lanes {} subgroups {}{knobs}",
        l.workgroup[0],
        l.partial_reduction[1],
        l.thread[0],
        l.thread[1],
        both(&l.lane_basis),
        both(&l.subgroup_basis)
    )
}

#[test]
fn the_space_of_a_target_with_two_subgroup_sizes_has_both() {
    let (problem, both) = space_on(gfx1100(), "argmax:4x[32000]xf32", Generator::NATIVE);
    let large = both.iter().filter(|c| c.subgroup_size == 64);
    // The rules for 64 lanes are those of gfx942.
    let (_, gfx942) = space("argmax:4x[32000]xf32", Generator::NATIVE);
    assert!(large.eq(gfx942.iter()));
    let small = both.iter().filter(|c| c.subgroup_size == 32).count() as u64;
    assert_eq!(small + gfx942.len(), both.len());
    // Subgroups of 32 lanes come first, and one search step leads from one size to the other.
    let default = native_default(&problem, gfx1100()).unwrap();
    assert_eq!(default.subgroup_size, 32);
    let neighbours = both.neighbours(&default);
    assert!(neighbours.iter().any(|c| c.subgroup_size == 64));
}

#[test]
fn every_target_has_native_spaces() {
    for target in &configgen::TARGETS {
        for text in [
            "argmax:4x[32000]xf32",
            "argmin:[7]xi32",
            "argmax.ugt:4x[32000]xf32",
        ] {
            let (problem, space) = space_on(target, text, Generator::NATIVE);
            assert_eq!(space.rejection(), None, "{target}");
            let default = native_default(&problem, target).unwrap();
            assert!(space.rank_of(&default).is_some(), "{target} {text}");
        }
    }
}

#[test]
fn a_problem_that_is_not_taken_has_an_empty_space() {
    let empty = |problem: &str, target: &str, generator, rule: &str| {
        let space = Space::new(
            &problem.parse().unwrap(),
            Target::named(target).unwrap(),
            generator,
        );
        assert_eq!(space.rejection().map(|r| r.rule), Some(rule));
        assert_eq!((space.len(), space.is_empty()), (0, true));
        assert_eq!(space.iter().next(), None);
        assert_eq!(space.nth(0), None);
        assert!(space.sample(3, 0).is_empty());
    };
    empty("argmax:[4]x[32]xf32", "gfx942", Generator::IREE, "0");
    empty("argmax:4x[32]xf32", "gfx1030", Generator::IREE, "0");
}
