//! Positions of ids and layouts of tiles.

use configgen::layout::TileLevel;
use configgen::{Basis, Configuration, Generator, Knobs, Layout, LoweringConfig, Problem};

fn basis(counts: &[u32], mapping: &[u8]) -> Basis {
    Basis {
        counts: counts.try_into().unwrap(),
        mapping: mapping.try_into().unwrap(),
    }
}

#[track_caller]
fn check_position(counts: &[u32], mapping: &[u8], id: u32, expected: &[u32]) {
    let basis = basis(counts, mapping);
    assert_eq!(basis.position(id, expected.len()).as_slice(), expected);
    // Delinearised digit by digit, the last one fastest.
    let mut digits = vec![0; counts.len()];
    let mut rest = id;
    for (digit, count) in digits.iter_mut().zip(counts).rev() {
        (*digit, rest) = (rest % count, rest / count);
    }
    let by_dimension: Vec<u32> = mapping.iter().map(|&m| digits[usize::from(m)]).collect();
    assert_eq!(by_dimension, expected);
}

#[test]
fn position_of_an_id() {
    // 42 = 10 x 4 + 2: the last count is the innermost.
    check_position(&[16, 4], &[1, 0], 42, &[2, 10]);
    check_position(&[16, 4], &[0, 1], 42, &[10, 2]);
    check_position(&[1, 64], &[0, 1], 42, &[0, 42]);
    check_position(&[64], &[0], 63, &[63]);
    // A cycle of three: the digits are (1, 1, 2).
    check_position(&[2, 4, 8], &[2, 0, 1], 42, &[2, 1, 1]);
    check_position(&[2, 4, 8], &[1, 2, 0], 37, &[0, 5, 1]);
    check_position(&[4, 8], &[0, 1], 0, &[0, 0]);
    // An id beyond the product starts again: surplus lanes repeat others.
    check_position(&[1, 8], &[0, 1], 42, &[0, 2]);
}

#[test]
fn position_of_malformed_bases_is_defined() {
    assert_eq!(
        basis(&[0, 4], &[0, 9]).position(7, 2).as_slice(),
        &[0, 0],
        "a count of 0, and no digit 9"
    );
    assert_eq!(basis(&[], &[]).position(7, 2).as_slice(), &[0, 0]);
    assert_eq!(
        basis(&[u32::MAX; 6], &[0, 1, 2, 3, 4, 5]).id_stride(0),
        u32::MAX
    );
}

fn configuration(
    workgroup: &[u32],
    partial_reduction: &[u32],
    thread: &[u32],
    lane_basis: Basis,
    subgroup_basis: Basis,
) -> Configuration {
    let threads = 64 * u32::try_from(subgroup_basis.ids()).unwrap();
    Configuration {
        lowering: LoweringConfig {
            workgroup: workgroup.try_into().unwrap(),
            partial_reduction: partial_reduction.try_into().unwrap(),
            thread: thread.try_into().unwrap(),
            lane_basis,
            subgroup_basis,
        },
        subgroup_size: 64,
        workgroup_size: [threads, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}

/// Checks that every position of the tile belongs to exactly one (thread, batch, element).
#[track_caller]
fn check_covers(problem: &str, generator: Generator, configuration: &Configuration) -> Layout {
    let problem: Problem = problem.parse().unwrap();
    let layout = Layout::new(&problem, generator, configuration).unwrap();
    let [rows, columns] = layout.dimensions[..] else {
        panic!("rank 2 only")
    };
    let mut seen = vec![0; (rows.tile * columns.tile) as usize];
    for thread in 0..configuration.workgroup_size[0] {
        let (s, l) = (thread / 64, thread % 64);
        assert_eq!(
            layout.origin(thread).as_slice(),
            [rows.position(s, 0, l, 0), columns.position(s, 0, l, 0)]
        );
        for (b0, e0) in pairs(rows.batch.count, rows.element.count) {
            for (b1, e1) in pairs(columns.batch.count, columns.element.count) {
                let (y, x) = (rows.position(s, b0, l, e0), columns.position(s, b1, l, e1));
                seen[(y * columns.tile + x) as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n == 1), "{layout:?}");
    layout
}

fn pairs(a: u32, b: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..a).flat_map(move |x| (0..b).map(move |y| (x, y)))
}

#[test]
fn layouts_cover_the_tile_once() {
    let identity = |a, b| basis(&[a, b], &[0, 1]);
    let wide = configuration(
        &[1, 0],
        &[0, 4096],
        &[0, 4],
        identity(1, 64),
        identity(1, 4),
    );
    let layout = check_covers("argmax:4x[32000]xf32", Generator::NATIVE, &wide);
    let columns = layout.dimensions[1];
    assert_eq!(
        columns.subgroup.level,
        TileLevel {
            count: 4,
            stride: 1024
        }
    );
    assert_eq!(
        columns.batch,
        TileLevel {
            count: 4,
            stride: 256
        }
    );
    assert_eq!(
        columns.lane.level,
        TileLevel {
            count: 64,
            stride: 4
        }
    );
    assert_eq!((columns.lane.id_stride, columns.subgroup.id_stride), (1, 1));
    // Thread 70 is lane 6 of subgroup 1.
    assert_eq!(layout.origin(70).as_slice(), [0, 1024 + 24]);

    let square = configuration(&[16, 0], &[0, 64], &[2, 4], identity(4, 16), identity(2, 1));
    check_covers("argmax:32x[256]xf32", Generator::NATIVE, &square);
    let swapped = basis(&[16, 4], &[1, 0]);
    let square = configuration(
        &[16, 0],
        &[0, 64],
        &[2, 4],
        swapped,
        basis(&[1, 2], &[1, 0]),
    );
    let layout = check_covers("argmax:32x[256]xf32", Generator::NATIVE, &square);
    assert_eq!(layout.dimensions[1].lane.id_stride, 4);
    // Lane 42 has the digits (10, 2), of 4 columns and 2 rows each.
    assert_eq!(layout.origin(42).as_slice(), [2 * 2, 10 * 4]);
}

#[test]
fn iree_clamps_the_tile_of_a_parallel_dimension() {
    let basis = |counts| basis(counts, &[0, 1]);
    let c = configuration(&[64, 0], &[0, 64], &[0, 1], basis(&[1, 64]), basis(&[1, 1]));
    let problem: Problem = "argmax:4x[256]xf32".parse().unwrap();
    let tile = |generator| Layout::new(&problem, generator, &c).unwrap().dimensions[0].tile;
    assert_eq!((tile(Generator::IREE), tile(Generator::NATIVE)), (4, 64));
}

#[test]
fn malformed_configurations_have_no_layout() {
    let problem: Problem = "argmax:4x[256]xf32".parse().unwrap();
    let good = configuration(
        &[1, 0],
        &[0, 256],
        &[0, 4],
        basis(&[1, 64], &[0, 1]),
        basis(&[1, 1], &[0, 1]),
    );
    let check = |change: &dyn Fn(&mut Configuration), part: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = Layout::new(&problem, Generator::NATIVE, &bad)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    };
    check(&|c| c.lowering.thread.truncate(1), "thread has 1 entries");
    check(
        &|c| c.lowering.lane_basis.mapping[0] = 1,
        "mapping [1, 1] of lane_basis",
    );
    check(
        &|c| c.lowering.lane_basis.mapping[0] = 255,
        "mapping [255, 1] of lane_basis",
    );
    check(
        &|c| c.lowering.subgroup_basis.counts[1] = 0,
        "subgroup_basis is 0",
    );
    check(&|c| c.subgroup_size = 0, "subgroup_size is 0");
    check(
        &|c| c.lowering.partial_reduction[1] = 255,
        "the tile 255 is not",
    );
    check(&|c| c.lowering.workgroup[0] = 0, "the tile 0 is not");
    check(
        &|c| {
            c.lowering.thread[1] = u32::MAX;
            c.lowering.lane_basis.counts[1] = u32::MAX;
            c.lowering.subgroup_basis.counts[1] = u32::MAX;
        },
        "4294967295 subgroups x 4294967295 lanes x 4294967295 elements",
    );
}
