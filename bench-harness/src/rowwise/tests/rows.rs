//! Tests of the purpose of rows and of their descriptions.

use std::any::Any;

use configgen::Problem;
use configgen::comparator::ScalarType;
use expect_test::expect;

use super::super::pattern::{RowwisePattern, RowwiseValues};
use super::super::{ExpectedRow, RowwiseReference};
use super::kernel::{Kernel, Mistake, Order};
use super::{OPERATIONS, evaluate, outputs};
use crate::inputs::Inputs;
use crate::inputs::tests::hash_elements;
use crate::operation::{LaunchInput, Reference};
use crate::verdict::{Outputs, compare};

fn reference(launch: &LaunchInput) -> &RowwiseReference {
    let reference: &dyn Reference = launch.reference.as_ref();
    let reference: &dyn Any = reference;
    reference.downcast_ref().expect("an operation of rows")
}

/// Checks that every pattern occurs, and that no row with small operands accepts any result.
#[test]
fn every_pattern_occurs_and_every_row_tells_something() {
    for operation in OPERATIONS {
        for element in ["f32", "f16", "bf16"] {
            let problem: Problem = format!("{operation}:4x[150]x{element}").parse().unwrap();
            let inputs = Inputs::new(&problem, 1).unwrap();
            let mut seen = Vec::new();
            for (number, launch) in inputs.launches().iter().enumerate() {
                for row in inputs.checked(launch) {
                    let ExpectedRow { pattern, outputs } = &reference(launch).expected[row.place];
                    seen.push(*pattern);
                    if inputs.set_of(number) > 0 {
                        continue;
                    }
                    for (column, bounds) in outputs.iter().flatten().enumerate() {
                        let bounds = bounds.interval();
                        let width = bounds.high - bounds.low;
                        let is_told = bounds.is_nan()
                            || bounds.low == bounds.high
                            || !bounds.nan && width <= 0.02 * (1.0 + bounds.low.abs());
                        assert!(is_told, "{problem} {pattern} {column}: {bounds:?}");
                    }
                }
            }
            let values = RowwiseValues {
                kind: ScalarType::from(problem.element),
                is_of_powers: problem.operands().is_empty(),
                is_pointwise: false,
            };
            for pattern in RowwisePattern::all(values) {
                assert!(seen.contains(&pattern), "{problem}: no {pattern}");
            }
        }
    }
}

/// Checks that skipped elements of a lane and of the tail are found in long rows, too.
#[test]
fn elements_that_are_left_out_of_long_rows_are_missed() {
    for operation in OPERATIONS {
        let problem: Problem = format!("{operation}:4x[20000]xf32").parse().unwrap();
        let inputs = Inputs::new(&problem, 1).unwrap();
        for mistake in [
            Mistake::LaneLeftOut,
            Mistake::TailLeftOut,
            Mistake::TailTwice,
        ] {
            let mut kernel = Kernel::new(Order::Lanes, false, mistake);
            let verdict = evaluate(&inputs, &mut kernel).to_string();
            let is_wrong = verdict.starts_with("wrong");
            assert!(is_wrong, "{problem} {mistake:?}: {verdict}");
        }
    }
}

/// Checks the description of a launch whose first element of a result is changed.
#[track_caller]
fn check_text(problem: &str, result: usize, change: impl Fn(&mut [u8]), expected: &str) {
    let inputs = Inputs::new(&problem.parse().unwrap(), 1).unwrap();
    let mut texts = Vec::new();
    for (number, launch) in inputs.launches().iter().enumerate() {
        let mut kernel = Kernel::new(Order::Lanes, false, Mistake::None);
        let Outputs(tensors) = outputs(&inputs, number, &mut kernel);
        let mut tensors: Vec<Vec<u8>> = tensors.into_iter().map(|it| it.into_owned()).collect();
        change(&mut tensors[result]);
        let outputs = Outputs(tensors.into_iter().map(Into::into).collect());
        let rows = 0..inputs.problem().shape.rows();
        let verdict = compare(&inputs, launch, &outputs, std::slice::from_ref(&rows));
        texts.push(verdict.to_string());
    }
    let has = texts.iter().any(|text| text.contains(expected));
    assert!(has, "{problem}: {texts:#?}");
}

#[test]
fn differences_as_text() {
    let two = |bytes: &mut [u8]| bytes[..4].copy_from_slice(&2f32.to_le_bytes());
    let poison = |bytes: &mut [u8]| bytes[4..8].fill(0xfe);
    check_text(
        "softmax:[5]xf32",
        0,
        two,
        "(all equal): expected values[0] = 0.2, found 2.0",
    );
    check_text("softmax:[5]xf32", 0, two, "(random): expected values[0] = ");
    check_text("softmax:[5]xf32", 0, two, " ± ");
    check_text(
        "softmax:[5]xf32",
        0,
        two,
        "(one NaN): expected values[0] = NaN, found 2.0",
    );
    check_text("log_sum_exp:[5]xf32", 0, two, "expected values = ");
    check_text(
        "softmax:[5]xf32",
        0,
        poison,
        "expected values[1] = 0.2, found nothing (the output was not written)",
    );
    check_text(
        "softmax:[5]xf16",
        0,
        |bytes: &mut [u8]| bytes[..2].fill(0xfe),
        "(one NaN): expected values[0] = NaN, found nothing (the output was not written)",
    );
    check_text("add_rms_norm:[5]xf32", 1, two, "expected sums[0] = ");
}

/// Returns a digest of the inputs of a problem's launches, for the seed 5. The expected results
/// contain logarithms and powers, which C libraries round differently.
fn digest(problem: &str) -> String {
    let inputs = Inputs::new(&problem.parse().unwrap(), 5).unwrap();
    let mut hasher = blake3::Hasher::new();
    for (number, launch) in inputs.launches().iter().enumerate() {
        hash_elements(&inputs, launch, &mut hasher);
        for operand in &inputs.operands[inputs.set_of(number)] {
            hasher.update(operand);
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
        "softmax:4x[100]xf32",
        "log_sum_exp:[33]x7xf16",
        "layer_norm:4x[60]xbf16",
        "add_rms_norm:3x[9]x5xf16",
        "rms_norm:3000x[4]xf32:pitch=7",
    ];
    expect![[r#"
        softmax:4x[100]xf32 bb2994fd67c277d9
        log_sum_exp:[33]x7xf16 5b2e0bd28d023102
        layer_norm:4x[60]xbf16 f79c88d25a0233a7
        add_rms_norm:3x[9]x5xf16 e9a046802ca80849
        rms_norm:3000x[4]xf32:pitch=7 559da10f2405cc90"#]]
    .assert_eq(&problems.map(digest).join("\n"));
}
