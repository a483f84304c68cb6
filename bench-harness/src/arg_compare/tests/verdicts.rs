//! Tests of verdicts on outputs that the tests change.

use std::ops::Range;

use configgen::Problem;

use super::{checked, expected};
use crate::arg_compare::{ArgComparePattern, ExpectedPair, IndexedRow, Pair};
use crate::inputs::Inputs;
use crate::operation::POISON;
use crate::verdict::{Outputs, Verdict, compare, instability};

/// Checks the verdict on outputs of 4x[50] f32 that agree with the reference and are then changed
/// by `edit`.
#[track_caller]
fn check(edit: impl Fn(&mut [f32], &mut [i32], &[ExpectedPair]), launch: usize, said: &str) {
    let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
    let launch = &inputs.launches()[launch];
    let rows = expected(launch);
    let mut values: Vec<f32> = rows
        .iter()
        .map(|e| f32::from_bits(e.result.value as u32))
        .collect();
    let mut indices: Vec<i32> = rows.iter().map(|e| e.result.index as i32).collect();
    edit(&mut values, &mut indices, rows);
    let outputs = Outputs(vec![
        bytemuck::cast_slice(&values).into(),
        bytemuck::cast_slice(&indices).into(),
    ]);
    let verdict = compare(&inputs, launch, &outputs, ALL).to_string();
    assert!(verdict.starts_with(said), "{verdict}");
}

fn row_of(rows: &[ExpectedPair], pattern: ArgComparePattern) -> usize {
    rows.iter().position(|row| row.pattern == pattern).unwrap()
}

/// All four rows.
const ALL: &[Range<u64>] = std::slice::from_ref(&(0..4));

const POISONED: i32 = i32::from_ne_bytes([POISON; 4]);

#[test]
fn verdicts() {
    // Launch 0 has random, ties, NaN and all equal; launch 1 planted, ascending, signed zeros,
    // many ties; launch 3 all NaN, winner last, extremes, denormals.
    check(|_, _, _| {}, 0, "right");
    check(|v, _, _| v[0] += 1e30, 0, "wrong: row 0 (random)");
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllEqual)] = 49,
        0,
        "right value, tie",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllEqual)] = 50,
        0,
        "wrong",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllEqual)] = -1,
        0,
        "wrong",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllEqual)] = POISONED,
        0,
        "wrong: row 3 (all equal): expected (-3.0, 0), found nothing",
    );
    check(
        |v, _, rows| v[row_of(rows, ArgComparePattern::Ties)] = f32::NAN,
        0,
        "wrong",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::Ascending)] = 48,
        1,
        "wrong",
    );
    check(
        |v, _, rows| v[row_of(rows, ArgComparePattern::SignedZeros)] *= -1.0,
        1,
        "right index, zero of the other sign: row ",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllNan)] = 7,
        3,
        "right value, tie",
    );
    check(
        |_, i, rows| i[row_of(rows, ArgComparePattern::AllNan)] = POISONED,
        3,
        "wrong",
    );
    check(
        |v, _, rows| v[row_of(rows, ArgComparePattern::AllNan)] = f32::NAN,
        3,
        "wrong",
    );
}

/// Checks the verdict on the first launch with a selected row, whose pair `change` replaces.
#[track_caller]
fn check_options(
    options: &str,
    selects: impl Fn(&IndexedRow<'_>, &ExpectedPair) -> bool,
    change: impl Fn(&IndexedRow<'_>, &ExpectedPair) -> Pair,
    parts: &[&str],
) {
    let problem: Problem = format!("argmax:4x[50]xf32:i64:{options}").parse().unwrap();
    let has_one = |inputs: &Inputs| {
        let mut launches = inputs.launches().iter();
        launches
            .any(|launch| checked(inputs, launch).any(|(_, row, expected)| selects(&row, expected)))
    };
    let inputs = (3..40).map(|seed| Inputs::new(&problem, seed).unwrap());
    let inputs = inputs
        .into_iter()
        .find(has_one)
        .expect("a row that is selected");
    let selected = inputs.launches().iter().find_map(|launch| {
        let mut rows = checked(&inputs, launch);
        let (number, row, expected) = rows.find(|(_, row, expected)| selects(row, expected))?;
        Some((launch, number as usize, change(&row, expected)))
    });
    let (launch, number, changed) = selected.expect("a row that is selected");
    let mut pairs: Vec<Pair> = expected(launch).iter().map(|row| row.result).collect();
    let verdict = |pairs: &[Pair]| {
        let values: Vec<u32> = pairs.iter().map(|pair| pair.value as u32).collect();
        let indices: Vec<i64> = pairs.iter().map(|pair| pair.index).collect();
        let outputs = Outputs(vec![
            bytemuck::cast_slice(&values).into(),
            bytemuck::cast_slice(&indices).into(),
        ]);
        compare(&inputs, launch, &outputs, ALL)
    };
    assert_eq!(verdict(&pairs), Verdict::Right(0.0));
    pairs[number] = changed;
    let text = verdict(&pairs).to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
}

fn is(pattern: ArgComparePattern) -> impl Fn(&IndexedRow<'_>, &ExpectedPair) -> bool {
    move |_, expected| expected.pattern == pattern
}

#[test]
fn based_indices() {
    check_options(
        "index_base",
        is(ArgComparePattern::AllEqual),
        |row, _| row.get(49).unwrap(),
        &[
            "right value, tie index differs: row 3 (all equal, index base 9223372036854775758): \
             expected (-3.0, 9223372036854775758 of element 0), \
             found (-3.0, 9223372036854775807 of element 49)",
        ],
    );
    let position = |_: &IndexedRow<'_>, expected: &ExpectedPair| Pair {
        index: expected.position.unwrap() as i64,
        ..expected.result
    };
    check_options(
        "index_base",
        is(ArgComparePattern::AllEqual),
        position,
        &["wrong", "found (-3.0, 0 of no element)"],
    );
}

#[test]
fn explicit_indices() {
    let all_equal = || is(ArgComparePattern::AllEqual);
    check_options(
        "explicit_index",
        all_equal(),
        |row, _| row.get(7).unwrap(),
        &["tie index", "of element 0)", "of element 7)"],
    );
    let index = |index| {
        move |_: &IndexedRow<'_>, expected: &ExpectedPair| Pair {
            index,
            ..expected.result
        }
    };
    check_options(
        "explicit_index",
        all_equal(),
        index(0),
        &["wrong", "0 of no element)"],
    );
    check_options(
        "explicit_index",
        is(ArgComparePattern::Ascending),
        |row, expected| Pair {
            value: expected.result.value,
            ..row.get(3).unwrap()
        },
        &["wrong", "of element 49), found", "of element 3)"],
    );
}

#[test]
fn initial_pairs() {
    let ties = |row: &IndexedRow<'_>, expected: &ExpectedPair| {
        expected.position.is_none() && row.get(0).unwrap().value == expected.initial.value
    };
    check_options(
        "initial",
        ties,
        |row, _| row.get(0).unwrap(),
        &[
            "tie index",
            "initial pair (",
            "of the initial pair), found",
            "0 of element 0)",
        ],
    );
    let none = |_: &IndexedRow<'_>, expected: &ExpectedPair| Pair {
        index: 50,
        ..expected.result
    };
    check_options("initial", ties, none, &["wrong", "50 of no element)"]);
    let loses = |_: &IndexedRow<'_>, expected: &ExpectedPair| expected.position.is_some();
    check_options(
        "initial",
        loses,
        |_, expected| expected.initial,
        &["wrong", "of the initial pair)"],
    );
    // The index of an initial pair that lost belongs to no element, even with the best value.
    let best_with_initial_index = |_: &IndexedRow<'_>, expected: &ExpectedPair| Pair {
        value: expected.result.value,
        ..expected.initial
    };
    check_options(
        "initial",
        loses,
        best_with_initial_index,
        &["wrong", "of the initial pair)"],
    );
    let is_nan = |_: &IndexedRow<'_>, expected: &ExpectedPair| {
        f32::from_bits(expected.initial.value as u32).is_nan()
            && !matches!(
                expected.pattern,
                ArgComparePattern::Nan | ArgComparePattern::AllNan
            )
    };
    check_options(
        "initial",
        is_nan,
        |row, _| row.get(0).unwrap(),
        &["wrong", "expected (NaN (0x", "of element 0)"],
    );
}

/// Checks the instability of two launches on the input of launch 0, with changed indices.
#[track_caller]
fn check_instability(one: impl Fn(&mut [i32]), other: impl Fn(&mut [i32]), parts: &[&str]) {
    let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
    let launch = &inputs.launches()[0];
    let results = expected(launch).iter().map(|expected| expected.result);
    let outputs = |edit: &dyn Fn(&mut [i32])| {
        let values: Vec<u32> = results.clone().map(|pair| pair.value as u32).collect();
        let mut indices: Vec<i32> = results.clone().map(|pair| pair.index as i32).collect();
        edit(&mut indices);
        let values = bytemuck::cast_slice(&values).into();
        let indices = bytemuck::cast_slice(&indices).into();
        Outputs(vec![values, indices]).into_owned()
    };
    let found = instability(&inputs, launch, &outputs(&one), &outputs(&other));
    let found = found.map_or(String::new(), |difference| difference.to_string());
    assert_eq!(found.is_empty(), parts.is_empty(), "{found}");
    assert!(parts.iter().all(|part| found.contains(part)), "{found}");
}

#[test]
fn launches_that_differ() {
    let right = |_: &mut [i32]| {};
    check_instability(right, right, &[]);
    check_instability(|i| i[2] = 77, |i| i[2] = 77, &[]);
    check_instability(right, |i| i[2] = 77, &["row 2", "expected", ", 77)"]);
    check_instability(|i| i[1] = 78, right, &["row 1", "expected", ", 78)"]);
}
