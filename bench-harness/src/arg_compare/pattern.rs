//! Row patterns: the contents of one row. Each pattern is there for a class of bugs that the
//! others do not show.

#[cfg(test)]
mod tests;

use std::fmt;

use configgen::ElementType;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::values::ComparatorValues;
use crate::operation::planted;

/// The contents of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ArgComparePattern {
    /// Any finite value.
    Random,
    /// One winner at any position among small values. A kernel that skips elements sometimes
    /// misses it.
    Planted,
    /// The winner occurs up to four times. The lowest index is correct, for any assignment to
    /// lanes.
    Ties,
    /// Four distinct values, so that the winner occurs about N/4 times.
    ManyTies,
    /// One value throughout: the index is 0.
    AllEqual,
    /// Sorted upwards. For argmax, the running winner changes with every element.
    Ascending,
    /// Sorted downwards.
    Descending,
    /// Values that rise or fall by small steps, from near zero or from one of the comparator's
    /// constants. This finds comparators that violate an order only between nearby values.
    Drifting,
    /// The elements around the comparator's constants, and small numbers.
    Constants,
    /// The winner is the first element.
    First,
    /// The winner is the last element, in the tail.
    Last,
    /// The type's extremes (infinities for floats) among random values. The winning extreme
    /// occurs several times.
    Extremes,
    /// The initial value throughout: no element beats the initial pair, and the index is 0.
    AllWorst,
    /// A NaN of some kind at every third element, for floats only.
    Nan,
    /// NaN throughout, for floats only. The initial pair is the result.
    AllNan,
    /// Zeros of both signs win from some position on, for floats only. They are equal, so the
    /// first one's sign and index are correct.
    SignedZeros,
    /// Subnormal values and zeros from some position on, for floats only. Flushing them to zero
    /// makes ties.
    Denormals,
}

impl ArgComparePattern {
    const INTEGER: [ArgComparePattern; 13] = [
        Self::Random,
        Self::Ties,
        Self::AllEqual,
        Self::Planted,
        Self::Ascending,
        Self::ManyTies,
        Self::Drifting,
        Self::Descending,
        Self::Constants,
        Self::First,
        Self::Last,
        Self::Extremes,
        Self::AllWorst,
    ];

    const FLOAT: [ArgComparePattern; 17] = [
        Self::Random,
        Self::Ties,
        Self::Nan,
        Self::AllEqual,
        Self::Planted,
        Self::Ascending,
        Self::SignedZeros,
        Self::ManyTies,
        Self::Drifting,
        Self::Descending,
        Self::Constants,
        Self::First,
        Self::AllNan,
        Self::Last,
        Self::Extremes,
        Self::Denormals,
        Self::AllWorst,
    ];

    /// Returns the patterns for an element type.
    pub(crate) fn all(element: ElementType) -> &'static [ArgComparePattern] {
        if element.is_float() {
            &Self::FLOAT
        } else {
            &Self::INTEGER
        }
    }

    /// Fills one row, number `turn` of the rows of all launches.
    pub(crate) fn fill(
        self,
        values: &ComparatorValues,
        row: &mut [u64],
        turn: usize,
        rng: &mut impl Rng,
    ) {
        let n = row.len();
        match self {
            Self::Random => row.fill_with(|| values.random(rng)),
            Self::Planted => ordinary_but(row, &[planted(turn, n, rng)], values, rng),
            Self::Ties => {
                let winners = [(); 4].map(|()| rng.random_range(0..n));
                ordinary_but(row, &winners, values, rng);
            }
            Self::ManyTies => {
                let few = [1.0, 2.0, -1.0, -2.0].map(|value| values.nearest(value));
                row.fill_with(|| pick(&few, rng));
            }
            Self::AllEqual => row.fill(values.nearest(-3.0)),
            Self::Ascending => sorted(row, values, |i| i),
            Self::Descending => sorted(row, values, |i| n - 1 - i),
            Self::Drifting => drifting(row, values, rng),
            Self::Constants => row.fill_with(|| match rng.random_range(0..2) {
                0 => pick(&values.near_constants, rng),
                _ => values.nearest(f64::from(rng.random_range(-100..=100))),
            }),
            Self::First => ordinary_but(row, &[0], values, rng),
            Self::Last => ordinary_but(row, &[n - 1], values, rng),
            Self::Extremes => {
                row.fill_with(|| values.random(rng));
                for _ in 0..4 {
                    for &extreme in &values.extremes {
                        row[rng.random_range(0..n)] = extreme;
                    }
                }
            }
            Self::AllWorst => row.fill(values.start),
            Self::Nan => {
                row.fill_with(|| values.random(rng));
                row.iter_mut()
                    .step_by(3)
                    .for_each(|x| *x = pick(&values.nans, rng));
            }
            Self::AllNan => row.fill_with(|| pick(&values.nans, rng)),
            Self::SignedZeros => late(row, values, rng, |rng| match rng.random_range(0..4) {
                0 => Some(pick(&values.zeros, rng)),
                _ => None,
            }),
            Self::Denormals => late(row, values, rng, |rng| match rng.random_range(0..2) {
                0 => Some(pick(&values.zeros, rng)),
                _ => Some(pick(&values.denormals, rng)),
            }),
        }
    }
}

impl fmt::Display for ArgComparePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random",
            Self::Planted => "one winner",
            Self::Ties => "ties",
            Self::ManyTies => "many ties",
            Self::AllEqual => "all equal",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::Drifting => "drifting",
            Self::Constants => "constants",
            Self::First => "winner first",
            Self::Last => "winner last",
            Self::Extremes => "extremes",
            Self::AllWorst => "all worst",
            Self::Nan => "NaN",
            Self::AllNan => "all NaN",
            Self::SignedZeros => "signed zeros",
            Self::Denormals => "denormals",
        })
    }
}

fn pick(values: &[u64], rng: &mut impl Rng) -> u64 {
    *values
        .choose(rng)
        .expect("a pattern applies only to types that have its values")
}

/// Fills the row with non-decreasing numbers over the ranks of positions. They saturate for
/// narrow types.
fn sorted(row: &mut [u64], values: &ComparatorValues, rank: impl Fn(usize) -> usize) {
    let middle = row.len() as f64 / 2.0;
    for (i, x) in row.iter_mut().enumerate() {
        *x = values.nearest(rank(i) as f64 - middle);
    }
}

/// Fills the row with numbers that rise or fall by 0 to 7 per position. For floats, the unit is a
/// quarter.
fn drifting(row: &mut [u64], values: &ComparatorValues, rng: &mut impl Rng) {
    let start = match rng.random_range(0..3) {
        0 => values.number(pick(&values.near_constants, rng)),
        _ => 0.0,
    };
    let unit = [1.0, -1.0][rng.random_range(0..2)] / if values.is_float() { 4.0 } else { 1.0 };
    let mut number = if start.is_finite() { start } else { 0.0 };
    for x in row {
        *x = values.nearest(number);
        number += unit * f64::from(rng.random_range(0..8));
    }
}

/// Fills the row with ordinary values, and with a value that beats all of them at `winners`.
fn ordinary_but(row: &mut [u64], winners: &[usize], values: &ComparatorValues, rng: &mut impl Rng) {
    row.fill_with(|| pick(&values.ordinary, rng));
    for &winner in winners {
        row[winner] = values.winner;
    }
}

/// Fills the row with a value that loses against zero, up to some position. From there on, `next`
/// gives the elements or leaves the losing value.
fn late<R: Rng>(
    row: &mut [u64],
    values: &ComparatorValues,
    rng: &mut R,
    mut next: impl FnMut(&mut R) -> Option<u64>,
) {
    let start = rng.random_range(0..row.len());
    for (i, x) in row.iter_mut().enumerate() {
        *x = match i < start {
            true => values.below_zero,
            false => next(rng).unwrap_or(values.below_zero),
        };
    }
}
