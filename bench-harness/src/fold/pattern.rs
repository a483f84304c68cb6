//! Patterns of plain reductions: what one row is filled with, and what that finds.

use std::fmt;

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::factors;
use super::values::{FoldValues, is_bitwise};
use crate::numbers::{denormals, extremes, nans};
use crate::operation::planted;

/// What a row is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FoldPattern {
    /// Any value by its bits.
    Random,
    /// Numbers of which every one, at every place, is seen in the result, which every order gives to the bit: integers of
    /// floats that are summed, ones with a few powers of two and threes of those that are multiplied, odd integers.
    Exact,
    /// One element that is not neutral, somewhere: what reads too little, or the wrong row, loses it.
    Planted,
    /// Numbers near 1, which no partial product overflows with. Products of floats only.
    Factors,
    /// Pairs that cancel, and something small.
    Cancelling,
    /// One huge number among small ones.
    Huge,
    /// One value throughout.
    AllEqual,
    /// One value throughout that has all digits of its type: adding it to a sum of many is rounded
    /// in one direction again and again, so that a long chain of additions drifts away.
    Drifting,
    /// Rising numbers.
    Ascending,
    /// Falling numbers.
    Descending,
    /// Numbers whose sign is another than their neighbours'.
    Alternating,
    /// Nothing but what changes nothing: the initial value is the result.
    Neutral,
    /// The first element alone is not neutral.
    First,
    /// The last element alone is not neutral: the tail is reached.
    Last,
    /// The type's extremes among random values.
    Extremes,
    /// All bits, but for one element that has one less, or one bit; of xor single bits.
    Bits,
    /// One NaN, somewhere.
    Nan,
    /// Every third a NaN of some kind.
    Nans,
    /// NaN throughout.
    AllNan,
    /// One infinity, somewhere.
    Infinity,
    /// Infinities of both signs.
    Infinities,
    /// Negative zeros only.
    NegativeZeros,
    /// Zeros, all but one of one sign, with that one somewhere.
    SignedZeros,
    /// One zero, somewhere.
    Zero,
    /// Subnormal values and zeros: flushing them is seen.
    Denormals,
    /// Numbers near the largest, of one sign: their sum overflows.
    Overflow,
}

/// Of which reductions a pattern is.
#[derive(Clone, Copy)]
enum PatternScope {
    All,
    /// Those that not every row of random numbers is exact for, or tells much with.
    Exact,
    /// Floats that are summed.
    Sums,
    /// Those that are multiplied.
    Products,
    /// Those that are neither: of integers as well.
    Others,
    /// Floats.
    Floats,
    /// Floats, but for those that are multiplied.
    NoProducts,
    /// Integers of which bits are taken.
    Bitwise,
}

impl FoldPattern {
    const ALL: [(FoldPattern, PatternScope); 26] = [
        (Self::Random, PatternScope::NoProducts),
        (Self::Exact, PatternScope::Exact),
        (Self::Planted, PatternScope::All),
        (Self::Nan, PatternScope::Floats),
        (Self::Factors, PatternScope::Products),
        (Self::Cancelling, PatternScope::Sums),
        (Self::Huge, PatternScope::Sums),
        (Self::AllEqual, PatternScope::All),
        (Self::Drifting, PatternScope::Sums),
        (Self::Ascending, PatternScope::NoProducts),
        (Self::SignedZeros, PatternScope::Floats),
        (Self::Descending, PatternScope::Others),
        (Self::Alternating, PatternScope::NoProducts),
        (Self::Neutral, PatternScope::All),
        (Self::Infinity, PatternScope::Floats),
        (Self::First, PatternScope::All),
        (Self::Last, PatternScope::All),
        (Self::Extremes, PatternScope::Others),
        (Self::Bits, PatternScope::Bitwise),
        (Self::Nans, PatternScope::Floats),
        (Self::AllNan, PatternScope::Floats),
        (Self::Infinities, PatternScope::Floats),
        (Self::NegativeZeros, PatternScope::Floats),
        (Self::Zero, PatternScope::Products),
        (Self::Denormals, PatternScope::NoProducts),
        (Self::Overflow, PatternScope::Sums),
    ];

    /// The patterns of a reduction.
    pub(super) fn all(fold: &Fold) -> Vec<FoldPattern> {
        let combining = fold.combining();
        let is_float = fold.element().is_float();
        let applies = |(pattern, of): (FoldPattern, PatternScope)| {
            let applies = match of {
                PatternScope::All => true,
                PatternScope::Exact => {
                    combining == Combining::Product || is_float && combining == Combining::Sum
                }
                PatternScope::Sums => is_float && combining == Combining::Sum,
                PatternScope::Products => is_float && combining == Combining::Product,
                PatternScope::Others => !is_float || fold.combining().is_idempotent(),
                PatternScope::Floats => is_float,
                PatternScope::NoProducts => !is_float || combining != Combining::Product,
                PatternScope::Bitwise => is_bitwise(combining),
            };
            let is_of_integers = pattern != FoldPattern::Denormals || is_float;
            (applies && is_of_integers).then_some(pattern)
        };
        Self::ALL.into_iter().filter_map(applies).collect()
    }

    /// That of a row which is there to find an element that is left out.
    pub(super) fn of_holes(fold: &Fold, turn: usize) -> FoldPattern {
        match fold.combining().is_idempotent() || turn % 4 == 3 {
            true => Self::Planted,
            false => Self::Exact,
        }
    }

    /// Fills one row, number `turn` of those of all launches.
    pub(super) fn fill(
        self,
        values: &FoldValues,
        row: &mut [u64],
        turn: usize,
        rng: &mut impl Rng,
    ) {
        let (n, kind) = (row.len(), values.kind);
        let place = planted(turn, n, rng);
        match self {
            Self::Random => row.fill_with(|| values.random(n, rng)),
            Self::Exact => exact(values, row, rng),
            Self::Planted => one(values, row, place, rng),
            Self::First => one(values, row, 0, rng),
            Self::Last => one(values, row, n - 1, rng),
            Self::Factors => factors::near_one(values, row, rng),
            Self::Cancelling => cancelling(values, row, place, rng),
            Self::Huge => {
                exact(values, row, rng);
                row[place] = values.nearest(2f64.powi(100));
            }
            Self::AllEqual => row.fill(values.nearest(match values.fold.combining() {
                Combining::Product => -1.0,
                _ => -3.0,
            })),
            Self::Drifting => row.fill(values.nearest(0.1)),
            Self::Ascending => rising(values, row, |i| i),
            Self::Descending => rising(values, row, |i| n - 1 - i),
            Self::Alternating => {
                for (i, x) in row.iter_mut().enumerate() {
                    let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
                    *x = values.nearest(sign * f64::from(rng.random_range(1..=9)));
                }
            }
            Self::Neutral => row.fill(values.neutral),
            Self::Extremes => {
                row.fill_with(|| values.random(n, rng));
                for extreme in extremes(kind) {
                    row[rng.random_range(0..n)] = extreme;
                }
            }
            Self::Bits => bits(values, row, place, rng),
            Self::Nan => {
                exact(values, row, rng);
                row[place] = pick(&nans(kind), rng);
            }
            Self::Nans => {
                exact(values, row, rng);
                let third = row.iter_mut().step_by(3);
                third.for_each(|x| *x = pick(&nans(kind), rng));
            }
            Self::AllNan => row.fill_with(|| pick(&nans(kind), rng)),
            Self::Infinity => {
                match values.fold.combining() {
                    // Numbers that make one of what stands in for it would hide that.
                    Combining::Product => factors::ones(values, row, rng),
                    _ => exact(values, row, rng),
                }
                row[place] = infinity(kind, rng.random());
            }
            Self::Infinities => {
                exact(values, row, rng);
                row[place] = infinity(kind, false);
                row[(place + 1 + rng.random_range(0..n)) % n] = infinity(kind, true);
            }
            Self::NegativeZeros => row.fill(kind.sign_bit()),
            Self::SignedZeros => {
                let [most, other] = match rng.random() {
                    true => [0, kind.sign_bit()],
                    false => [kind.sign_bit(), 0],
                };
                row.fill(most);
                row[place] = other;
            }
            Self::Zero => {
                factors::near_one(values, row, rng);
                row[place] = pick(&[0, kind.sign_bit()], rng);
            }
            Self::Denormals => row.fill_with(|| {
                let sign = if rng.random() { kind.sign_bit() } else { 0 };
                match rng.random_range(0..4) {
                    0 => sign,
                    _ => sign | pick(&denormals(kind), rng),
                }
            }),
            Self::Overflow => {
                let sign = if rng.random() { kind.sign_bit() } else { 0 };
                row.fill_with(|| sign | (kind.greatest() - rng.random_range(1..4)));
            }
        }
    }
}

impl fmt::Display for FoldPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random",
            Self::Exact => "exact",
            Self::Planted => "one element",
            Self::Factors => "near 1",
            Self::Cancelling => "cancelling",
            Self::Huge => "one huge",
            Self::AllEqual => "all equal",
            Self::Drifting => "drifting",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::Alternating => "alternating signs",
            Self::Neutral => "all neutral",
            Self::First => "first element",
            Self::Last => "last element",
            Self::Extremes => "extremes",
            Self::Bits => "bits",
            Self::Nan => "one NaN",
            Self::Nans => "many NaN",
            Self::AllNan => "all NaN",
            Self::Infinity => "one infinity",
            Self::Infinities => "infinities",
            Self::NegativeZeros => "negative zeros",
            Self::SignedZeros => "signed zeros",
            Self::Zero => "one zero",
            Self::Denormals => "denormals",
            Self::Overflow => "overflow",
        })
    }
}

fn pick(values: &[u64], rng: &mut impl Rng) -> u64 {
    *values.choose(rng).expect("there are values")
}

fn infinity(kind: ScalarType, is_negative: bool) -> u64 {
    kind.greatest() | if is_negative { kind.sign_bit() } else { 0 }
}

/// Numbers of which every one is seen, with one result of any order.
fn exact(values: &FoldValues, row: &mut [u64], rng: &mut impl Rng) {
    let n = row.len();
    match (values.fold.combining(), values.kind) {
        (Combining::Sum, kind) if kind.is_float() => row.fill_with(|| values.whole(n, rng)),
        (Combining::Product, kind) if kind.is_float() => factors::exact(values, row, rng),
        // Of even ones the low bits would soon be lost, and of truth values one 0 is enough.
        (Combining::Product, _) => row.fill_with(|| values.random(n, rng) | 1),
        _ => row.fill_with(|| values.random(n, rng)),
    }
}

/// One element that is seen among those that are not.
fn one(values: &FoldValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    row.fill_with(|| pick(&values.ordinary, rng));
    row[place] = values.planted(rng);
}

/// Numbers and their opposites, at any two places, and at one something small.
fn cancelling(values: &FoldValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    for pair in row.chunks_mut(2) {
        let magnitude = 2f64.powi(rng.random_range(0..12)) * rng.random_range(0.5..1.0);
        let x = values.nearest(magnitude);
        pair.fill(x);
        pair[0] ^= values.kind.sign_bit();
    }
    for i in (1..row.len()).rev() {
        row.swap(i, rng.random_range(0..=i));
    }
    row[place] = values.nearest(0.125);
}

/// Non-decreasing numbers over the rank that `rank` gives to a position; they saturate on narrow types.
fn rising(values: &FoldValues, row: &mut [u64], rank: impl Fn(usize) -> usize) {
    let middle = row.len() as f64 / 2.0;
    for (i, x) in row.iter_mut().enumerate() {
        *x = values.nearest(rank(i) as f64 - middle);
    }
}

/// Elements of which a single bit matters: that of one of them, or of xor those of all.
fn bits(values: &FoldValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    let mask = values.kind.mask();
    let bit = 1 << rng.random_range(0..values.kind.bits());
    match values.fold.combining() {
        Combining::And => {
            row.fill(mask);
            row[place] = mask ^ bit;
        }
        Combining::Or => {
            row.fill(0);
            row[place] = bit;
        }
        _ => row.fill_with(|| 1 << rng.random_range(0..values.kind.bits())),
    }
}
