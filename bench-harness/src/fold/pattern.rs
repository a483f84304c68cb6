//! Row patterns of plain reductions: the contents of one row, and the bugs that they find.

use std::fmt;

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::factors;
use super::values::{FoldValues, is_bitwise};
use crate::numbers::{denormals, extremes, nans};
use crate::operation::planted;

/// The contents of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FoldPattern {
    /// Any finite value.
    Random,
    /// Numbers whose result is exact in every order, and depends on each of them. Sums of floats
    /// have integers, and products have ones with a few powers of two and threes. Products of
    /// integers have odd ones.
    Exact,
    /// One element that is not neutral, at any position. A kernel that skips elements or reads
    /// the wrong row loses it.
    Planted,
    /// Numbers near 1, whose partial products do not overflow, for products of floats only.
    Factors,
    /// Pairs that cancel, and a small number.
    Cancelling,
    /// One huge number among small ones.
    Huge,
    /// One value throughout.
    AllEqual,
    /// One value throughout that has all digits of its type. Each addition to a large sum rounds
    /// in the same direction, so a long chain of additions drifts away.
    Drifting,
    /// Rising numbers.
    Ascending,
    /// Falling numbers.
    Descending,
    /// Numbers with alternating signs.
    Alternating,
    /// Neutral elements only: the initial value is the result.
    Neutral,
    /// Only the first element is not neutral.
    First,
    /// Only the last element, in the tail, is not neutral.
    Last,
    /// The type's extremes among random values.
    Extremes,
    /// One bit decides: all ones but for one bit of one element (and), or one bit of one element
    /// (or). For xor, each element has a single bit.
    Bits,
    /// One NaN, at any position.
    Nan,
    /// A NaN of some kind at every third position.
    Nans,
    /// NaN throughout.
    AllNan,
    /// One infinity, at any position.
    Infinity,
    /// Infinities of both signs.
    Infinities,
    /// Negative zeros only.
    NegativeZeros,
    /// Zeros of one sign, with one zero of the other sign at any position.
    SignedZeros,
    /// One zero, at any position.
    Zero,
    /// Subnormal values and zeros, to find kernels that flush them.
    Denormals,
    /// Numbers near the largest, of one sign: their sum overflows.
    Overflow,
}

/// The reductions to which a pattern applies.
#[derive(Clone, Copy)]
enum PatternScope {
    All,
    /// Reductions for which random rows are inexact or tell little: products, and sums of floats.
    Exact,
    /// Sums of floats.
    Sums,
    /// Products of floats.
    Products,
    /// Reductions of integers, and idempotent ones of floats.
    Others,
    /// Reductions of floats.
    Floats,
    /// All reductions but products of floats.
    NoProducts,
    /// Bitwise reductions of integers.
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

    /// Returns the patterns of a reduction.
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

    /// Returns the pattern of a row that finds skipped elements.
    pub(super) fn of_holes(fold: &Fold, turn: usize) -> FoldPattern {
        // An exact row finds any skipped element. For an idempotent reduction only a winner is
        // visible.
        match fold.combining().is_idempotent() || turn % 4 == 3 {
            true => Self::Planted,
            false => Self::Exact,
        }
    }

    /// Fills one row, number `turn` of the rows of all launches.
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
                    // Other factors could turn a large finite number, which replaces the
                    // infinity, into an infinity and hide it.
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

/// Fills the row with numbers of which each changes the result, and whose result no order
/// changes.
fn exact(values: &FoldValues, row: &mut [u64], rng: &mut impl Rng) {
    let n = row.len();
    match (values.fold.combining(), values.kind) {
        (Combining::Sum, kind) if kind.is_float() => row.fill_with(|| values.whole(n, rng)),
        (Combining::Product, kind) if kind.is_float() => factors::exact(values, row, rng),
        // Even factors would soon shift all bits out. For i1, any single 0 decides the product.
        (Combining::Product, _) => row.fill_with(|| values.random(n, rng) | 1),
        _ => row.fill_with(|| values.random(n, rng)),
    }
}

/// Fills the row with one element that decides the result, among others that do not.
fn one(values: &FoldValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    row.fill_with(|| pick(&values.ordinary, rng));
    row[place] = values.planted(rng);
}

/// Fills the row with numbers and their negatives at random positions, and one small number.
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

/// Fills the row with non-decreasing numbers over the ranks of positions. They saturate for
/// narrow types.
fn rising(values: &FoldValues, row: &mut [u64], rank: impl Fn(usize) -> usize) {
    let middle = row.len() as f64 / 2.0;
    for (i, x) in row.iter_mut().enumerate() {
        *x = values.nearest(rank(i) as f64 - middle);
    }
}

/// Fills the row with elements of which a single bit decides the result. For xor, this is the
/// case for one bit of each element.
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
