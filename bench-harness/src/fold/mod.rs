//! Plain reductions: their rows, their results on the host, and which of a kernel's are right.
//!
//! What does not depend on the order is compared to the bit. Products of floats may be what some
//! order of roundings gives, and sums what one of the depth that [`summation_depth`] says: most
//! rows leave no room for rounding. Of products that are added each may be rounded before, or not.

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

/// What the checked rows of a launch should give.
#[derive(Debug)]
struct FoldReference {
    fold: Fold,
    /// One for each checked row, in their order.
    expected: Vec<ExpectedResult>,
}

/// What a row should give.
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

/// Returns the most additions that an element of a row goes through: one more where the fold begins
/// at a number.
fn depth(fold: &Fold, row: &[u64]) -> u64 {
    summation_depth(row.len() as u64) + u64::from(fold.initial() != fold.identity())
}

/// The right results of a row.
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
