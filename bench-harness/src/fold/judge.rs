//! The judge of plain reductions: it compares a kernel's result for a row with the correct
//! results, and describes differences.

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};

use super::correct_results::{CorrectFloats, CorrectResults};
use super::{ExpectedResult, FoldReference};
use crate::operation::{Agreement, CheckedRow, Difference, Judge, RowResults};

/// The judge of the rows of one launch.
pub(super) struct FoldJudge<'a>(pub(super) &'a FoldReference);

impl Judge for FoldJudge<'_> {
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement {
        let FoldReference { fold, expected } = self.0;
        match error(fold, &expected[row.place].right, found) {
            error @ ..=1.0 => Agreement::Right(error),
            _ => Agreement::None,
        }
    }

    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference {
        let FoldReference { fold, expected } = self.0;
        let ExpectedResult { pattern, right } = &expected[row.place];
        let accumulator = ScalarType::from(fold.accumulator());
        let initial = match fold.initial() == fold.identity() {
            true => None,
            false => Some(format!("initial value {}", show(fold, fold.initial()))),
        };
        Difference {
            row: row.number,
            pattern: Some(pattern.to_string()),
            given: initial.into_iter().collect(),
            expected: match right {
                CorrectResults::Bits(bits) => show(fold, *bits),
                CorrectResults::Reals(reals) => words(accumulator, reals),
            },
            found: match found.is_poison(0) && error(fold, right, found) > 1.0 {
                true => "nothing (the output was not written)".to_owned(),
                false => show(fold, found.bits(0)),
            },
        }
    }
}

/// Returns the error of a result as a fraction of the bound. Above 1, the result is wrong.
fn error(fold: &Fold, right: &CorrectResults, found: &RowResults<'_>) -> f64 {
    let kind = ScalarType::from(fold.accumulator());
    let bits = found.bits(0);
    match right {
        // As a number, the poison may lie within the bound.
        CorrectResults::Reals(_) if found.is_poison(0) => f64::INFINITY,
        CorrectResults::Reals(reals) => reals.error(kind.to_f64(bits)),
        CorrectResults::Bits(expected) if is_same(fold, *expected, bits) => 0.0,
        CorrectResults::Bits(_) => f64::INFINITY,
    }
}

/// Returns true if two results of an exact reduction are equivalent.
fn is_same(fold: &Fold, expected: u64, found: u64) -> bool {
    let kind = ScalarType::from(fold.accumulator());
    let takes_either = matches!(
        fold.combining(),
        Combining::MaxNumber | Combining::MinNumber
    );
    let is_zero = |bits| kind.to_f64(bits) == 0.0;
    // maximumNumber and minimumNumber ignore NaN. If all elements are NaN, lanes without elements
    // contribute the identity, so both results occur.
    let is_none = |bits| kind.is_nan(bits) || takes_either && bits == fold.identity();
    expected == found
        || kind.is_nan(expected) && is_none(found)
        || takes_either && is_zero(expected) && is_zero(found)
}

/// Returns a value as text.
fn show(fold: &Fold, bits: u64) -> String {
    match fold.is_unsigned() {
        true => bits.to_string(),
        false => ScalarType::from(fold.accumulator()).show(bits),
    }
}

/// Returns the correct floats as text, such as "1.5 ± 3.0e-6 or inf".
fn words(kind: ScalarType, reals: &CorrectFloats) -> String {
    let near = reals.near.map(|near| {
        let (exact, bound) = near.shown();
        let exact = kind.show(kind.round(exact));
        match bound == 0.0 {
            true => exact,
            false => format!("{exact} ± {bound:.1e}"),
        }
    });
    let others = [(reals.up, "inf"), (reals.down, "-inf"), (reals.nan, "NaN")];
    let others = others.into_iter().filter(|(is_right, _)| *is_right);
    let all: Vec<String> = near
        .into_iter()
        .chain(others.map(|(_, word)| word.to_owned()))
        .collect();
    all.join(" or ")
}
