//! Plain reductions: their rows, their reference on the host, and the judgement of a kernel's
//! results.
//!
//! Results that do not depend on the order are compared bit by bit. A product of floats may have
//! any order of roundings. A sum of floats may have any order within the depth of
//! [`summation_depth`]. Most rows leave no room for rounding. If products are added, a kernel may
//! round each one before the addition, or not.

mod correct_results;
mod factors;
mod judge;
mod maker;
mod pattern;
mod product;
mod sum;
#[cfg(test)]
mod tests;
mod values;

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use configgen::summation_depth;

use crate::operation::{Judge, Reference};
use correct_results::{AccumulatorFormat, CorrectResults};
use judge::FoldJudge;
pub(crate) use maker::FoldMaker;
use pattern::FoldPattern;

/// The expected results of the checked rows of a launch.
#[derive(Debug)]
struct FoldReference {
    fold: Fold,
    /// The expected result of each checked row, in their order.
    expected: Vec<ExpectedResult>,
}

/// The expected result of a row.
#[derive(Debug, Clone, Copy)]
struct ExpectedResult {
    pattern: FoldPattern,
    right: CorrectResults,
}

impl Reference for FoldReference {
    fn initial(&self, _: usize) -> Vec<u64> {
        vec![self.fold.initial()]
    }

    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(FoldJudge(self))
    }
}

/// Returns the maximum number of additions that an element of a row takes part in. A fold that
/// begins with a number needs one more.
fn depth(fold: &Fold, row: &[u64]) -> u64 {
    summation_depth(row.len() as u64) + u64::from(fold.initial() != fold.identity())
}

/// Returns the correct results of a row.
fn right(fold: &Fold, row: &[u64]) -> CorrectResults {
    let [kind, accumulator] = [fold.element(), fold.accumulator()].map(ScalarType::from);
    if fold.combining().is_exact(fold.accumulator()) {
        let combined = row.iter().fold(fold.initial(), |acc, &element| {
            fold.combine(acc, fold.widened(element))
        });
        return CorrectResults::Bits(combined);
    }
    let format = match accumulator {
        ScalarType::F64 => AccumulatorFormat::DOUBLE,
        _ => AccumulatorFormat::SINGLE,
    };
    let initial = std::iter::once(accumulator.to_f64(fold.initial()));
    let numbers = initial.chain(row.iter().map(|&element| kind.to_f64(element)));
    match fold.combining() {
        Combining::Product => {
            product::correct_products(format, numbers, |is_negative| match is_negative {
                true => accumulator.sign_bit(),
                false => 0,
            })
        }
        _ => CorrectResults::Reals(sum::correct_sums(format, depth(fold, row), numbers)),
    }
}
