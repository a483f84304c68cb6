//! Tests of the rows: their contents, their positions in memory, and the kernels that they
//! expose.

use std::convert::Infallible;

use expect_test::expect;

use super::{checked, expected};
use crate::arg_compare::ArgComparePattern;
use crate::inputs::Inputs;
use crate::inputs::tests::hash_elements;

fn inputs(problem: &str, seed: u64) -> Inputs {
    Inputs::new(&problem.parse().unwrap(), seed).unwrap()
}

#[track_caller]
fn check_patterns(problem: &str) {
    let inputs = inputs(problem, 1);
    for pattern in ArgComparePattern::all(inputs.problem().element) {
        let seen = inputs.launches().iter().flat_map(expected);
        assert!(
            seen.into_iter().any(|row| row.pattern == *pattern),
            "{problem}: no {pattern}"
        );
    }
}

#[test]
fn every_pattern_occurs() {
    for problem in [
        "argmax:[1]xf32",
        "argmax:[1000]xi32",
        "argmin:4x[31]xf16",
        "argmax:7x[64]xbf16",
        "argmax:12x[5]xf32",
        "argmax:13x[5]xf32",
        "argmax:300x[17]xi8",
        "argmax:3x[5]x4xf64",
        "argmax:163840x[384]xf32",
    ] {
        check_patterns(problem);
    }
}

#[test]
fn a_seed_is_reproducible_and_seeds_differ() {
    let bytes = |seed| {
        inputs("argmax:4x[100]xf32", seed).launches()[0]
            .elements
            .clone()
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

/// Checks that reading by index returns each written row, for any position of the reduced
/// dimension.
#[track_caller]
fn check_written(problem: &str, element: impl Fn(u64, u64) -> u64) {
    let inputs = inputs(problem, 1);
    let mut image = vec![0u8; inputs.problem().input_bytes() as usize];
    let launch = &inputs.launches()[1];
    let Ok(()) = inputs.write_elements(launch, |offset, bytes| {
        image[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok::<(), Infallible>(())
    });
    let image: &[u32] = bytemuck::cast_slice(&image);
    for (number, row, _) in checked(&inputs, launch) {
        for i in 0..inputs.problem().shape.reduced_size() {
            let found = image[element(number, i) as usize];
            let written = row.get(i as usize).unwrap().value;
            assert_eq!(u64::from(found), written, "{problem}: row {number}, {i}");
        }
    }
}

#[test]
fn rows_are_written_at_their_addresses() {
    check_written("argmax:6x[10]xi32", |row, i| row * 10 + i);
    check_written("argmax:[10]x6xi32", |row, i| i * 6 + row);
    check_written("argmax:3x[10]x2xi32", |row, i| {
        (row / 2 * 10 + i) * 2 + row % 2
    });
    check_written("argmax:50000x[101]xi32", |row, i| row * 101 + i);
    check_written("argmax:[3]x4x[5]xi32", |row, i| {
        (i / 5 * 4 + row) * 5 + i % 5
    });
    check_written("argmax:6x[10]xi32:i32:pitch=16", |row, i| row * 16 + i);
    check_written("argmax:[6]x10xi32:i32:pitch=16", |row, i| i * 16 + row);
    check_written("argmax:6x[3]x[10]xi32:i32:pitch=16", |row, i| {
        (row * 3 + i / 10) * 16 + i % 10
    });
}

/// Returns how many of `holes` change some row's result, and their number. A hole is a set of
/// elements that a kernel skips in every row.
fn found(problem: &str, holes: impl Iterator<Item = Box<dyn Fn(usize) -> bool>>) -> (usize, usize) {
    let inputs = inputs(problem, 0);
    let results = || inputs.launches().iter().flat_map(expected);
    let holes: Vec<_> = holes.collect();
    let found = holes
        .iter()
        .filter(|hole| results().any(|row| row.position.is_some_and(hole)));
    (found.count(), holes.len())
}

/// Returns the holes of a kernel that distributes `grain` elements at a time over `parts`.
fn dealt(grain: usize, parts: usize) -> impl Iterator<Item = Box<dyn Fn(usize) -> bool>> {
    (0..parts).map(move |part| {
        Box::new(move |index| index / grain % parts == part) as Box<dyn Fn(usize) -> bool>
    })
}

#[test]
fn elements_that_a_kernel_leaves_out_are_missed() {
    for problem in [
        "argmax:4x[32000]xf32",
        "argmin:[50257]xbf16",
        "argmax:64x[8192]xi32",
    ] {
        // A vector element, a lane of 16, a subgroup of 16, a step of 8.
        for (grain, parts) in [(1, 4), (1, 16), (4, 16), (256, 16), (1024, 8)] {
            let (found, all) = found(problem, dealt(grain, parts));
            assert_eq!(found, all, "{problem}: {parts} parts of {grain}");
        }
        // A single lane of 64. The fixed inputs cannot expose every one.
        let (found, all) = found(problem, dealt(4, 64));
        assert!(found * 5 >= all * 4, "{problem}: {found} of {all} lanes");
    }
}

/// Returns a digest of the inputs and expected results of a problem's launches, for the seed 5.
fn digest(problem: &str) -> String {
    let inputs = inputs(problem, 5);
    let mut hasher = blake3::Hasher::new();
    for launch in inputs.launches() {
        hash_elements(&inputs, launch, &mut hasher);
        for row in expected(launch) {
            hasher.update(&row.result.value.to_le_bytes());
            hasher.update(&row.position.unwrap_or(0).to_le_bytes());
        }
    }
    format!("{problem} {}", &hasher.finalize().to_hex()[..16])
}

/// Checks that the inputs have not changed. If a digest changes, [`Inputs::VERSION`] must change,
/// because trials with other inputs do not compare.
#[test]
fn the_inputs_of_this_version() {
    assert_eq!(Inputs::VERSION, 6);
    let problems = [
        "argmax:4x[100]xf32",
        "argmin:7x[33]xbf16",
        "argmax_last:[3]x5xi64:i64",
        "argmin_nan:20x[9]xf8E4M3FN",
        "argmax:3000x[4]xi8:i32:pitch=7",
    ];
    expect![[r#"
        argmax:4x[100]xf32 5d80b85fb0c3dfd9
        argmin:7x[33]xbf16 1f550adb16909081
        argmax_last:[3]x5xi64:i64 c7ea306db03b3689
        argmin_nan:20x[9]xf8E4M3FN f418d2f54e5121af
        argmax:3000x[4]xi8:i32:pitch=7 4748836809c36288"#]]
    .assert_eq(&problems.map(digest).join("\n"));
}

/// Checks that options leave the elements unchanged, so that the patterns keep their purpose.
#[test]
fn options_change_no_element() {
    let plain = inputs("argmax:4x[100]xf32", 1);
    for options in ["index_base", "explicit_index", "explicit_index:initial"] {
        let other = inputs(&format!("argmax:4x[100]xf32:i64:{options}"), 1);
        for (launch, plain) in other.launches().iter().zip(plain.launches()) {
            assert_eq!(launch.elements, plain.elements, "{options}");
        }
    }
}

#[test]
fn index_bases_leave_room_for_the_positions() {
    let most = [
        ("i32", i64::from(i32::MAX)),
        ("i64", i64::MAX),
        ("index", i64::MAX),
    ];
    for (index, most) in most {
        let inputs = inputs(&format!("argmax:2x[100]xf32:{index}:index_base"), 1);
        let bases: Vec<i64> = inputs
            .launches()
            .iter()
            .map(|launch| launch.index_base)
            .collect();
        assert_eq!(bases[0], most - 99);
        assert!(bases[1] < -1_000_000 && bases[1] >= -most - 1, "{bases:?}");
        assert!((1..1000).contains(&bases[2]), "{bases:?}");
        assert_eq!(bases[3], 0);
        for launch in inputs.launches() {
            for row in expected(launch) {
                let index = row
                    .position
                    .map(|position| launch.index_base + position as i64);
                assert_eq!(row.result.index, index.unwrap_or(0));
            }
        }
    }
}

#[test]
fn explicit_indices_are_any_numbers_and_dense() {
    let inputs = inputs("argmax:[6]x10xi32:i64:explicit_index:pitch=16", 1);
    let mut image = [0u64; 60];
    let Ok(()) = inputs.write_operand(0, 0, |offset, bytes| {
        bytemuck::cast_slice_mut(&mut image)[offset as usize..][..bytes.len()]
            .copy_from_slice(bytes);
        Ok::<(), Infallible>(())
    });
    assert!(image.iter().any(|&index| index >> 63 == 1));
    assert!(image.iter().any(|&index| index >> 62 == 1));
    for (number, row, expected) in checked(&inputs, &inputs.launches()[1]) {
        for position in 0..6 {
            let index = image[position * 10 + number as usize] as i64;
            assert_eq!(row.get(position).unwrap().index, index);
        }
        let index = expected
            .position
            .map_or(0, |position| row.get(position).unwrap().index);
        assert_eq!(expected.result.index, index);
    }
}

#[test]
fn initial_pairs_lie_beside_their_rows() {
    let wide = inputs("argmax:163840x[384]xf32:i64:initial", 1);
    let launch = &wide.launches()[0];
    let last = wide.rows().len() - 1;
    let outputs = wide.initial(launch, &(163_830..163_840));
    let [values, indices] = &outputs[..] else {
        panic!("two results")
    };
    let initial = expected(launch)[last].initial;
    assert_eq!((values.len(), indices.len()), (40, 80));
    assert_eq!(values[36..], initial.value.to_le_bytes()[..4]);
    assert_eq!(indices[72..], initial.index.to_le_bytes());
    // Rows between the windows have zeros as initial values.
    let outputs = wide.initial(launch, &(1000..1002));
    assert_eq!(outputs, [vec![0; 8], vec![0; 16]]);
}

/// Checks that only bit 0 of an i1 byte counts, and that the inputs set other bits.
#[test]
fn truth_values_lie_in_bytes_that_hold_more() {
    let inputs = inputs("argmax:5x[100]xi1", 1);
    for launch in inputs.launches() {
        assert!(launch.elements.iter().any(|&byte| byte > 1));
        for (number, row, expected) in checked(&inputs, launch) {
            let first = (0..100).find(|&at| row.get(at).unwrap().value == 1);
            assert_eq!(expected.position, first, "row {number}");
            assert_eq!(expected.result.value, u64::from(first.is_some()));
        }
    }
}
