//! Input patterns: what one row is filled with. Each is there for a class of bugs that the others do not show.

#[cfg(test)]
mod tests;

use std::fmt;

use configgen::ElementType;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::values::ComparatorValues;
use crate::operation::planted;

/// What a row is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ArgComparePattern {
    /// Any finite value by its bits.
    Random,
    /// One winner somewhere among small values: what reads too little loses it sooner or later.
    Planted,
    /// The winner occurs up to four times, somewhere: the lowest index must be returned, whoever holds the others.
    Ties,
    /// Four distinct values, so that the winner occurs about N/4 times.
    ManyTies,
    /// One value throughout: the index is 0.
    AllEqual,
    /// Sorted upwards: for argmax the running winner changes with every element.
    Ascending,
    /// Sorted downwards.
    Descending,
    /// Rises or falls by small steps of many sizes, from somewhere near zero or one of the comparator's constants: what is
    /// no order, but differs from one only between values that lie near each other, is found out.
    Drifting,
    /// The elements at which the comparator's constants matter, and small numbers.
    Constants,
    /// The winner is the first element.
    First,
    /// The winner is the last element: the tail is reached.
    Last,
    /// The type's extremes (infinities on floats) among random values; the winning one occurs several times.
    Extremes,
    /// Only values that no element beats the initial pair with: the index is 0.
    AllWorst,
    /// Every third element a NaN of some kind. Floats only.
    Nan,
    /// NaN throughout: the initial pair is the result. Floats only.
    AllNan,
    /// From somewhere on, zeros of both signs win: they are equal, so the first one's sign and index are returned. Floats
    /// only.
    SignedZeros,
    /// From somewhere on, subnormal values and zeros: flushing them to zero makes ties. Floats only.
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

    /// The patterns that apply to an element type.
    pub(crate) fn all(element: ElementType) -> &'static [ArgComparePattern] {
        if element.is_float() {
            &Self::FLOAT
        } else {
            &Self::INTEGER
        }
    }

    /// Fills one row, number `turn` of those of all launches.
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

/// Non-decreasing numbers over the rank that `rank` gives to a position; they saturate on narrow types.
fn sorted(row: &mut [u64], values: &ComparatorValues, rank: impl Fn(usize) -> usize) {
    let middle = row.len() as f64 / 2.0;
    for (i, x) in row.iter_mut().enumerate() {
        *x = values.nearest(rank(i) as f64 - middle);
    }
}

/// Numbers that rise, or fall, by 0 to 7 (of floats by that many quarters) a place.
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

/// Ordinary values, and at `winners` one that beats them all.
fn ordinary_but(row: &mut [u64], winners: &[usize], values: &ComparatorValues, rng: &mut impl Rng) {
    row.fill_with(|| pick(&values.ordinary, rng));
    for &winner in winners {
        row[winner] = values.winner;
    }
}

/// A value that loses against zero up to somewhere, then what `next` gives, or the losing value again.
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
