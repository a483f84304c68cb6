//! Patterns of operations that use what a row gives once more: what one row is filled with, and what that finds.

use std::fmt;

use configgen::comparator::ScalarType;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::numbers::{denormals, nans, nearest, power};
use crate::operation::planted;

/// What a row is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RowwisePattern {
    /// Small numbers with all their digits.
    Random,
    /// Numbers of which every one is seen, at every place, since no order rounds the sum: those that are greatest among those of which
    /// no power is left; else whole ones whose mean is 0.
    Exact,
    /// One element that outweighs all others together, somewhere: what leaves it out, or takes it twice, changes all results.
    Planted,
    /// Numbers of a huge size, of both signs: their squares do not overflow in f32, and do in what is narrower.
    Huge,
    /// A large number and a little noise: what is lost where the squares are summed before the mean is known.
    Offset,
    /// One NaN, somewhere.
    Nan,
    /// Infinities of the sign of which no power is left, at many places: a mask.
    Masked,
    /// One value throughout.
    AllEqual,
    /// Numbers so large that no power of one is left.
    Large,
    /// One infinity, somewhere.
    Infinity,
    /// Rising numbers: each is the greatest so far.
    Ascending,
    /// Falling numbers.
    Descending,
    /// Numbers of no more than what is added before a root is taken.
    Tiny,
    /// Numbers below 0, so far that no power is left of them as they are.
    Negative,
    /// Numbers above 0.
    Positive,
    /// One number among others so far below it that nothing is left of them.
    Far,
    /// Numbers whose sign is another than their neighbours'.
    Alternating,
    /// The first element alone outweighs the others.
    First,
    /// The last element alone does: the tail is reached.
    Last,
    /// Infinities below 0 throughout.
    AllMasked,
    /// Zeros of both signs.
    Zeros,
    /// Subnormal values and zeros.
    Denormals,
}

/// What the rows of a problem are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowwiseValues {
    pub(super) kind: ScalarType,
    /// Whether powers of the elements are taken, rather than their squares.
    pub(super) is_of_powers: bool,
}

impl RowwisePattern {
    /// Those with `true` are for powers alone.
    const ALL: [(RowwisePattern, bool, &'static str); 22] = [
        (Self::Random, false, "random"),
        (Self::Exact, false, "exact"),
        (Self::Planted, false, "one element"),
        (Self::Huge, false, "huge"),
        (Self::Offset, false, "offset and noise"),
        (Self::Nan, false, "one NaN"),
        (Self::Masked, true, "masked"),
        (Self::AllEqual, false, "all equal"),
        (Self::Large, true, "large"),
        (Self::Infinity, false, "one infinity"),
        (Self::Ascending, false, "ascending"),
        (Self::Descending, false, "descending"),
        (Self::Tiny, false, "tiny"),
        (Self::Negative, false, "negative"),
        (Self::Positive, false, "positive"),
        (Self::Far, true, "far below one"),
        (Self::Alternating, false, "alternating signs"),
        (Self::First, false, "first element"),
        (Self::Last, false, "last element"),
        (Self::AllMasked, true, "all masked"),
        (Self::Zeros, false, "zeros"),
        (Self::Denormals, false, "denormals"),
    ];

    /// The patterns of a problem.
    pub(super) fn all(values: RowwiseValues) -> Vec<RowwisePattern> {
        let all = Self::ALL.into_iter();
        let applies = all.filter(|&(_, is_of_powers, _)| !is_of_powers || values.is_of_powers);
        applies.map(|(pattern, ..)| pattern).collect()
    }

    /// That of a row which is there to find an element that is left out.
    pub(super) fn of_holes(turn: usize) -> RowwisePattern {
        match turn % 4 {
            3 => Self::Planted,
            _ => Self::Exact,
        }
    }

    /// Whether it is what the elements are together with an operand that has as many: on their own such small ones would not be seen
    /// beside it.
    pub(super) fn is_of_sums(self) -> bool {
        matches!(self, Self::Tiny | Self::Zeros)
    }

    /// Fills one row, number `turn` of those of all launches.
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
                let is_negative = !values.is_of_powers && rng.random();
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
        let name = all.find_map(|(pattern, _, name)| (pattern == self).then_some(*name));
        f.write_str(name.expect("each is among all"))
    }
}

/// Of a bell about 0, some 7 wide.
fn random(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    let sum: f64 = (0..4).map(|_| rng.random_range(-1.5..1.5)).sum();
    nearest(kind, sum)
}

fn signed(rng: &mut impl Rng) -> f64 {
    if rng.random() { 1.0 } else { -1.0 }
}

/// Numbers of which every one is seen, in results that no order changes.
fn exact(values: RowwiseValues, row: &mut [u64], place: usize, rng: &mut impl Rng) {
    let (n, kind) = (row.len(), values.kind);
    if values.is_of_powers {
        let tops = [1.5, -4.0, 100.0, -200.0];
        let top = *tops.choose(rng).expect("there are some");
        row.fill_with(|| nearest(kind, if rng.random() { top } else { top - 1000.0 }));
        row[place] = nearest(kind, top);
        return;
    }
    // With a residual of 3 at most the squares of a row are summed exactly.
    let most = ((power(24) / n as f64).sqrt() - 3.0).clamp(1.0, 8.0) as i32;
    row.fill(0);
    for pair in row.chunks_exact_mut(2) {
        let x = nearest(kind, f64::from(rng.random_range(1..=most)));
        pair.copy_from_slice(&[x, x | kind.sign_bit()]);
    }
    row.shuffle(rng);
}

/// One element that outweighs all others.
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

/// A whole number so large that a row of such ones, and of those near it, is still summed exactly.
fn offset(kind: ScalarType, n: usize) -> f64 {
    let digits = kind.least_normal().trailing_zeros() as i32 + 1;
    let most = (power(23) / n as f64).min(power(digits - 1));
    (most.floor() - 4.0).max(0.0)
}

/// That of the greatest finite number.
fn exponent_of_greatest(kind: ScalarType) -> i32 {
    match kind {
        ScalarType::F16 => 15,
        _ => 127,
    }
}
