//! Spaces against brute force: a product of attribute values, filtered by the legality check.

use std::collections::HashSet;

use configgen::{
    Accumulators, Basis, Configuration, Generator, Knobs, LoweringConfig, Problem, Target, Tiles,
    check,
};

use crate::{gfx942, gfx1100, space_on};

const POWERS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// One parallel and one reduced entry, in the order of the problem's dimensions.
fn along(problem: &Problem, parallel: u32, reduced: u32) -> Tiles {
    let shape = &problem.shape;
    (0..shape.rank())
        .map(|d| {
            if shape.is_reduced(d) {
                reduced
            } else {
                parallel
            }
        })
        .collect()
}

fn bases(problem: &Problem, most: u32) -> Vec<Basis> {
    let rank = problem.shape.rank();
    let mut bases = Vec::new();
    for (p, r) in POWERS.into_iter().flat_map(|p| POWERS.map(|r| (p, r))) {
        if p * r > most || (rank == 1 && p > 1) {
            continue;
        }
        let counts = along(problem, p, r);
        bases.push(Basis {
            mapping: (0u8..).take(rank).collect(),
            counts: counts.clone(),
        });
        if rank == 2 {
            bases.push(Basis {
                mapping: [1, 0].into_iter().collect(),
                counts: counts.into_iter().rev().collect(),
            });
        }
    }
    bases
}

/// Every configuration of a product of attribute values that `check` accepts and that is canonical. `tiles` are the
/// values of W and P in multiples of their units.
fn brute_force(
    target: &Target,
    subgroup_size: u32,
    problem: &Problem,
    generator: Generator,
    tiles: &[u32],
) -> HashSet<Configuration> {
    let most = target.max_workgroup_threads / subgroup_size;
    let (lanes, subgroups) = (bases(problem, subgroup_size), bases(problem, most));
    let reduced = problem.shape.reduced().next().unwrap();
    let parallel = problem.shape.parallel().next();
    let mut found = HashSet::new();
    let most_thread = match generator == Generator::NATIVE {
        true => 16,
        false => 64,
    };
    for (lane_basis, subgroup_basis) in lanes
        .iter()
        .flat_map(|l| subgroups.iter().map(move |s| (l, s)))
    {
        for (t_p, t_r) in (0..=8).flat_map(|p| (0..=most_thread).map(move |r| (p, r))) {
            // Thread tiles that are no powers of two are legal for IREE, but in no space.
            let is_tile = |t: u32| t == 0 || t.is_power_of_two();
            if !is_tile(t_p) || !is_tile(t_r) {
                continue;
            }
            let mut configuration = Configuration {
                lowering: LoweringConfig {
                    workgroup: along(problem, 0, 0),
                    partial_reduction: along(problem, 0, 0),
                    thread: along(problem, t_p, t_r),
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
            for (w, p) in tiles
                .iter()
                .flat_map(|&w| tiles.iter().map(move |&p| (w, p)))
            {
                if let Some(d) = parallel {
                    configuration.lowering.workgroup[d] = w * unit(&configuration, d);
                } else if w > tiles[0] {
                    break;
                }
                configuration.lowering.partial_reduction[reduced] =
                    p * unit(&configuration, reduced);
                // A knob makes nothing legal.
                if check(problem, target, generator, &configuration).is_ok() {
                    found.extend(with_knobs(problem, target, generator, &configuration));
                }
            }
        }
    }
    found
}

/// The configuration with all legal knobs that a space may hold.
fn with_knobs(
    problem: &Problem,
    target: &Target,
    generator: Generator,
    configuration: &Configuration,
) -> Vec<Configuration> {
    let shape = &problem.shape;
    let columns = shape.reduced().last().unwrap();
    let steps = shape.sizes()[columns].div_ceil(configuration.lowering.partial_reduction[columns]);
    let mut found = Vec::new();
    for split in 1..=configuration.subgroup_size {
        let others = [false, true].into_iter().flat_map(|lazy_index| {
            [Accumulators::Vector, Accumulators::One].map(|one| (lazy_index, one))
        });
        for (lazy_index, accumulators) in others {
            let knobs = Knobs {
                split,
                lazy_index,
                accumulators,
            };
            let with_knobs = Configuration {
                knobs,
                ..configuration.clone()
            };
            let is_few = split == 1 || shape.rows() * u64::from(split) <= 1 << 14;
            let is_native = generator == Generator::NATIVE;
            let pays = is_few
                && (steps > 1 || !lazy_index)
                && (accumulators == Accumulators::Vector || is_short(problem, &with_knobs))
                && (!is_native || is_searched(problem, configuration));
            if pays && check(problem, target, generator, &with_knobs).is_ok() {
                found.push(with_knobs);
            }
        }
    }
    found
}

/// Whether thread tiles are for one accumulator too: the threads of a row could take it in one step.
pub(crate) fn is_short(problem: &Problem, c: &Configuration) -> bool {
    let shape = &problem.shape;
    let along = |count: &dyn Fn(usize) -> u32| -> u64 {
        shape.reduced().map(|d| u64::from(count(d))).product()
    };
    let threads =
        along(&|d| c.lowering.lane_basis.count_along(d) * c.lowering.subgroup_basis.count_along(d));
    let most = if problem.element.bits() == 64 { 32 } else { 64 };
    let at_once = threads * most * u64::from(c.knobs.split);
    along(&|d| c.lowering.thread[d]) > 1 && at_once >= shape.reduced_size()
}

/// What W and P are multiples of.
fn unit(c: &Configuration, d: usize) -> u32 {
    let lowering = &c.lowering;
    lowering.lane_basis.count_along(d)
        * lowering.subgroup_basis.count_along(d)
        * lowering.thread[d].max(1)
}

/// Whether a native kernel repeats no rows but those beyond a power of two, and those of lanes that can lie nowhere
/// else, and its tiles are among those that are searched.
pub(crate) fn is_searched(problem: &Problem, c: &Configuration) -> bool {
    let shape = &problem.shape;
    let fits_rows = |d: usize| {
        let must_lie = problem.reduction.is_serial() && unit(c, d) == c.subgroup_size;
        must_lie || unit(c, d) <= shape.sizes()[d].next_power_of_two()
    };
    let is_coarse = |d: usize| {
        let tile = c.lowering.workgroup[d].max(c.lowering.partial_reduction[d]);
        let count = tile / unit(c, d);
        u32::BITS - count.leading_zeros() - count.trailing_zeros() <= 3
    };
    let is_filled = |reduced| is_filled(problem, c, reduced);
    shape.parallel().all(fits_rows)
        && (0..shape.rank()).all(is_coarse)
        && is_filled(false)
        && is_filled(true)
}

/// Whether the reduced (or parallel) dimensions are taken from the inside: one has a part of anything only where those
/// inside of it are full of what comes before.
fn is_filled(problem: &Problem, c: &Configuration, reduced: bool) -> bool {
    let (shape, lowering) = (&problem.shape, &c.lowering);
    let wide: Vec<usize> = (0..shape.rank())
        .rev()
        .filter(|&d| shape.is_reduced(d) == reduced && shape.sizes()[d] > 1)
        .collect();
    let narrow =
        (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced && !wide.contains(&d));
    // The innermost of those that a row of one lane has, or one of size 1 where there is no other.
    let spread = match (wide.is_empty(), reduced && problem.reduction.is_serial()) {
        (true, _) => narrow.clone().next_back().into_iter().collect(),
        (false, true) => vec![wide[0]],
        (false, false) => wide,
    };
    let tile = |d: usize| lowering.workgroup[d].max(lowering.partial_reduction[d]);
    let alone =
        (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced && !spread.contains(&d));
    let mut is_filled = alone.into_iter().all(|d| tile(d) == 1 && unit(c, d) == 1);
    for (place, &d) in spread.iter().enumerate() {
        let (thread, lanes) = (
            lowering.thread[d].max(1),
            lowering.lane_basis.count_along(d),
        );
        let room = shape.sizes()[d].next_power_of_two();
        let outside = &spread[place + 1..];
        let any = |part: &dyn Fn(usize) -> bool| outside.iter().any(|&d| part(d));
        is_filled &= !any(&|d| lowering.thread[d] > 1)
            && (!any(&|d| lowering.lane_basis.count_along(d) > 1) || thread * lanes == room)
            && (!any(&|d| lowering.subgroup_basis.count_along(d) > 1) || unit(c, d) == room)
            && (!any(&|d| tile(d) > 1) || tile(d) == room && unit(c, d) == room)
            && (outside.is_empty() || unit(c, d) <= room);
    }
    is_filled
}

/// The space is what brute force finds, for tiles of these multiples of their units.
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

/// Multiples around every bound of the rules: small ones, powers of two, and the neighbours of 8 and 64.
const TILES: [u32; 12] = [1, 2, 3, 4, 8, 9, 16, 21, 32, 33, 64, 65];
/// Enough for problems whose sizes bound the tiles.
const FEW: [u32; 4] = [1, 2, 3, 8];

#[test]
fn native_space_is_what_brute_force_finds() {
    let check = |problem, tiles, at_least| {
        check_brute_force(gfx942(), problem, Generator::NATIVE, tiles, at_least);
    };
    check("argmin:300x[3000]xf16", &TILES, 10_000);
    check("argmax:3x[1000]xf32", &FEW, 1000);
    check("argmax:70x[5]xbf16", &FEW, 1000);
    check("argmin:1x[1]xi32", &FEW, 1);
    check("argmax:[1]xf32", &TILES, 1);
    check("argmax:[700]xf32", &TILES, 10);
    check("argmax:[70000]xf16", &TILES, 100);
}

#[test]
fn native_space_of_what_is_no_order_is_what_brute_force_finds() {
    let check = |target, problem, tiles, at_least| {
        check_brute_force(target, problem, Generator::NATIVE, tiles, at_least);
    };
    let all: Vec<u32> = (1..=64).collect();
    let few = [1, 2, 3, 4, 5, 8, 21];
    check(gfx942(), "argmax.ugt:300x[240]xf16", &few, 100);
    check(gfx942(), "argmin.ult:7x[12]xf32", &few, 9);
    check(gfx942(), "argmin.ult:[24]x5000xf64", &few, 100);
    check(gfx942(), "argmax.ugt:1x[13]xf32", &few, 1);
    check(gfx942(), "argmax.uge:[4800]xf32", &all, 30);
    check(gfx942(), "argmax.uge:[1]xf32", &all, 1);
    check(gfx1100(), "argmax.ugt:30x[48]xbf16", &few, 30);
    check(gfx1100(), "argmax.ugt:[47]xbf16", &all, 10);
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
fn iree_space_with_subgroups_of_32_is_what_brute_force_finds() {
    let check = |problem, tiles: &[u32], at_least| {
        check_brute_force(gfx1100(), problem, Generator::IREE, tiles, at_least);
    };
    check("argmax:6x[64]xf32:i32:explicit_index", &FEW, 100);
    check("argmax:[96]x24xi8", &FEW, 100);
    check("argmax:[2048]xf32:i64", &TILES, 30);
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
    check("argmax:[96]x24xi8", &FEW, 100);
    check("argmax:32x[20]xf64:i64", &FEW, 100);
    check("argmax:7x[13]xf16", &[1, 7, 13], 2);
    check("argmax:[4096]xf32:i64", &tiles, 100);
    check("argmax:[1]xf32", &tiles, 1);
}
