//! Tests of ranges: the legal shapes between two, as the rules of legality say.

use configgen::{Configuration, Generator, Problem, Range, Space, Target, check};
use proptest::prelude::*;

use crate::{gfx942, gfx1100};

/// Problems with a placeholder per size.
const FORMS: [&str; 5] = [
    "argmax:{}x[{}]xf32",
    "argmin:[{}]x{}xi8:i64:explicit_index",
    "argmax_nan:{}x{}x[{}]xbf16:i32:index_base",
    "argmax:[{}]xf16",
    "argmax_last:{}x[{}]x{}xi32",
];

fn problem(form: &str, sizes: &[u32]) -> Problem {
    let filled = sizes.iter().fold(form.to_owned(), |text, size| {
        text.replacen("{}", &size.to_string(), 1)
    });
    filled.parse().unwrap()
}

/// Returns sizes with many divisors, and others.
fn size() -> impl Strategy<Value = u32> {
    prop_oneof![
        (0u32..13).prop_map(|exponent| 1 << exponent),
        (1u32..9, 1u32..600).prop_map(|(one, other)| one * other),
    ]
}

proptest! {
    /// Checks sizes between the tuned bounds: the configuration is legal exactly in the range.
    #[test]
    fn a_shape_within_the_bounds_is_legal_exactly_if_it_is_in_the_range(
        form in 0..FORMS.len(),
        one in [size(), size(), size()],
        other in [size(), size(), size()],
        on_rdna: bool,
        seed: u64,
        near in prop::collection::vec([(0u32..3, any::<u32>()), (0u32..3, any::<u32>()), (0u32..3, any::<u32>())], 12),
    ) {
        let form = FORMS[form];
        let rank = form.matches("{}").count();
        let [tuned, far] = [one, other].map(|sizes| problem(form, &sizes[..rank]));
        let target = if on_rdna { gfx1100() } else { gfx942() };
        let space = Space::new(&tuned, target, Generator::IREE);
        for configuration in space.sample(6, seed) {
            let range = Range::between(&tuned, &far, target, &configuration).unwrap();
            let is_split = configuration.knobs.split > 1;
            prop_assert!(!is_split || range.is_none());
            if is_split {
                continue;
            }
            let mut legal = 0;
            for draws in &near {
                let sizes: Vec<u32> = (0..rank).map(|d| {
                    let (least, most) = (one[d].min(other[d]), one[d].max(other[d]));
                    let tile = configuration.lowering.workgroup[d].max(configuration.lowering.partial_reduction[d]);
                    let (kind, draw) = draws[d];
                    let within = least + draw % (most - least + 1);
                    match kind {
                        // A bound, a multiple of the tile, or any size.
                        0 => [least, most][draw as usize % 2],
                        1 => (within / tile * tile).max(least),
                        _ => within,
                    }
                }).collect();
                let shape = problem(form, &sizes);
                let is_legal = check(&shape, target, Generator::IREE, &configuration).is_ok();
                legal += u32::from(is_legal && shape != tuned);
                match &range {
                    Some(range) => prop_assert_eq!(range.has(&shape), is_legal, "{} in {}", shape, range),
                    None => prop_assert!(!is_legal || shape == tuned, "{} is legal", shape),
                }
            }
            if let Some(range) = &range {
                prop_assert!(range.has(&tuned));
                let samples = range.samples();
                prop_assert!(samples.len() > 1);
                for sample in &samples {
                    prop_assert!(range.has(sample), "{} in {}", sample, range);
                }
            }
            prop_assert!(range.is_some() || legal == 0);
        }
    }
}

const ROW: &str = r#"{"workgroup": [2, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[2, 1], [0, 1]], "subgroup_size": 64,
    "workgroup_size": [128, 1, 1]}"#;

fn between(tuned: &str, other: &str, configuration: &str) -> Option<Range> {
    let [tuned, other]: [Problem; 2] = [tuned, other].map(|text| text.parse().unwrap());
    let configuration: Configuration = serde_json::from_str(configuration).unwrap();
    let target = Target::named("gfx942").unwrap();
    Range::between(&tuned, &other, target, &configuration).unwrap()
}

#[track_caller]
fn check_range(tuned: &str, other: &str, expected: &str) {
    let range = between(tuned, other, ROW);
    let text = range.map_or_else(String::new, |range| range.to_string());
    assert_eq!(text, expected);
}

#[test]
fn ranges_are_between_tuned_shapes() {
    let tuned = "argmax:4x[4096]xf32";
    check_range(
        tuned,
        "argmax:7x[9000]xf32",
        "argmax:4..6 by 2x[4096..8192 by 1024]xf32:i32",
    );
    check_range(
        tuned,
        "argmax:1x[4000]xf32",
        "argmax:2..4 by 2x[4096]xf32:i32",
    );
    check_range(tuned, "argmax:5x[5000]xf32", "");
    // Other operations, and open sizes.
    for other in [
        "argmin:6x[8192]xf32",
        "argmax:6x[8192]xf16",
        "argmax:6x[8192]xf32:i64",
        "argmax:[6]x8192xf32",
        "argmax:6x[8192]x1xf32",
        "argmax:?x[8192]xf32",
        "argmax:6x[8192]xf32:i32:pitch=9000",
    ] {
        check_range(tuned, other, "");
    }
    // The largest shape is no problem.
    check_range("argmax:2x[2147482624]xf32", "argmax:1048576x[1024]xf32", "");
    let illegal: Configuration = serde_json::from_str(ROW).unwrap();
    let [tuned, other]: [Problem; 2] =
        ["argmax:3x[4096]xf32", "argmax:6x[4096]xf32"].map(|text| text.parse().unwrap());
    let rejection = Range::between(&tuned, &other, gfx942(), &illegal).unwrap_err();
    assert_eq!(rejection.rule, "3");
}

#[test]
fn samples_are_corners_and_some_within() {
    let range = between("argmax:4x[4096]xf32", "argmax:64x[32768]xf32", ROW).unwrap();
    let samples: Vec<String> = range.samples().iter().map(Problem::to_string).collect();
    expect_test::expect![[r#"
        argmax:4x[4096]xf32:i32
        argmax:4x[32768]xf32:i32
        argmax:10x[8192]xf32:i32
        argmax:18x[17408]xf32:i32
        argmax:54x[30720]xf32:i32
        argmax:64x[4096]xf32:i32
        argmax:64x[32768]xf32:i32"#]]
    .assert_eq(&samples.join("\n"));
}

#[test]
fn counts_that_a_range_covers() {
    let check = |one: &Range, other: &Range, expected: [bool; 2]| {
        assert_eq!(
            [one.covers(other), other.covers(one)],
            expected,
            "{one} {other}"
        );
    };
    let (one, fine) = ("argmax:4x[4096]xf32", ROW.replace("1024", "512"));
    let narrow = between(one, "argmax:8x[8192]xf32", ROW).unwrap();
    let wide = between(one, "argmax:9x[16384]xf32", ROW).unwrap();
    let finer = between(one, "argmax:8x[8192]xf32", &fine).unwrap();
    let rows = between(one, "argmax:8x[4096]xf32", ROW).unwrap();
    check(&narrow, &narrow, [true, true]);
    check(&narrow, &wide, [false, true]);
    check(&narrow, &finer, [false, true]);
    check(&wide, &finer, [false, false]);
    check(&rows, &finer, [false, true]);
    let other = between("argmin:4x[4096]xf32", "argmin:8x[8192]xf32", ROW).unwrap();
    check(&narrow, &other, [false, false]);
}
