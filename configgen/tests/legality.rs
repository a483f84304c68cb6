//! Each rule broken alone; and mutated configurations against an independent statement of the rules.

use configgen::{
    Configuration, ElementType, Generator, IndexType, Layout, Problem, Space, Target, check,
    default_configuration,
};
use proptest::prelude::*;

fn gfx942() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// `base` with some keys replaced: `"thread": [0, 3]`.
fn changed(base: &str, changes: &str) -> Configuration {
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(base).unwrap();
    let changes = serde_json::from_str(&format!("{{{changes}}}")).unwrap();
    object.extend::<serde_json::Map<_, _>>(changes);
    serde_json::from_value(object.into()).unwrap()
}

#[track_caller]
fn rejects(problem: &str, generator: Generator, base: &str, changes: &str, message: &str) {
    let problem: Problem = problem.parse().unwrap();
    let rejection = check(&problem, gfx942(), generator, &changed(base, changes)).unwrap_err();
    let text = rejection.to_string();
    assert!(
        text.starts_with("rule ") && text.contains(message),
        "{text}"
    );
}

const ROW: &str = r#"{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
    "subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1]}"#;

#[test]
fn native_rules() {
    let problem = "argmax:4x[32000]xf32";
    let accepts = |problem: &str, changes: &str| {
        let problem: Problem = problem.parse().unwrap();
        let configuration = changed(ROW, changes);
        assert_eq!(
            check(&problem, gfx942(), Generator::Native, &configuration),
            Ok(())
        );
    };
    accepts(problem, "");
    let rejects =
        |changes: &str, message: &str| rejects(problem, Generator::Native, ROW, changes, message);
    rejects(
        r#""workgroup": [1]"#,
        "rule N2: workgroup has 1 entries; the problem has 2 dimensions",
    );
    rejects(r#""thread": [0, 4, 0]"#, "rule N2: thread has 3 entries");
    rejects(
        r#""workgroup": [1, 64]"#,
        "rule N2: workgroup is 64 on the reduced dimension 1",
    );
    rejects(
        r#""workgroup": [0, 0]"#,
        "rule N2: workgroup is 0 on the parallel dimension 0",
    );
    rejects(
        r#""partial_reduction": [1, 1024]"#,
        "rule N2: partial_reduction is 1 on the parallel",
    );
    rejects(
        r#""lane_basis": [[1, 64], [1, 1]]"#,
        "rule N2: lane_basis [[1, 64], [1, 1]] does not name each of the 2 dimensions once",
    );
    rejects(r#""lane_basis": [[1, 64], [0, 2]]"#, "rule N2");
    rejects(r#""subgroup_basis": [[4], [1]]"#, "rule N2");
    rejects(
        r#""subgroup_size": 32"#,
        "rule N3: the subgroup size is 32; gfx942 has [64]",
    );
    rejects(
        r#""lane_basis": [[1, 48], [0, 1]]"#,
        "rule N4: the lane count 48 is not a power of two",
    );
    rejects(
        r#""lane_basis": [[1, 32], [0, 1]]"#,
        "rule N4: the product of the lane counts [1, 32] is 32, not the subgroup size 64",
    );
    rejects(r#""lane_basis": [[0, 64], [0, 1]]"#, "rule N4");
    rejects(
        r#""subgroup_basis": [[1, 3], [0, 1]]"#,
        "rule N5: the subgroup count 3",
    );
    rejects(
        r#""subgroup_basis": [[2, 16], [0, 1]]"#,
        "rule N5: subgroups [2, 16] of 64 lanes make 2048 threads, more than 1024",
    );
    rejects(
        r#""workgroup_size": [64, 1, 1]"#,
        "rule N5: workgroup_size is [64, 1, 1]; the subgroups make [256, 1, 1]",
    );
    rejects(r#""workgroup_size": [256, 2, 1]"#, "rule N5");
    rejects(
        r#""thread": [0, 3]"#,
        "rule N6: the thread tile 3 on the reduced dimension",
    );
    rejects(
        r#""thread": [0, 32]"#,
        "rule N6: the thread tile 32 on the reduced dimension",
    );
    rejects(
        r#""thread": [16, 4]"#,
        "rule N6: the thread tile 16 on the parallel dimension",
    );
    rejects(
        r#""partial_reduction": [0, 1000]"#,
        "rule N7: partial_reduction 1000 is not a positive multiple of 4 subgroups x 64 lanes x 4 elements = 1024",
    );
    rejects(r#""partial_reduction": [0, 0]"#, "rule N7");
    rejects(
        r#""partial_reduction": [0, 33792]"#,
        "rule N7: partial_reduction 33792 is more than 32768, the size 32000 rounded up to a multiple of 1024",
    );
    accepts("argmax:4x[769]xf32", "");
    self::rejects(
        "argmax:4x[768]xf32",
        Generator::Native,
        ROW,
        "",
        "rule N7: with partial_reduction 1024 the last of 4 subgroups starts at 768, beyond the size 768",
    );
    rejects(
        r#""workgroup": [3, 0], "thread": [2, 4]"#,
        "rule N8: workgroup 3 is not a positive multiple of",
    );
    rejects(
        r#""workgroup": [5, 0]"#,
        "rule N8: workgroup 5 is more than 4, the size 4 rounded up",
    );
    rejects(
        r#""workgroup": [8, 0], "thread": [4, 4], "subgroup_basis": [[2, 2], [0, 1]]"#,
        "rule N8: with workgroup 8 the last of 2 subgroups starts at 4, beyond the size 4",
    );
    accepts(problem, r#""partial_reduction": [0, 16384]"#);
    rejects(
        r#""partial_reduction": [0, 17408]"#,
        "rule N9: a thread takes 1 rows x 68 elements = 68 a step, more than 64",
    );
    let many = "argmax:5000x[32000]xf32";
    self::rejects(
        many,
        Generator::Native,
        ROW,
        r#""workgroup": [128, 0], "lane_basis": [[4, 16], [0, 1]], "thread": [0, 1], "partial_reduction": [0, 64]"#,
        "rule N10: a subgroup has 128 rows / 1 subgroups = 128, more than 64",
    );
    // The largest tile of the other rules: 64 rows for each of sP subgroups, 16 / sP along the row, is 8192 bytes: N11 can
    // only bind where LDS is smaller than that.
    let small = Target {
        lds_bytes: 2047,
        ..*gfx942()
    };
    let full = changed(
        ROW,
        r#""workgroup": [64, 0], "lane_basis": [[1, 64], [0, 1]], "thread": [0, 1], "partial_reduction": [0, 256]"#,
    );
    let problem: Problem = many.parse().unwrap();
    assert_eq!(check(&problem, gfx942(), Generator::Native, &full), Ok(()));
    let rejection = check(&problem, &small, Generator::Native, &full).unwrap_err();
    assert_eq!(
        rejection.to_string(),
        "rule N11: 64 rows x 4 subgroups x 8 bytes = 2048 bytes of LDS, more than 2047"
    );
}

const IREE_ROW: &str = r#"{"workgroup":[1,0],"partial_reduction":[0,1280],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
    "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;

#[test]
fn iree_rules() {
    let problem = "argmax:4x[32000]xf32";
    let accepts = |problem: &str, base: &str, changes: &str| {
        let problem: Problem = problem.parse().unwrap();
        assert_eq!(
            check(&problem, gfx942(), Generator::Iree, &changed(base, changes)),
            Ok(())
        );
    };
    accepts(problem, IREE_ROW, "");
    accepts(
        problem,
        IREE_ROW,
        r#""lane_basis": [[1, 8], [0, 1]], "partial_reduction": [0, 32]"#,
    );
    let rejects = |changes: &str, message: &str| {
        rejects(problem, Generator::Iree, IREE_ROW, changes, message)
    };
    rejects(
        r#""partial_reduction": [0, 1024]"#,
        "rule 1: partial_reduction 1024 does not divide the size 32000",
    );
    rejects(r#""partial_reduction": [0, 64000]"#, "rule 1");
    rejects(r#""partial_reduction": [0, 0]"#, "rule 1");
    rejects(
        r#""partial_reduction": [1, 1280]"#,
        "rule 1: partial_reduction is 1 on the parallel dimension 0",
    );
    rejects(
        r#""thread": [0, 8]"#,
        "rule 2: partial_reduction 1280 is not a multiple of 1 subgroups x 64 lanes x 8 elements = 512",
    );
    rejects(
        r#""workgroup": [3, 0]"#,
        "rule 3: the workgroup tile 3 does not divide the size 4 of dimension 0",
    );
    rejects(r#""workgroup": [8, 0]"#, "rule 3");
    rejects(r#""workgroup": [0, 0]"#, "rule 3");
    rejects(
        r#""workgroup": [1, 64]"#,
        "rule 3: workgroup is 64 on the reduced dimension 1",
    );
    rejects(
        r#""workgroup": [2, 0], "thread": [4, 4]"#,
        "rule 3: the workgroup tile 2 is not a multiple of 1 subgroups x 1 lanes x 4 elements = 4",
    );
    rejects(
        r#""lane_basis": [[1, 5], [0, 1]]"#,
        "rule 4: the lane count 5 is not a power of two",
    );
    rejects(
        r#""subgroup_basis": [[1, 2], [0, 1]], "workgroup_size": [128, 1, 1]"#,
        "rule 5: 2 subgroups on the reduced dimension 1; of 2 dimensions it must be 1",
    );
    rejects(
        r#""subgroup_size": 32"#,
        "rule 6: the subgroup size is 32; on gfx942 IREE works with 64",
    );
    rejects(r#""thread": [0]"#, "rule 7: thread has 1 entries");
    rejects(
        r#""lane_basis": [[1, 64], [0, 0]]"#,
        "rule 7: lane_basis [[1, 64], [0, 0]]",
    );
    rejects(
        r#""subgroup_basis": [[0, 1], [0, 1]]"#,
        "rule 7: a count of subgroup_basis [0, 1] is 0",
    );
    rejects(
        r#""workgroup_size": [128, 1, 1]"#,
        "rule A: workgroup_size is [128, 1, 1]",
    );
    rejects(r#""workgroup_size": [64, 1, 2]"#, "rule A");
    rejects(
        r#""subgroup_basis": [[32, 1], [0, 1]], "workgroup_size": [2048, 1, 1]"#,
        "rule A: subgroups [32, 1] of 64 lanes make 2048 threads, more than 1024",
    );
    rejects(
        r#""workgroup": [2, 0], "lane_basis": [[2, 32], [0, 1]]"#,
        "rule B: 2 lanes on the parallel dimension 0 beside 32 on the reduced one",
    );
    rejects(
        r#""lane_basis": [[1, 128], [0, 1]]"#,
        "rule C: the product of the lane counts [1, 128] is 128",
    );
    rejects(
        r#""partial_reduction": [0, 6400]"#,
        "rule E1: a thread takes 100 elements a step; for f32 at most 64 compile in time",
    );
    let rank_1 = r#"{"workgroup":[0],"partial_reduction":[8192],"thread":[4],"lane_basis":[[64],[0]],
        "subgroup_basis":[[16],[0]],"subgroup_size":64,"workgroup_size":[1024,1,1]}"#;
    accepts("argmax:[1048576]xf32", rank_1, "");
    let rejects = |problem, changes: &str, message: &str| {
        self::rejects(problem, Generator::Iree, rank_1, changes, message);
    };
    rejects(
        "argmax:[1048576]xf32",
        r#""partial_reduction": [65536]"#,
        "rule E2: a thread takes 64 elements a step; with 1024 threads at most 40 fit the registers",
    );
    rejects(
        "argmax:[98304]xf32",
        r#""partial_reduction": [3072], "subgroup_basis": [[3], [0]], "workgroup_size": [192, 1, 1]"#,
        "rule 5: the subgroup count 3 is not a power of two",
    );
    rejects(
        "argmax:[1048576]xi8",
        "",
        "rule 4: 64 lanes on the reduced dimension; for i8 at most 32 compile",
    );
}

/// Values that stand at some bound of the rules, or far beyond all of them.
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

/// Where and how a configuration is changed: the attribute, the entry, the operation, a value.
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
        // The threads that the subgroups ask for, so that a changed count may be legal.
        _ => {
            let threads = lowering.subgroup_basis.ids().saturating_mul(64);
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

/// A problem, a generator, the seed of the configuration to start from, and mutations.
fn cases() -> impl Strategy<Value = (&'static str, Generator, u64, Vec<Mutation>)> {
    let problems = prop::sample::select(vec![
        ("argmax:4x[32000]xf32", Generator::Native),
        ("argmax:300x[1003]xf16", Generator::Native),
        ("argmin:5x[3]xi32", Generator::Native),
        ("argmax:[151936]xbf16", Generator::Native),
        ("argmax:4x[32000]xf32", Generator::Iree),
        ("argmax:[4096]x256xf16:i64", Generator::Iree),
        ("argmax:12x[60]x18xi8", Generator::Iree),
        ("argmax:[49152]xf64", Generator::Iree),
    ]);
    let mutation = (0usize..10, 0usize..4, 0usize..7, values());
    (
        problems,
        any::<u64>(),
        prop::collection::vec(mutation, 1..5),
    )
        .prop_map(|((problem, generator), seed, mutations)| (problem, generator, seed, mutations))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_satisfies_the_rules((problem, generator, seed, mutations) in cases()) {
        thread_local! {
            static SPACES: std::cell::RefCell<std::collections::HashMap<(&'static str, Generator), Space>> =
                Default::default();
        }
        let parsed: Problem = problem.parse().unwrap();
        let mut configuration = SPACES.with_borrow_mut(|spaces| {
            let space = spaces
                .entry((problem, generator))
                .or_insert_with(|| Space::new(&parsed, gfx942(), generator));
            space.nth(seed % space.len()).unwrap()
        });
        prop_assert!(is_legal(&parsed, generator, &configuration));
        for mutation in &mutations {
            mutate(&mut configuration, mutation);
        }
        let accepted = check(&parsed, gfx942(), generator, &configuration);
        prop_assert_eq!(accepted.is_ok(), is_legal(&parsed, generator, &configuration), "{:?} {:?}", accepted, configuration);
        // What is derived from a configuration does not panic either, and what is legal has it.
        let layout = Layout::new(&parsed, generator, &configuration);
        let canonical = configuration.canonical(&parsed);
        if accepted.is_ok() {
            prop_assert!(layout.is_ok());
            prop_assert!(is_legal(&parsed, generator, &canonical));
        }
        let rank = SPACES.with_borrow(|spaces| spaces[&(problem, generator)].rank_of(&configuration));
        match generator {
            Generator::Native => prop_assert_eq!(rank.is_some(), accepted.is_ok()),
            Generator::Iree => prop_assert!(rank.is_none() || accepted.is_ok()),
        }
    }
}

/// One dimension as an independent reader sees it: size, tile, subgroups, lanes, thread tile.
struct Dimension {
    reduced: bool,
    size: u128,
    workgroup: u128,
    partial: u128,
    subgroups: u128,
    lanes: u128,
    thread: u128,
}

/// The rules once more, from the text of the module documentation, in arithmetic that does not overflow.
fn is_legal(problem: &Problem, generator: Generator, c: &Configuration) -> bool {
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
    // Counts beyond these are illegal for both generators; below, no product overflows.
    let (lanes, subgroups) = dimensions.iter().fold((1, 1), |(lanes, subgroups), d| {
        (
            u128::saturating_mul(lanes, d.lanes),
            u128::saturating_mul(subgroups, d.subgroups),
        )
    });
    let threads = subgroups.saturating_mul(64);
    if c.subgroup_size != 64
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
        && match generator {
            Generator::Native => is_native(&dimensions, lanes),
            Generator::Iree => is_iree(problem, &dimensions, threads),
        }
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

fn is_native(dimensions: &[Dimension], lanes: u128) -> bool {
    lanes == 64
        && dimensions.iter().all(|d| {
            let tile = d.workgroup + d.partial;
            let unit = d.subgroups * d.lanes * d.thread;
            [d.subgroups, d.lanes, d.thread].into_iter().all(is_power_of_two)
                && d.thread <= if d.reduced { 16 } else { 8 }
                // The last unit of the tile, and the last subgroup, begin before the end of the dimension.
                && tile - unit < d.size
                && (d.subgroups - 1) * (tile / d.subgroups) < d.size
                && (d.reduced || tile / d.subgroups <= 64)
        })
        && elements(dimensions) <= 64
}

fn is_iree(problem: &Problem, dimensions: &[Dimension], threads: u128) -> bool {
    let value_words = if matches!(problem.element, ElementType::F64 | ElementType::I64) {
        2
    } else {
        1
    };
    let index_words = if problem.index == IndexType::I64 {
        2
    } else {
        1
    };
    let registers = match threads {
        ..=256 => 512,
        ..=512 => 256,
        ..=768 => 168,
        _ => 128,
    };
    let elements = elements(dimensions);
    let reduced = dimensions.iter().find(|d| d.reduced).unwrap();
    dimensions
        .iter()
        .all(|d| d.size % (d.workgroup + d.partial) == 0 && is_power_of_two(d.lanes))
        && dimensions
            .iter()
            .all(|d| d.reduced || d.lanes == 1 || reduced.lanes == 1)
        && (reduced.subgroups == 1 || (dimensions.len() == 1 && is_power_of_two(reduced.subgroups)))
        && (problem.element != ElementType::I8 || reduced.lanes < 64)
        && elements <= 64
        && elements * u128::from(problem.element.bytes()) <= 256
        && 8 * elements * (value_words + index_words) <= 5 * registers
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
                        assert_eq!(accepted, is_legal(&problem, generator, &both), "{both:?}");
                    }
                }
            }
        }
    }
}
