//! Rows for products: numbers whose partial products never overflow or underflow.
//!
//! Most are 1 and -1. The few others share the range of the type's exponents.

use configgen::comparator::ScalarType;
use rand::{Rng, RngExt};

use super::values::FoldValues;

/// Returns the largest sum of |log2| over all elements, reduced by that of the initial value.
fn room(values: &FoldValues) -> f64 {
    let accumulator = ScalarType::from(values.fold.accumulator());
    let reach = match accumulator {
        ScalarType::F64 => 1000.0,
        _ => 100.0,
    };
    let initial = accumulator.to_f64(values.fold.initial()).abs();
    match initial == 0.0 || !initial.is_finite() {
        true => reach,
        false => reach - initial.log2().abs(),
    }
}

/// Places powers of two and a few threes among ones of both signs. Each element changes the
/// result, and no order rounds.
pub(super) fn exact(values: &FoldValues, row: &mut [u64], rng: &mut impl Rng) {
    /// The number of threes. Their product, with another one in an initial value, is exact in
    /// every type.
    const THREES: usize = 8;
    ones(values, row, rng);
    let (mut room, mut threes) = (room(values), 0);
    for _ in 0..row.len().min(40) {
        let place = rng.random_range(0..row.len());
        let sign = if rng.random() { 1.0 } else { -1.0 };
        let number = [2.0, 0.5, 4.0, 3.0][rng.random_range(0..4)];
        let is_three = usize::from(number == 3.0);
        // A factor of 3 or 4 takes at most two powers of two.
        room -= 2.0;
        if room < 0.0 || threes + is_three > THREES {
            break;
        }
        threes += is_three;
        row[place] = values.nearest(sign * number);
    }
}

/// Places numbers from 1/2 to 2 at random positions, as many as the exponents allow.
pub(super) fn near_one(values: &FoldValues, row: &mut [u64], rng: &mut impl Rng) {
    ones(values, row, rng);
    let most = (room(values).max(0.0) as usize).min(row.len());
    for _ in 0..most {
        let place = rng.random_range(0..row.len());
        let sign = if rng.random() { 1.0 } else { -1.0 };
        // A uniform number, not an exponential: another C library's `exp` would make other rows.
        row[place] = values.nearest(sign * rng.random_range(0.5..2.0));
    }
}

/// Fills the row with ones of both signs.
pub(super) fn ones(values: &FoldValues, row: &mut [u64], rng: &mut impl Rng) {
    let ones = [1.0, -1.0].map(|it| values.nearest(it));
    row.fill_with(|| ones[rng.random_range(0..2)]);
}
