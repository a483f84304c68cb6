//! Input patterns: what one row is filled with. Each is there for a class of bugs that the others do not show.

use std::fmt;

use configgen::{ElementType, Operation};
use ndarray::ArrayViewMut1;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::element::Element;

/// What a row is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
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

impl Pattern {
    const INTEGER: [Pattern; 11] = [
        Self::Random,
        Self::Ties,
        Self::AllEqual,
        Self::Planted,
        Self::Ascending,
        Self::ManyTies,
        Self::Descending,
        Self::First,
        Self::Last,
        Self::Extremes,
        Self::AllWorst,
    ];

    const FLOAT: [Pattern; 15] = [
        Self::Random,
        Self::Ties,
        Self::Nan,
        Self::AllEqual,
        Self::Planted,
        Self::Ascending,
        Self::SignedZeros,
        Self::ManyTies,
        Self::Descending,
        Self::First,
        Self::AllNan,
        Self::Last,
        Self::Extremes,
        Self::Denormals,
        Self::AllWorst,
    ];

    /// The patterns that apply to an element type.
    pub fn all(element: ElementType) -> &'static [Pattern] {
        if element.is_float() {
            &Self::FLOAT
        } else {
            &Self::INTEGER
        }
    }

    /// The pattern of the row at `position` of the `rows` checked ones, in launch `launch`.
    ///
    /// Few rows go through the patterns launch by launch; many have them all, and each another one in the next launch.
    pub(crate) fn of(element: ElementType, rows: usize, launch: usize, position: usize) -> Pattern {
        let patterns = Self::all(element);
        let step = if rows < patterns.len() { rows } else { 5 };
        patterns[(launch * step + position) % patterns.len()]
    }

    /// Fills one row, number `turn` of those of all launches.
    pub(crate) fn fill<T: Element>(
        self,
        operation: Operation,
        mut row: ArrayViewMut1<'_, T>,
        turn: usize,
        rng: &mut impl Rng,
    ) {
        let n = row.len();
        match self {
            Self::Random => fill_with(&mut row, || T::random(rng)),
            Self::Planted => ordinary_but(row, &[planted(turn, n, rng)], operation, rng),
            Self::Ties => {
                let winners = [(); 4].map(|()| rng.random_range(0..n));
                ordinary_but(row, &winners, operation, rng);
            }
            Self::ManyTies => {
                let values = [1.0, 2.0, -1.0, -2.0].map(T::nearest);
                fill_with(&mut row, || pick(&values, rng));
            }
            Self::AllEqual => row.fill(T::nearest(-3.0)),
            Self::Ascending => sorted(row, |i| i),
            Self::Descending => sorted(row, |i| n - 1 - i),
            Self::First => ordinary_but(row, &[0], operation, rng),
            Self::Last => ordinary_but(row, &[n - 1], operation, rng),
            Self::Extremes => {
                fill_with(&mut row, || T::random(rng));
                for _ in 0..4 {
                    row[rng.random_range(0..n)] = T::worst(operation);
                    row[rng.random_range(0..n)] = T::best(operation);
                }
            }
            Self::AllWorst => row.fill(T::worst(operation)),
            Self::Nan => {
                fill_with(&mut row, || T::random(rng));
                row.iter_mut()
                    .step_by(3)
                    .for_each(|x| *x = pick(T::NANS, rng));
            }
            Self::AllNan => fill_with(&mut row, || pick(T::NANS, rng)),
            Self::SignedZeros => late(row, operation, rng, |rng| match rng.random_range(0..4) {
                0 => Some(pick(T::ZEROS, rng)),
                _ => None,
            }),
            Self::Denormals => late(row, operation, rng, |rng| match rng.random_range(0..2) {
                0 => Some(pick(T::ZEROS, rng)),
                _ => Some(pick(T::DENORMALS, rng)),
            }),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random",
            Self::Planted => "one winner",
            Self::Ties => "ties",
            Self::ManyTies => "many ties",
            Self::AllEqual => "all equal",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
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

fn fill_with<T>(row: &mut ArrayViewMut1<'_, T>, mut next: impl FnMut() -> T) {
    row.iter_mut().for_each(|x| *x = next());
}

fn pick<T: Copy>(values: &[T], rng: &mut impl Rng) -> T {
    *values
        .choose(rng)
        .expect("a pattern applies only to types that have its values")
}

/// Non-decreasing values over the rank that `rank` gives to a position; they saturate on narrow types.
fn sorted<T: Element>(mut row: ArrayViewMut1<'_, T>, rank: impl Fn(usize) -> usize) {
    let middle = row.len() as f64 / 2.0;
    row.indexed_iter_mut()
        .for_each(|(i, x)| *x = T::nearest(rank(i) as f64 - middle));
}

/// Where the winner of row `turn` is planted: anywhere, but so that the places of successive turns spread evenly over
/// the lanes of a subgroup, whatever vector each lane loads.
fn planted(turn: usize, n: usize, rng: &mut impl Rng) -> usize {
    /// Elements of a subgroup's load of 4 a lane.
    const PERIOD: usize = 256;
    /// Odd, and near the golden section of the period: multiples of it spread evenly.
    const STRIDE: usize = 159;
    let place = rng.random_range(0..n) / PERIOD * PERIOD + turn * STRIDE % PERIOD;
    if place < n {
        place
    } else {
        rng.random_range(0..n)
    }
}

/// Small values, and at `winners` one that beats them all.
fn ordinary_but<T: Element>(
    mut row: ArrayViewMut1<'_, T>,
    winners: &[usize],
    operation: Operation,
    rng: &mut impl Rng,
) {
    fill_with(&mut row, || {
        T::nearest(f64::from(rng.random_range(-50i32..=50)))
    });
    for &winner in winners {
        row[winner] = T::nearest(-100.0 * losing_sign(operation));
    }
}

/// A losing value up to somewhere, then what `next` gives, or the losing value again.
fn late<T: Element, R: Rng>(
    mut row: ArrayViewMut1<'_, T>,
    operation: Operation,
    rng: &mut R,
    mut next: impl FnMut(&mut R) -> Option<T>,
) {
    let start = rng.random_range(0..row.len());
    let losing = T::nearest(losing_sign(operation));
    for (i, x) in row.indexed_iter_mut() {
        *x = if i < start {
            losing
        } else {
            next(rng).unwrap_or(losing)
        };
    }
}

/// The sign of values that lose against zero.
fn losing_sign(operation: Operation) -> f64 {
    if operation == Operation::Argmax {
        -1.0
    } else {
        1.0
    }
}
