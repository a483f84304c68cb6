//! Parts of mistakes: the reductions that a mistake affects, and wrong folds.

use configgen::ElementType;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};

use super::Given;
use super::kernels::{lanes, tree};
use Combining::Product;

pub(super) fn always(_: &Fold) -> bool {
    true
}

pub(super) fn is(fold: &Fold, these: &[Combining]) -> bool {
    these.contains(&fold.combining())
}

pub(super) fn is_float(fold: &Fold) -> bool {
    fold.element().is_float()
}

pub(super) fn counts_twice(fold: &Fold) -> bool {
    !fold.combining().is_idempotent() && !is_product_of_truths(fold)
}

/// Returns true for products of i1, in any accumulator.
pub(super) fn is_product_of_truths(fold: &Fold) -> bool {
    is(fold, &[Product]) && fold.element() == ElementType::I1
}

pub(super) fn begins(fold: &Fold) -> bool {
    fold.initial() != fold.identity()
}

pub(super) fn begins_twice(fold: &Fold) -> bool {
    begins(fold) && counts_twice(fold)
}

pub(super) fn is_widened(fold: &Fold) -> bool {
    fold.element() != fold.accumulator()
}

/// Returns true if elements reach almost the largest number of the accumulator.
pub(super) fn has_large(fold: &Fold) -> bool {
    let [element, accumulator] = [fold.element(), fold.accumulator()]
        .map(ScalarType::from)
        .map(|kind| kind.to_f64(kind.greatest() - 1));
    element > accumulator / 2.0
}

/// Returns true for integers that are added in their own type, in which they overflow.
pub(super) fn is_whole(fold: &Fold) -> bool {
    !is_widened(fold)
}

/// Returns the same reduction of integers with the other signedness, if that is different.
pub(super) fn signs(fold: &Fold) -> Option<Fold> {
    if is_float(fold) {
        return None;
    }
    let other = Fold::new(
        fold.combining(),
        fold.element(),
        !fold.is_unsigned(),
        Some(fold.accumulator()),
    );
    let other = other.ok()?;
    (other.is_unsigned() != fold.is_unsigned()).then_some(other)
}

pub(super) fn folded(fold: &Fold, elements: impl Iterator<Item = u64>) -> u64 {
    elements.fold(fold.initial(), |acc, it| {
        fold.combine(acc, fold.widened(it))
    })
}

pub(super) fn without(row: &Given, hole: fn(usize) -> bool) -> u64 {
    let kept = row.each().enumerate().filter(|(at, _)| !hole(*at));
    folded(&row.fold, kept.map(|(_, bits)| bits))
}

pub(super) fn again(row: &Given, twice: fn(usize) -> bool) -> u64 {
    let extra = row.each().enumerate().filter(|(at, _)| twice(*at));
    folded(&row.fold, row.each().chain(extra.map(|(_, bits)| bits)))
}

pub(super) fn other(row: &Given, of: fn(Combining) -> Combining) -> u64 {
    let fold = row.fold;
    let (combining, unsigned) = (of(fold.combining()), fold.is_unsigned());
    let other = Fold::new(combining, fold.element(), unsigned, None).expect("it takes the same");
    folded(&other.beginning_at(fold.initial()), row.each())
}

pub(super) fn in_lanes(row: &Given, neutral: u64) -> u64 {
    // The number of lanes is odd: with an even one, some mistakes cancel.
    let lanes = lanes(row, 63, neutral);
    row.fold.combine(row.fold.initial(), tree(&row.fold, lanes))
}
