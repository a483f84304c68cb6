//! Tests of the purpose of rows.

use expect_test::expect;

use super::super::correct_results::{CorrectFloats, CorrectResults};
use super::{evaluate, fold, inputs, problems, reference};
use crate::fold::pattern::FoldPattern;
use crate::inputs::Inputs;
use crate::inputs::tests::hash_elements;
use crate::operation::poison;

/// Checks that every pattern occurs. No row accepts any result, and no expected result equals the
/// poison.
#[test]
fn every_pattern_occurs_and_every_row_tells_something() {
    for problem in &problems() {
        let (inputs, fold) = (inputs(problem), fold(problem));
        let launches = inputs.launches().iter();
        let rows: Vec<_> = launches.flat_map(|it| &reference(it).expected).collect();
        for pattern in FoldPattern::all(&fold) {
            let mut seen = rows.iter().filter(|row| row.pattern == pattern);
            assert!(seen.next().is_some(), "{problem}: no {pattern}");
        }
        let unwritten = CorrectResults::Bits(poison(fold.accumulator().bytes()));
        for row in rows {
            assert_ne!(row.right, unwritten, "{problem}: {row:?}");
            let CorrectResults::Reals(reals) = row.right else {
                continue;
            };
            let is_finite = reals.near.is_none_or(|near| near.bound.is_finite());
            assert!(is_finite, "{problem}: {row:?}");
        }
    }
}

/// Checks that most rows of sums and products leave no room for rounding.
#[test]
fn most_sums_and_products_are_exact() {
    let exact = |right: &CorrectResults| match right {
        CorrectResults::Bits(_) => true,
        CorrectResults::Reals(CorrectFloats { near, .. }) => {
            near.is_none_or(|near| near.bound == 0.0)
        }
    };
    for problem in &problems() {
        let inputs = inputs(problem);
        let launches = inputs.launches().iter();
        let rows: Vec<_> = launches.flat_map(|it| &reference(it).expected).collect();
        let count = rows.iter().filter(|row| exact(&row.right)).count();
        assert!(
            count * 10 >= rows.len() * 8,
            "{problem}: {count} of {}",
            rows.len()
        );
        for row in rows.iter().filter(|row| row.pattern == FoldPattern::Exact) {
            assert!(exact(&row.right), "{problem}: {row:?}");
        }
    }
}

/// Checks the description of a launch's row.
#[track_caller]
fn check_text(problem: &str, pattern: &str, found: u64, expected: &str) {
    let inputs = Inputs::new(&problem.parse().unwrap(), 1).unwrap();
    let mut texts = Vec::new();
    for launch in 0..inputs.launches().len() {
        let mut at = 0;
        let verdict = evaluate(&inputs, &mut |given| {
            let row = (at / 4, given.number as usize);
            at += 1;
            let expected = &reference(&inputs.launches()[row.0]).expected[row.1];
            match row.0 == launch && expected.pattern.to_string() == pattern {
                true => found,
                false => super::kernels::left(given),
            }
        });
        texts.push(verdict.to_string());
    }
    let has = texts.iter().any(|text| text.contains(expected));
    assert!(has, "{problem}: {texts:#?}");
}

#[test]
fn differences_as_text() {
    let two = u64::from(2f32.to_bits());
    check_text(
        "sum:4x[150]xf32:initial=3",
        "all neutral",
        two,
        "(all neutral, initial value 3.0): expected 3.0, found 2.0",
    );
    check_text(
        "sum:4x[150]xf32",
        "cancelling",
        two,
        "(cancelling): expected ",
    );
    check_text("sum:4x[150]xf32", "cancelling", two, " ± ");
    check_text("sum:4x[150]xf32", "overflow", two, "inf, found 2.0");
    check_text("sum:4x[150]xf32", "one NaN", two, "expected NaN, found 2.0");
    check_text(
        "umax:4x[150]xi8",
        "all neutral",
        255,
        "expected 0, found 255",
    );
    check_text(
        "min:4x[150]xf32",
        "first element",
        u64::from(u32::from_le_bytes([0xfe; 4])),
        "found nothing (the output was not written)",
    );
}

/// Returns a digest of the inputs and expected results of a problem's launches, for the seed 5.
fn digest(problem: &str) -> String {
    let inputs = Inputs::new(&problem.parse().unwrap(), 5).unwrap();
    let mut hasher = blake3::Hasher::new();
    for launch in inputs.launches() {
        hash_elements(&inputs, launch, &mut hasher);
        for row in &reference(launch).expected {
            // The bounds are excluded: they contain logarithms, which C libraries round
            // differently.
            let exact = match row.right {
                CorrectResults::Bits(bits) => [bits, 0],
                CorrectResults::Reals(reals) => {
                    reals.near.map_or([1; 2], |it| it.exact.map(f64::to_bits))
                }
            };
            hasher.update(bytemuck::cast_slice(&exact));
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
        "sum:4x[100]xf32",
        "sum:7x[33]xbf16:f64",
        "product:[3]x5xf16",
        "usum:20x[9]xi8:i64",
        "max:30x[40]xf64",
        "minnum:9x[70]xf16:initial=2.0",
        "xor:3000x[4]xi1:pitch=7",
    ];
    expect![[r#"
        sum:4x[100]xf32 dc32757ff216e1bd
        sum:7x[33]xbf16:f64 f28f997130764c71
        product:[3]x5xf16 786e0e7bdd8a100e
        usum:20x[9]xi8:i64 e60d46eb24780677
        max:30x[40]xf64 a53cea3ff30bbf83
        minnum:9x[70]xf16:initial=2.0 be7a6c4327de2803
        xor:3000x[4]xi1:pitch=7 f5c277c5db4a7dc7"#]]
    .assert_eq(&problems.map(digest).join("\n"));
}
