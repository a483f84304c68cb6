//! Tests of spaces against brute force: a product of attribute values, filtered by the legality
//! check.

use std::collections::HashSet;

use configgen::{
    Accumulators, Basis, Configuration, Generator, Knobs, LoweringConfig, Problem, Target, Tiles,
    check,
};

use crate::searched::{
    has_shorter_steps, is_ordered, is_searched, is_searched_of_iree, is_short, spread_rows, unit,
};
use crate::{gfx942, gfx1100, space_on};

const POWERS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Returns the tried counts (or thread tiles) along each dimension.
///
/// A native kernel exceeds its parallel dimension only by rounding up to a power of two, or by
/// lanes that can lie nowhere else. IREE's lie on the innermost parallel dimension alone.
fn counts(problem: &Problem, generator: Generator, d: usize, most: u32) -> Vec<u32> {
    let shape = &problem.shape;
    let is_native = generator == Generator::NATIVE;
    let most = match (shape.is_reduced(d), is_native) {
        (true, _) => most,
        (false, true) if problem.reduction.is_serial() => most,
        // In a map, lanes can lie nowhere else.
        (false, true) if !shape.reduces() => most,
        (false, true) => most.min(shape.sizes()[d].next_power_of_two()),
        (false, false) if Some(d) == spread_rows(problem).next() => most,
        (false, false) => 1,
    };
    POWERS.into_iter().filter(|&power| power <= most).collect()
}

/// Returns every list with one entry per dimension.
fn product(entries: impl Iterator<Item = Vec<u32>>) -> Vec<Tiles> {
    entries.fold(vec![Tiles::new()], |lists, entries| {
        let longer = |list: Tiles| {
            let with = move |&entry: &u32| list.iter().copied().chain([entry]).collect();
            entries.iter().map(with).collect::<Vec<Tiles>>()
        };
        lists.into_iter().flat_map(longer).collect()
    })
}

/// Returns every basis of a product of counts with at most `most` positions, in each order of a
/// space.
fn bases(problem: &Problem, generator: Generator, most: u32) -> Vec<Basis> {
    let rank = problem.shape.rank();
    let digits = (0u32..).take(rank).collect::<Vec<u32>>();
    let mut mappings = product(std::iter::repeat_n(digits, rank));
    mappings.retain(|mapping| (0u32..).take(rank).all(|digit| mapping.contains(&digit)));
    let mut lists = product((0..rank).map(|d| counts(problem, generator, d, most)));
    lists.retain(|list| list.iter().product::<u32>() <= most);
    let basis = |list: &Tiles, mapping: &Tiles| {
        let mut counts = list.clone();
        for (&digit, &count) in mapping.iter().zip(list) {
            counts[digit as usize] = count;
        }
        Basis {
            counts,
            mapping: mapping.iter().map(|&digit| digit as u8).collect(),
        }
    };
    lists
        .iter()
        .flat_map(|list| mappings.iter().map(|mapping| basis(list, mapping)))
        .filter(|basis| is_ordered(problem, basis))
        .collect()
}

/// Returns every canonical configuration of a product of attribute values that `check` accepts.
///
/// `tiles` are the values of W and P in multiples of their units.
fn brute_force(
    target: &Target,
    subgroup_size: u32,
    problem: &Problem,
    generator: Generator,
    tiles: &[u32],
) -> HashSet<Configuration> {
    let shape = &problem.shape;
    let most = target.max_workgroup_threads / subgroup_size;
    let lanes = bases(problem, generator, subgroup_size);
    let subgroups = bases(problem, generator, most);
    let most_thread = |d: usize| match (shape.is_reduced(d), generator == Generator::NATIVE) {
        (false, true) if !shape.reduces() => 16,
        (false, _) => 8,
        (true, true) => 16,
        (true, false) => 128,
    };
    // IREE accepts thread tiles that are no powers of two, but no space has them.
    let threads = product((0..shape.rank()).map(|d| {
        let counts = counts(problem, generator, d, most_thread(d));
        [0].into_iter().chain(counts).collect()
    }));
    let multiples = product((0..shape.rank()).map(|_| tiles.to_vec()));
    let mut found = HashSet::new();
    for (lane_basis, subgroup_basis) in lanes
        .iter()
        .flat_map(|l| subgroups.iter().map(move |s| (l, s)))
    {
        for thread in &threads {
            let zeros: Tiles = thread.iter().map(|_| 0).collect();
            let mut configuration = Configuration {
                lowering: LoweringConfig {
                    workgroup: zeros.clone(),
                    partial_reduction: zeros,
                    thread: thread.clone(),
                    lane_basis: lane_basis.clone(),
                    subgroup_basis: subgroup_basis.clone(),
                },
                subgroup_size,
                workgroup_size: [
                    subgroup_size * u32::try_from(subgroup_basis.ids()).unwrap(),
                    1,
                    1,
                ],
                knobs: Knobs::DEFAULT,
            };
            if configuration.canonical(problem) != configuration {
                continue;
            }
            for counts in &multiples {
                for (d, &count) in counts.iter().enumerate() {
                    let tile = count * unit(&configuration, d);
                    match shape.is_reduced(d) {
                        true => configuration.lowering.partial_reduction[d] = tile,
                        false => configuration.lowering.workgroup[d] = tile,
                    }
                }
                let is_searched = || match generator == Generator::NATIVE {
                    true => is_searched(problem, &configuration),
                    false => is_searched_of_iree(problem, &configuration),
                };
                // A knob makes nothing legal, except that several workgroups add fewer elements
                // each.
                let may_be_legal = || {
                    let checked = check(problem, target, generator, &configuration);
                    checked.err().is_none_or(|it| it.rule == "N18")
                };
                // The cheaper test comes first.
                let is_tried = match shape.reduces() {
                    true => is_searched() && may_be_legal(),
                    false => may_be_legal() && is_searched(),
                };
                if is_tried {
                    found.extend(with_knobs(problem, target, generator, &configuration));
                }
            }
        }
    }
    found
}

/// Returns the configuration, if its tiles are searched, with all legal knobs of a space.
fn with_knobs(
    problem: &Problem,
    target: &Target,
    generator: Generator,
    configuration: &Configuration,
) -> Vec<Configuration> {
    let shape = &problem.shape;
    let steps = shape.reduced().last().map_or(1, |columns| {
        shape.sizes()[columns].div_ceil(configuration.lowering.partial_reduction[columns])
    });
    let mut found = Vec::new();
    let most = (shape.reduced_size() as u32 / 256).max(configuration.subgroup_size);
    let is_long = |piece: u64| {
        generator == Generator::NATIVE || piece >= 4 * u64::from(configuration.subgroup_size)
    };
    let is_few = |split: &u32| {
        *split == 1
            || shape.rows() * u64::from(*split) <= 1 << 14
                && is_long(shape.reduced_size() / u64::from(*split))
    };
    for split in (1..=most).filter(is_few) {
        let others = [false, true].into_iter().flat_map(|lazy_index| {
            [Accumulators::Vector, Accumulators::One].map(|one| (lazy_index, one))
        });
        for (lazy_index, accumulators) in others {
            if lazy_index && steps <= 1 {
                continue;
            }
            let knobs = Knobs {
                split,
                lazy_index,
                accumulators,
            };
            let with_knobs = Configuration {
                knobs,
                ..configuration.clone()
            };
            let pays = accumulators == Accumulators::Vector || is_short(problem, &with_knobs);
            let is_held = || {
                check(problem, target, generator, &with_knobs).is_ok()
                    && has_shorter_steps(problem, target, generator, &with_knobs)
            };
            if pays && is_held() {
                found.push(with_knobs);
            }
        }
    }
    found
}

/// Checks that the space is the result of brute force, for tiles of these multiples of their
/// units.
#[track_caller]
fn check_brute_force(
    target: &Target,
    problem: &str,
    generator: Generator,
    tiles: &[u32],
    at_least: usize,
) {
    let (problem, space) = space_on(target, problem, generator);
    let mut expected: HashSet<Configuration> = target
        .subgroup_sizes
        .iter()
        .flat_map(|&size| brute_force(target, size, &problem, generator, tiles))
        .collect();
    let is_listed = |tile: u32, d: usize, c: &Configuration| tiles.contains(&(tile / unit(c, d)));
    let mut common = 0;
    for c in &space {
        let listed = (0..problem.shape.rank()).all(|d| {
            is_listed(
                c.lowering.workgroup[d].max(c.lowering.partial_reduction[d]),
                d,
                &c,
            )
        });
        if listed {
            assert!(expected.remove(&c), "the space alone has {c:?}");
            common += 1;
        }
    }
    assert_eq!(
        expected.iter().next(),
        None,
        "brute force alone has {} of {common}",
        expected.len()
    );
    assert!(common >= at_least, "{common}");
}

/// Multiples around every bound of the rules: small ones, powers of two, and neighbours of 8 and
/// 64.
const TILES: [u32; 12] = [1, 2, 3, 4, 8, 9, 16, 21, 32, 33, 64, 65];
/// Enough for problems with sizes that limit the tiles.
const FEW: [u32; 4] = [1, 2, 3, 8];

#[test]
fn native_space_is_what_brute_force_finds() {
    let check = |problem, tiles, at_least| {
        check_brute_force(gfx942(), problem, Generator::NATIVE, tiles, at_least);
    };
    check("argmin:300x[3000]xf16", &TILES, 10_000);
    check("argmax:3x[1000]xf32", &FEW, 1000);
    check("argmax:70x[5]xbf16", &FEW, 1000);
    check("dot:3x[1000]xf32,f32(1)", &FEW, 1000);
    check("sum:3x[5000]xf32", &FEW, 1000);
    check("sum:[90]x[7]xbf16", &FEW, 30);
    check("softmax:3x[1000]xf32", &FEW, 500);
    check("layer_norm:3x[1000]xbf16", &FEW, 300);
    check(
        "sum(3=arith.mulf(0,1);arith.addf(2,3)):70x[500]xf32,f32,f32",
        &FEW,
        1000,
    );
    check("argmax:?x[5]xbf16:i32:count=1..70", &FEW, 300);
    check("argmin:1x[1]xi32", &FEW, 1);
    check("argmax:[1]xf32", &TILES, 1);
    check("argmax:[700]xf32", &TILES, 10);
    check("argmax:[70000]xf16", &TILES, 100);
}

/// Checks tiles of either parallel dimension, if no thread is spread over rows.
///
/// A dimension with an open count has none.
#[test]
fn native_space_of_two_parallel_dimensions_is_what_brute_force_finds() {
    let check = |target, problem, at_least| {
        check_brute_force(target, problem, Generator::NATIVE, &[1, 2, 3], at_least);
    };
    check(gfx942(), "argmax:3x2x[17]xf32", 30);
    check(gfx1100(), "argmin:2x[9]x2xf64", 30);
    check(gfx942(), "argmax:?x2x[17]xf32:i32:count=1..3", 30);
}

#[test]
#[ignore = "full: longer rows"]
fn native_space_of_longer_rows_is_what_brute_force_finds() {
    let check = |target, problem, at_least| {
        check_brute_force(target, problem, Generator::NATIVE, &[1, 2, 3], at_least);
    };
    check(gfx942(), "argmax:3x2x[70]xf32", 100);
    check(gfx1100(), "argmin:2x[20]x2xf64", 100);
    check(gfx942(), "argmax:[33]x2x3xf16", 100);
    check(gfx942(), "argmax:?x2x[70]xf32:i32:count=1..3", 100);
}

/// Checks maps: lanes lie on all dimensions, and on both of two that lie across.
#[test]
fn native_space_of_maps_is_what_brute_force_finds() {
    let check = |target, problem, tiles: &[u32], at_least| {
        check_brute_force(target, problem, Generator::NATIVE, tiles, at_least);
    };
    check(gfx942(), "copy:7000xf32", &TILES, 90);
    check(gfx942(), "copy:10xbf16", &FEW, 1);
    check(gfx1100(), "copy:20x3xf16", &FEW, 10);
    check(gfx942(), "copy:?x70xf16:count=1..9", &FEW, 10);
    check(
        gfx942(),
        "map(arith.mulf(0,1)):3x1x500xf32,f32(2)",
        &FEW,
        30,
    );
    check(gfx942(), "copy:70x40xf16(1,0)", &FEW, 100);
    // An input that is contiguous along an open dimension.
    check(
        gfx942(),
        "map(arith.addf(0,1)):?x40xf32,f32(0):count=1..9",
        &FEW,
        10,
    );
    check(
        gfx1100(),
        "map(arith.addf(0,1)):30x9xf32,f32(1,0)",
        &FEW,
        100,
    );
}

#[test]
fn native_space_of_unordered_comparators_is_what_brute_force_finds() {
    let check = |target, problem, tiles, at_least| {
        check_brute_force(target, problem, Generator::NATIVE, tiles, at_least);
    };
    let all: Vec<u32> = (1..=64).collect();
    let few = [1, 2, 3, 4, 5, 8, 21];
    check(gfx942(), "argmin.ult:7x[12]xf32", &few, 9);
    check(gfx942(), "argmax.ugt:1x[13]xf32", &few, 1);
    check(gfx942(), "argmax.uge:[4800]xf32", &all, 30);
    check(gfx942(), "argmax.uge:[1]xf32", &all, 1);
    check(gfx1100(), "argmax.ugt:30x[48]xbf16", &few, 30);
    check(gfx1100(), "argmax.ugt:[47]xbf16", &all, 10);
}

#[test]
#[ignore = "full: long rows and many of them"]
fn native_space_of_more_unordered_comparators_is_what_brute_force_finds() {
    let check = |target, problem, at_least| {
        let few = [1, 2, 3, 4, 5, 8, 21];
        check_brute_force(target, problem, Generator::NATIVE, &few, at_least);
    };
    check(gfx942(), "argmax.ugt:300x[240]xf16", 100);
    check(gfx942(), "argmin.ult:[24]x5000xf64", 100);
}

#[test]
fn native_space_with_two_subgroup_sizes_is_what_brute_force_finds() {
    let check = |problem, tiles, at_least| {
        check_brute_force(gfx1100(), problem, Generator::NATIVE, tiles, at_least);
    };
    check("argmin:300x[3000]xf16", &FEW, 1000);
    check("argmax:70x[5]xbf16", &TILES, 1000);
    check("argmax:[700]xf32", &TILES, 10);
}

const TWO_KEYS: &str = "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);\
    5=arith.cmpf(oeq,2,3);6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}:32x[8]xf32";

#[test]
fn iree_space_of_plain_reductions_is_what_brute_force_finds() {
    let check = |target, problem, tiles: &[u32], at_least| {
        check_brute_force(target, problem, Generator::IREE, tiles, at_least);
    };
    check(gfx942(), "sum:6x[40]x4xf16:f64", &FEW, 100);
    check(gfx942(), "product:[1000]xi64", &TILES, 100);
    check(gfx942(), "softmax:6x[90]xf32", &FEW, 300);
    check(gfx942(), "dot:6x[90]xi8,i8(1)", &FEW, 300);
    check(gfx1100(), "or:?x[70]xi32:count=1..6", &FEW, 100);
    check(gfx1100(), "sum:[33]x8xbf16", &FEW, 1000);
}

#[test]
#[ignore = "full: types and dimensions like those of the others"]
fn iree_space_of_more_plain_reductions_is_what_brute_force_finds() {
    let check = |target, problem, tiles: &[u32], at_least| {
        check_brute_force(target, problem, Generator::IREE, tiles, at_least);
    };
    check(gfx942(), "sum:6x[90]xf32", &[1, 2, 3, 8, 9, 15], 1000);
    check(gfx942(), "umax:[96]x24xi8", &FEW, 1000);
    check(gfx942(), "sum:8x[70]xi64", &FEW, 1000);
    check(gfx942(), "rms_norm:6x[90]xbf16", &FEW, 300);
    check(gfx1100(), "minnum:[70]x8xf64", &FEW, 1000);
}

#[test]
fn iree_space_with_subgroups_of_32_is_what_brute_force_finds() {
    let check = |problem, tiles: &[u32], at_least| {
        check_brute_force(gfx1100(), problem, Generator::IREE, tiles, at_least);
    };
    check("argmax:6x[64]xf32:i32:explicit_index", &FEW, 100);
    check("argmax:[96]x24xi8", &FEW, 100);
    check("argmax:[2048]xf32:i64", &TILES, 30);
}

#[test]
fn iree_space_of_two_parallel_dimensions_is_what_brute_force_finds() {
    let check = |target, problem, at_least| {
        check_brute_force(target, problem, Generator::IREE, &[1, 2, 3, 6], at_least);
    };
    check(gfx942(), "argmax:6x4x[64]xf32", 100);
    check(gfx1100(), "argmax_nan:6x[32]x2xf32", 100);
    check(gfx1100(), "argmin:[48]x9x6xi8", 100);
    check(gfx942(), "argmax:?x4x[64]xf32:i32:count=1..6", 50);
}

#[test]
fn iree_space_is_what_brute_force_finds() {
    let tiles: Vec<u32> = (1..=130).collect();
    let check = |problem, tiles: &[u32], at_least| {
        check_brute_force(gfx942(), problem, Generator::IREE, tiles, at_least);
    };
    // Lanes along both.
    check("argmax_nan:24x[40]xf32", &FEW, 100);
    check("argmax_nan:[40]x24xf64:i64:index_base", &FEW, 100);
    check(TWO_KEYS, &FEW, 20);
    check("argmax:6x[64]xf32", &FEW, 100);
    check("argmax:?x[64]xf32:i32:count=1..6", &FEW, 15);
    check("argmax_nan:?x[40]xf16:i64:count=1..6", &FEW, 15);
    check("argmax:[96]x24xi8", &FEW, 100);
    check("argmax:32x[20]xf64:i64", &FEW, 100);
    check("argmax:7x[13]xf16", &[1, 7, 13], 2);
    check("argmax:[4096]xf32:i64", &tiles, 100);
    check("argmax:[1]xf32", &tiles, 1);
    // Pieces of rows, with steps that rows need not have, up to the shortest and the most that
    // are searched.
    check("argmax:4x[6144]xf32", &FEW, 1000);
    check("argmin:3000x[1280]xf16:i64:index_base", &FEW, 100);
    check("argmax:?x[6144]xf32:i32:count=1..6", &FEW, 15);
    // The last step of a sum is masked, and an order of too many additions is illegal.
    check("sum:6x[700]xf32", &FEW, 1000);
    check("sum:[3000]x4xf16:f32", &TILES, 3000);
    check("rms_norm:6x[700]xf32", &FEW, 1000);
}
