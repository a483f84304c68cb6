//! Row patterns of row operations: the contents of one row, and the bugs that they find.

use std::fmt;

use configgen::comparator::ScalarType;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::numbers::{denormals, nans, nearest, power};
use crate::operation::planted;

/// The contents of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RowwisePattern {
    /// Small numbers with all their digits.
    Random,
    /// Numbers that each change the result and whose sum no order rounds. For operations with
    /// powers, copies of the maximum among numbers whose powers vanish. Otherwise, integers with
    /// mean 0.
    Exact,
    /// One element that outweighs all others together. A kernel that skips it, or reads it twice,
    /// changes all results.
    Planted,
    /// Huge numbers of both signs. Their squares overflow in narrower types, but not in f32.
    Huge,
    /// A large number with a little noise. A kernel that sums squares before it knows the mean
    /// loses the noise.
    Offset,
    /// One NaN, at any position.
    Nan,
    /// A mask: negative infinities, whose powers vanish, at many positions.
    Masked,
    /// One value throughout.
    AllEqual,
    /// Numbers whose powers overflow.
    Large,
    /// One infinity, at any position.
    Infinity,
    /// Rising numbers: each is the maximum so far.
    Ascending,
    /// Falling numbers.
    Descending,
    /// Numbers no larger than the term that the operation adds before it takes a root.
    Tiny,
    /// Negative numbers whose powers vanish without a subtraction of the maximum.
    Negative,
    /// Positive numbers.
    Positive,
    /// One number among others so far below it that their powers vanish.
    Far,
    /// Numbers with alternating signs.
    Alternating,
    /// Only the first element outweighs the others.
    First,
    /// Only the last element, in the tail, outweighs the others.
    Last,
    /// Negative infinities throughout.
    AllMasked,
    /// Zeros of both signs.
    Zeros,
    /// Subnormal values and zeros.
    Denormals,
    /// Numbers that differ from those of their neighbours, for elements that are rows of their own.
    Steps,
}

/// The properties of a problem that select its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowwiseValues {
    pub(super) kind: ScalarType,
    /// True if the operation exponentiates the elements, and does not square them.
    pub(super) is_of_powers: bool,
    /// True if nothing is folded, so that each element is a row.
    pub(super) is_pointwise: bool,
}

impl RowwisePattern {
    /// All patterns and their names.
    const ALL: [(RowwisePattern, &'static str); 23] = [
        (Self::Random, "random"),
        (Self::Exact, "exact"),
        (Self::Planted, "one element"),
        (Self::Huge, "huge"),
        (Self::Offset, "offset and noise"),
        (Self::Nan, "one NaN"),
        (Self::Masked, "masked"),
        (Self::AllEqual, "all equal"),
        (Self::Large, "large"),
        (Self::Infinity, "one infinity"),
        (Self::Ascending, "ascending"),
        (Self::Descending, "descending"),
        (Self::Tiny, "tiny"),
        (Self::Negative, "negative"),
        (Self::Positive, "positive"),
        (Self::Far, "far below one"),
        (Self::Alternating, "alternating signs"),
        (Self::First, "first element"),
        (Self::Last, "last element"),
        (Self::AllMasked, "all masked"),
        (Self::Zeros, "zeros"),
        (Self::Denormals, "denormals"),
        (Self::Steps, "steps"),
    ];

    /// Returns the patterns of a problem.
    pub(super) fn all(values: RowwiseValues) -> Vec<RowwisePattern> {
        let all = Self::ALL.into_iter().map(|it| it.0);
        all.filter(|it| it.applies(values)).collect()
    }

    fn applies(self, values: RowwiseValues) -> bool {
        match self {
            Self::Steps => values.is_pointwise,
            Self::Large => values.is_of_powers || values.is_pointwise,
            Self::Masked | Self::Far | Self::AllMasked => {
                values.is_of_powers && !values.is_pointwise
            }
            // These are about the other elements of a row.
            Self::Exact
            | Self::Planted
            | Self::Offset
            | Self::AllEqual
            | Self::Ascending
            | Self::Descending
            | Self::Alternating
            | Self::First
            | Self::Last => !values.is_pointwise,
            _ => true,
        }
    }

    /// Returns the pattern of a row that finds skipped elements.
    pub(super) fn of_holes(values: RowwiseValues, turn: usize) -> RowwisePattern {
        match turn % 4 {
            _ if values.is_pointwise => Self::Steps,
            3 => Self::Planted,
            _ => Self::Exact,
        }
    }

    /// Returns true if the pattern describes the sum of the elements and an operand of equal
    /// size. Alone, such small elements would vanish beside the operand.
    pub(super) fn is_of_sums(self) -> bool {
        matches!(self, Self::Tiny | Self::Zeros)
    }

    /// Fills one row, number `turn` of the rows of all launches.
    pub(super) fn fill(
        self,
        values: RowwiseValues,
        row: &mut [u64],
        turn: usize,
        rng: &mut impl Rng,
    ) {
        let (n, kind) = (row.len(), values.kind);
        let place = planted(turn, n, rng);
        let number = |number: f64| nearest(kind, number);
        let rank = |rank: usize| 16.0 * rank as f64 / n as f64 - 8.0;
        match self {
            Self::Random => row.fill_with(|| random(kind, rng)),
            Self::Exact => exact(values, row, place, rng),
            Self::Planted => one(values, row, place, rng),
            Self::First => one(values, row, 0, rng),
            Self::Last => one(values, row, n - 1, rng),
            Self::Huge => {
                // The sum of n squares must stay below 2^126, within f32.
                let exponent = 62 - (n as f64).log2().ceil() as i32 / 2;
                let scale = power(exponent.min(exponent_of_greatest(kind) - 1));
                row.fill_with(|| number(signed(rng) * scale * rng.random_range(0.5..1.0)));
            }
            Self::Offset => {
                let offset = offset(kind, n);
                row.fill_with(|| number(offset + f64::from(rng.random_range(-2..=2))));
            }
            Self::Nan => {
                row.fill_with(|| random(kind, rng));
                row[place] = *nans(kind).choose(rng).expect("floats have a NaN");
            }
            Self::Infinity => {
                row.fill_with(|| random(kind, rng));
                // A positive infinity minus the maximum is NaN; a negative one would be a mask.
                let is_either = !values.is_of_powers || values.is_pointwise;
                let is_negative = is_either && rng.random();
                row[place] = kind.greatest() | if is_negative { kind.sign_bit() } else { 0 };
            }
            Self::Masked => {
                row.fill_with(|| match rng.random() {
                    true => random(kind, rng),
                    false => kind.greatest() | kind.sign_bit(),
                });
                row[place] = random(kind, rng);
            }
            Self::AllMasked => row.fill(kind.greatest() | kind.sign_bit()),
            Self::AllEqual => {
                let all = [1.5, -3.0, 0.375, 120.0, 0.1];
                row.fill(number(*all.choose(rng).expect("there are some")));
            }
            Self::Large => row.fill_with(|| number(rng.random_range(100.0..300.0))),
            Self::Ascending => (0..n).for_each(|at| row[at] = number(rank(at))),
            Self::Descending => (0..n).for_each(|at| row[at] = number(rank(n - 1 - at))),
            Self::Tiny => {
                row.fill_with(|| number(signed(rng) * rng.random_range(0.0..1.0 / 512.0)))
            }
            Self::Negative => row.fill_with(|| number(rng.random_range(-96.0..-90.0))),
            Self::Positive => row.fill_with(|| number(rng.random_range(0.5..4.0))),
            Self::Far => {
                row.fill_with(|| number(rng.random_range(-10_000.0..-200.0)));
                row[place] = number(1.5);
            }
            Self::Alternating => {
                for (at, x) in row.iter_mut().enumerate() {
                    let sign = if at % 2 == 0 { 1.0 } else { -1.0 };
                    *x = number(sign * f64::from(rng.random_range(1..=9)) / 2.0);
                }
            }
            // Elements at a distance of a power of two differ. Most functions still tell such
            // small numbers apart, and all types have them.
            Self::Steps => row.fill(number((turn % 113) as f64 / 8.0 - 7.0)),
            Self::Zeros => row.fill_with(|| if rng.random() { kind.sign_bit() } else { 0 }),
            Self::Denormals => row.fill_with(|| {
                let sign = if rng.random() { kind.sign_bit() } else { 0 };
                match rng.random_range(0..4) {
                    0 => sign,
                    _ => sign | denormals(kind).choose(rng).expect("floats have some"),
                }
            }),
        }
    }
}

impl fmt::Display for RowwisePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = Self::ALL.iter();
        let name = all.find_map(|(pattern, name)| (pattern == self).then_some(*name));
        f.write_str(name.expect("each is among all"))
    }
}

/// Returns a number from a bell-shaped distribution around 0, between -6 and 6.
fn random(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    let sum: f64 = (0..4).map(|_| rng.random_range(-1.5..1.5)).sum();
    nearest(kind, sum)
}

fn signed(rng: &mut impl Rng) -> f64 {
    if rng.random() { 1.0 } else { -1.0 }
}

/// Fills the row with numbers that each change the result, and whose results no order changes.
fn exact(values: RowwiseValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    let (n, kind) = (row.len(), values.kind);
    if values.is_of_powers {
        let tops = [1.5, -4.0, 100.0, -200.0];
        let top = *tops.choose(rng).expect("there are some");
        row.fill_with(|| nearest(kind, if rng.random() { top } else { top - 1000.0 }));
        row[place] = nearest(kind, top);
        return;
    }
    // With a residual of at most 3, the squares of a row are summed exactly.
    let most = ((power(24) / n as f64).sqrt() - 3.0).clamp(1.0, 8.0) as i32;
    row.fill(0);
    for pair in row.chunks_exact_mut(2) {
        let x = nearest(kind, f64::from(rng.random_range(1..=most)));
        pair.copy_from_slice(&[x, x | kind.sign_bit()]);
    }
    row.shuffle(rng);
}

/// Fills the row with one element that outweighs all others.
fn one(values: RowwiseValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    let (n, kind) = (row.len() as f64, values.kind);
    row.fill_with(|| nearest(kind, signed(rng) * rng.random_range(0.5..1.0)));
    row[place] = nearest(
        kind,
        match values.is_of_powers {
            true => n.log2() * 0.75 + 4.0,
            false => signed(rng) * (8.0 * n.sqrt()).ceil(),
        },
    );
}

/// Returns the largest integer for which a row of numbers near it is still summed exactly.
fn offset(kind: ScalarType, n: usize) -> f64 {
    let digits = kind.least_normal().trailing_zeros() as i32 + 1;
    let most = (power(23) / n as f64).min(power(digits - 1));
    (most.floor() - 4.0).max(0.0)
}

/// Returns the exponent of the greatest finite number.
fn exponent_of_greatest(kind: ScalarType) -> i32 {
    match kind {
        ScalarType::F16 => 15,
        _ => 127,
    }
}
