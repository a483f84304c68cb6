//! Tests of mutated configurations against an independent statement of the rules.

mod iree;

use configgen::{
    Accumulators, Configuration, ElementType, Generator, Knobs, Layout, Problem, Space, Target,
    check, default_configuration,
};
use proptest::prelude::*;

use crate::searched::{has_shorter_steps, is_searched, is_short};
use crate::{gfx942, gfx1100};
use iree::is_iree;

/// Returns values at bounds of the rules, or far beyond all of them.
fn values() -> impl Strategy<Value = u32> {
    prop_oneof![
        0u32..=20,
        (0u32..32).prop_map(|k| 1 << k),
        (0u32..32).prop_map(|k| (1u32 << k).wrapping_sub(1)),
        (1u32..12, 0u32..12).prop_map(|(n, k)| n << k),
        any::<u32>(),
        Just(u32::MAX),
    ]
}

/// A change of a configuration: the attribute, the entry, the operation, a value.
type Mutation = (usize, usize, usize, u32);

fn mutate(configuration: &mut Configuration, &(attribute, entry, operation, value): &Mutation) {
    let lowering = &mut configuration.lowering;
    let tiles = match attribute {
        0 => &mut lowering.workgroup,
        1 => &mut lowering.partial_reduction,
        2 => &mut lowering.thread,
        3 => &mut lowering.lane_basis.counts,
        4 => &mut lowering.subgroup_basis.counts,
        5 | 6 => {
            let basis = match attribute {
                5 => &mut lowering.lane_basis,
                _ => &mut lowering.subgroup_basis,
            };
            match basis.mapping.get_mut(entry) {
                Some(digit) => *digit = value as u8,
                None => basis.mapping.clear(),
            }
            return;
        }
        7 => {
            configuration.subgroup_size = value;
            return;
        }
        8 => {
            configuration.workgroup_size[entry % 3] = value;
            return;
        }
        9 => {
            configuration.knobs.lazy_index ^= operation < 3;
            configuration.knobs.split = value;
            if entry == 1 {
                configuration.knobs.accumulators = Accumulators::One;
            }
            return;
        }
        // The threads of the subgroups, so that a changed count may be legal.
        _ => {
            let threads = lowering
                .subgroup_basis
                .ids()
                .saturating_mul(configuration.subgroup_size.into());
            configuration.workgroup_size[0] = u32::try_from(threads).unwrap_or(u32::MAX);
            return;
        }
    };
    match (operation, entry < tiles.len()) {
        (0, true) => tiles[entry] = value,
        (1, true) => tiles[entry] = tiles[entry].wrapping_mul(2),
        (2, true) => tiles[entry] /= 2,
        (3, true) => tiles[entry] = tiles[entry].wrapping_mul(value),
        (4, true) => tiles.swap(0, entry),
        (5, _) => tiles.truncate(entry),
        _ => drop(tiles.try_push(value)),
    }
}

/// A target, a problem, a generator, the seed of a configuration, and mutations.
type Case = (
    (&'static Target, &'static str, Generator),
    u64,
    Vec<Mutation>,
);

const TWO_KEYS_I8: &str = "arg_compare{2=math.absi(0);3=math.absi(1);4=arith.cmpi(ugt,2,3);5=arith.cmpi(eq,2,3);\
    6=arith.cmpi(sgt,0,1);7=arith.andi(5,6);arith.ori(4,7)}:16x[96]xi8";
fn cases() -> impl Strategy<Value = Case> {
    let problems = prop::sample::select(vec![
        (gfx942(), "argmax:4x[32000]xf32", Generator::NATIVE),
        (gfx942(), "argmax:300x[1003]xf16", Generator::NATIVE),
        (gfx942(), "argmin:5x[3]xi32", Generator::NATIVE),
        (gfx942(), "argmax:[151936]xbf16", Generator::NATIVE),
        (gfx1100(), "argmax:300x[1003]xf16", Generator::NATIVE),
        (gfx1100(), "argmin:5x[3]xi32", Generator::NATIVE),
        (gfx942(), "argmax.ugt:300x[1003]xf16", Generator::NATIVE),
        (gfx942(), "argmin.ult:[13]x5xf32", Generator::NATIVE),
        (gfx942(), "argmin.ule:[37]xf32", Generator::NATIVE),
        (gfx1100(), "argmax.uge:[960]xbf16", Generator::NATIVE),
        (gfx942(), "argmax:300x[40]x3xf32", Generator::NATIVE),
        (gfx942(), "argmin:20x2x[30]x1x5xbf16", Generator::NATIVE),
        (gfx942(), "argmax:[9]x6x[100]xf32:i64", Generator::NATIVE),
        (gfx1100(), "argmax:7x[3]x[5]xf64", Generator::NATIVE),
        (gfx942(), "argmax.ugt:70x[6]x6xf16", Generator::NATIVE),
        (gfx942(), "argmax:?x[1003]xf16", Generator::NATIVE),
        (gfx942(), "sum:300x[1003]xf16", Generator::NATIVE),
        (gfx942(), "sum:[90000]x3xf32", Generator::NATIVE),
        (gfx1100(), "sum:7x[300]x[71]xf32:f64", Generator::NATIVE),
        (gfx942(), "product:300x[1003]xf32", Generator::NATIVE),
        (
            gfx1100(),
            "argmin:?x[40]x3xf32:i32:count=2..9",
            Generator::NATIVE,
        ),
        (gfx942(), "copy:300x60xf16(1,0)", Generator::NATIVE),
        (gfx1100(), "map(math.absf(0)):?x7x30xf64", Generator::NATIVE),
        (gfx942(), "argmax:4x[32000]xf32", Generator::IREE),
        (gfx942(), "argmax:[4096]x256xf16:i64", Generator::IREE),
        (gfx942(), "argmax:12x[60]x18xi8", Generator::IREE),
        (gfx942(), "argmax:[49152]xf64", Generator::IREE),
        (gfx1100(), "argmax:4x[32000]xf32", Generator::IREE),
        (gfx1100(), "argmin:12x[64]x18xi8", Generator::IREE),
        (
            gfx1100(),
            "argmax:[49152]xf64:i64:index_base",
            Generator::IREE,
        ),
        (gfx1100(), "argmax_nan:[64]x256xf16", Generator::IREE),
        (
            gfx942(),
            "argmax_nan:24x[512]xf32:i32:explicit_index",
            Generator::IREE,
        ),
        (gfx942(), TWO_KEYS_I8, Generator::IREE),
        (gfx942(), "sum:12x[1000]xf32", Generator::IREE),
        (gfx942(), "product:24x[60]x18xf16:f64", Generator::IREE),
        (gfx1100(), "sum:?x[4096]xi8:i32:count=2..9", Generator::IREE),
        (gfx1100(), "umax:[40]x96xi8", Generator::IREE),
    ]);
    let mutation = (0usize..11, 0usize..4, 0usize..7, values());
    (
        problems,
        any::<u64>(),
        prop::collection::vec(mutation, 1..5),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accepted_configurations_satisfy_the_rules(((target, problem, generator), seed, mutations) in cases()) {
        thread_local! {
            static SPACES: std::cell::RefCell<std::collections::HashMap<(&'static str, &'static str, Generator), Space>> =
                Default::default();
        }
        let parsed: Problem = problem.parse().unwrap();
        let mut configuration = SPACES.with_borrow_mut(|spaces| {
            let space = spaces
                .entry((target.name, problem, generator))
                .or_insert_with(|| Space::new(&parsed, target, generator));
            space.nth(seed % space.len()).unwrap()
        });
        prop_assert!(is_legal(target, &parsed, generator, &configuration));
        for mutation in &mutations {
            mutate(&mut configuration, mutation);
        }
        let accepted = check(&parsed, target, generator, &configuration);
        prop_assert_eq!(accepted.is_ok(), is_legal(target, &parsed, generator, &configuration), "{:?} {:?}", accepted, configuration);
        // Derived values do not panic either, and every legal configuration has them.
        let layout = Layout::new(&parsed, generator, &configuration);
        let canonical = configuration.canonical(&parsed);
        if accepted.is_ok() {
            prop_assert!(layout.is_ok());
            prop_assert!(is_legal(target, &parsed, generator, &canonical));
        }
        let rank = SPACES.with_borrow(|spaces| spaces[&(target.name, problem, generator)].rank_of(&configuration));
        match generator == Generator::NATIVE {
            true => {
                let is_held = accepted.is_ok()
                    && may_pay(&parsed, &canonical)
                    && has_shorter_steps(&parsed, target, generator, &canonical);
                prop_assert_eq!(rank.is_some(), is_held);
            }
            false => prop_assert!(rank.is_none() || accepted.is_ok()),
        }
    }
}

/// Returns whether a space may have a legal configuration: it has knobs that may pay.
fn may_pay(problem: &Problem, c: &Configuration) -> bool {
    let shape = &problem.shape;
    let takes_steps = shape
        .reduced()
        .last()
        .is_some_and(|columns| c.lowering.partial_reduction[columns] < shape.sizes()[columns]);
    let pieces = u128::from(shape.rows()) * u128::from(c.knobs.split);
    is_searched(problem, c)
        && (c.knobs.split == 1 || pieces <= 1 << 14)
        && (takes_steps || !c.knobs.lazy_index)
        && (c.knobs.accumulators == Accumulators::Vector || is_short(problem, c))
}

/// One dimension for an independent reader: size, tile, subgroups, lanes, thread tile.
struct Dimension {
    reduced: bool,
    counted: bool,
    size: u128,
    workgroup: u128,
    partial: u128,
    subgroups: u128,
    lanes: u128,
    thread: u128,
}

/// Returns whether the rules hold, stated again from the documentation in wide arithmetic.
fn is_legal(target: &Target, problem: &Problem, generator: Generator, c: &Configuration) -> bool {
    let rank = problem.shape.rank();
    let l = &c.lowering;
    let is_permutation = |mapping: &[u8]| {
        let mut sorted = mapping.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().map(usize::from).eq(0..rank)
    };
    if [
        &l.workgroup,
        &l.partial_reduction,
        &l.thread,
        &l.lane_basis.counts,
        &l.subgroup_basis.counts,
    ]
    .iter()
    .any(|list| list.len() != rank)
        || !is_permutation(&l.lane_basis.mapping)
        || !is_permutation(&l.subgroup_basis.mapping)
    {
        return false;
    }
    let dimensions: Vec<Dimension> = (0..rank)
        .map(|d| Dimension {
            reduced: problem.shape.is_reduced(d),
            counted: d == 0 && problem.to_string().contains(":?x"),
            size: problem.shape.sizes()[d].into(),
            workgroup: l.workgroup[d].into(),
            partial: l.partial_reduction[d].into(),
            subgroups: l.subgroup_basis.counts[usize::from(l.subgroup_basis.mapping[d])].into(),
            lanes: l.lane_basis.counts[usize::from(l.lane_basis.mapping[d])].into(),
            thread: l.thread[d].max(1).into(),
        })
        .collect();
    if dimensions.iter().any(|d| d.subgroups == 0 || d.lanes == 0) {
        return false;
    }
    // Larger counts are illegal for both generators; smaller ones do not overflow a product.
    let (lanes, subgroups) = dimensions.iter().fold((1, 1), |(lanes, subgroups), d| {
        (
            u128::saturating_mul(lanes, d.lanes),
            u128::saturating_mul(subgroups, d.subgroups),
        )
    });
    let size = u128::from(c.subgroup_size);
    let threads = subgroups.saturating_mul(size);
    if !target.subgroup_sizes.contains(&c.subgroup_size)
        || lanes > 64
        || threads > 1024
        || c.workgroup_size.map(u128::from) != [threads, 1, 1]
    {
        return false;
    }
    let tiles_are_for_their_dimensions = dimensions.iter().all(|d| match d.reduced {
        true => d.workgroup == 0 && d.partial > 0,
        false => d.workgroup > 0 && d.partial == 0,
    });
    let units_divide = dimensions
        .iter()
        .all(|d| (d.workgroup + d.partial) % (d.subgroups * d.lanes * d.thread) == 0);
    tiles_are_for_their_dimensions
        && units_divide
        && match generator == Generator::NATIVE {
            true => {
                let steps = dimensions.iter().filter(|d| d.reduced);
                let steps = steps.map(|d| d.size.div_ceil(d.partial)).max().unwrap_or(1);
                let split = u128::from(c.knobs.split);
                let has_vector = dimensions.iter().any(|d| d.reduced && d.thread > 1);
                let is_one =
                    has_vector && !c.knobs.lazy_index && takes_elements_in_order(&dimensions);
                let is_serial = problem.reduction.is_serial();
                let busy = if is_serial && rank == 1 { 1 } else { size };
                lanes == busy
                    && (!is_serial || is_in_order(&dimensions) && c.knobs == Knobs::DEFAULT)
                    && is_native(problem, &dimensions, threads)
                    && takes_steps_in_order(&dimensions, c.knobs.lazy_index)
                    && (problem.to_string().starts_with("arg") || !c.knobs.lazy_index)
                    && (c.knobs.accumulators == Accumulators::Vector || is_one)
                    && is_power_of_two(split)
                    && split <= size
                    && split < 2 * steps
                    && adds_few(problem, &dimensions, c.knobs)
            }
            false => {
                let split = u128::from(c.knobs.split);
                let others = Knobs {
                    split: 1,
                    ..c.knobs
                };
                let mapping = &l.lane_basis.mapping;
                let mut digits: Vec<usize> = (0..rank).collect();
                digits.sort_unstable_by_key(|&d| mapping[d]);
                others == Knobs::DEFAULT
                    && c.subgroup_size == target.subgroup_sizes[0]
                    && is_iree(problem, dimensions, &digits, size, threads, split)
            }
        }
}

/// Returns whether a sum of floats has few consecutive additions.
///
/// It counts the elements of one accumulator, doubled per level of the following tree, and the
/// depth.
fn adds_few(problem: &Problem, dimensions: &[Dimension], knobs: Knobs) -> bool {
    if !problem.to_string().starts_with("sum") {
        return true;
    }
    let reduced = || dimensions.iter().filter(|d| d.reduced);
    let steps: Vec<u128> = reduced().map(|d| d.size.div_ceil(d.partial)).collect();
    let split_at = steps.iter().position(|it| Some(it) == steps.iter().max());
    let (mut path, mut accumulators) = (1, u128::from(knobs.split));
    for (number, d) in reduced().enumerate() {
        let pieces = if Some(number) == split_at {
            knobs.split
        } else {
            1
        };
        let thread = d.thread.min(d.size);
        path *= steps[number].div_ceil(pieces.into());
        path *= d.partial / (d.subgroups * d.lanes * d.thread);
        match knobs.accumulators {
            Accumulators::One => path *= thread,
            Accumulators::Vector => accumulators *= thread.next_power_of_two(),
        }
        accumulators *= d.lanes * d.subgroups;
    }
    let terms: u128 = reduced().map(|d| d.size).product();
    let block = terms.div_ceil(1024).max(64);
    let mut depth = block;
    while terms > block << (depth - block) {
        depth += 1;
    }
    path + u128::from(accumulators.ilog2()) <= depth
}

fn elements(dimensions: &[Dimension]) -> u128 {
    let each = dimensions
        .iter()
        .map(|d| (d.workgroup + d.partial) / (d.subgroups * d.lanes));
    each.fold(1, u128::saturating_mul)
}

fn is_power_of_two(n: u128) -> bool {
    n.count_ones() == 1
}

fn is_native(problem: &Problem, dimensions: &[Dimension], threads: u128) -> bool {
    let (most_elements, row_bytes) = match problem.element {
        ElementType::F64 | ElementType::I64 => (32, 16),
        _ => (64, 8),
    };
    // A sum or a product has no position in its state.
    let text = problem.to_string();
    let row_bytes = match (text.starts_with("arg"), text.ends_with(":f64")) {
        (true, _) => row_bytes,
        (false, true) => 8,
        (false, false) => 4,
    };
    let (reduced, parallel): (Vec<&Dimension>, Vec<&Dimension>) =
        dimensions.iter().partition(|d| d.reduced);
    // In a map each row is an element.
    let (most_thread, most_rows) = match reduced.is_empty() {
        true => (16, most_elements),
        false => (8, 8),
    };
    let sharers: u128 = reduced.iter().map(|d| d.subgroups).product();
    let rows: u128 = parallel.iter().map(|d| d.workgroup).product();
    let lane_rows = parallel
        .iter()
        .map(|d| d.workgroup / (d.subgroups * d.lanes))
        .fold(1, u128::saturating_mul);
    dimensions.iter().all(|d| {
        let tile = d.workgroup + d.partial;
        let unit = d.subgroups * d.lanes * d.thread;
        [d.subgroups, d.lanes, d.thread].into_iter().all(is_power_of_two)
            && d.thread <= if d.reduced { 16 } else { most_thread }
            && !(d.counted && d.thread > 1)
            // The last unit of the tile and the last subgroup begin before the end of the
            // dimension.
            && tile - unit < d.size
            && (d.subgroups - 1) * (tile / d.subgroups) < d.size
    }) && elements(dimensions) <= most_elements
        && lane_rows <= most_rows
        && (sharers == 1 || row_bytes * rows * sharers + 4 * threads + 16 <= 65536)
}

/// Returns whether a thread takes the batches of a step in order, and a lazy index one loop.
fn takes_steps_in_order(dimensions: &[Dimension], lazy_index: bool) -> bool {
    let reduced: Vec<&Dimension> = dimensions.iter().filter(|d| d.reduced).collect();
    let is_stepped = |d: &&Dimension| d.partial < d.size;
    let stepped = reduced.iter().filter(|d| is_stepped(d)).count();
    reduced.iter().enumerate().all(|(number, d)| {
        let has_inner = reduced[number + 1..].iter().any(is_stepped);
        let has_batches = d.partial > d.subgroups * d.lanes * d.thread;
        let has_several = d.thread.min(d.size) > 1;
        !(has_inner && (has_batches || lazy_index && has_several))
    }) && !(lazy_index && stepped > 1)
}

/// Returns whether the elements of a thread tile are consecutive with those of later dimensions.
fn takes_elements_in_order(dimensions: &[Dimension]) -> bool {
    let reduced: Vec<&Dimension> = dimensions.iter().filter(|d| d.reduced).collect();
    let first = reduced.iter().position(|d| d.thread.min(d.size) > 1);
    first.is_none_or(|first| {
        reduced[first + 1..]
            .iter()
            .all(|d| d.size <= d.partial && d.partial == d.subgroups * d.lanes * d.thread)
    })
}

/// Returns whether one thread takes each element of a row once. (Rows have one dimension here.)
fn is_in_order(dimensions: &[Dimension]) -> bool {
    let mut reduced = dimensions.iter().filter(|d| d.reduced);
    reduced.all(|d| d.lanes * d.subgroups == 1 && d.partial <= d.size)
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let problem: Problem = "argmax:2147483647x[512]xf32".parse().unwrap();
    for generator in Generator::ALL {
        let start = default_configuration(&problem, gfx942(), generator).unwrap();
        let start = start.configuration().unwrap().clone();
        for attribute in 0..9 {
            for entry in 0..3 {
                for value in [0, 1, 1 << 31, u32::MAX - 1, u32::MAX] {
                    let mut extreme = start.clone();
                    mutate(&mut extreme, &(attribute, entry, 0, value));
                    for (attribute, entry) in (0..9).flat_map(|a| [(a, 0), (a, 1)]) {
                        let mut both = extreme.clone();
                        mutate(&mut both, &(attribute, entry, 0, u32::MAX));
                        let accepted = check(&problem, gfx942(), generator, &both).is_ok();
                        assert_eq!(
                            accepted,
                            is_legal(gfx942(), &problem, generator, &both),
                            "{both:?}"
                        );
                    }
                }
            }
        }
    }
}
