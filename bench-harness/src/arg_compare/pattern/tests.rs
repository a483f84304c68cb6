//! Tests of the purpose of each pattern: the properties of all of its rows, and of some.

use configgen::Problem;
use configgen::comparator::{Comparator, ScalarType};
use ndarray::aview1;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::arg_compare::reference::fold;

/// The number of elements in a row, and of rows per pattern.
const N: usize = 200;
const ROWS: usize = 60;

/// A row of a comparator's elements.
struct Seen<'a> {
    comparator: &'a Comparator,
    row: Vec<u64>,
}

type Predicate = fn(&Seen<'_>) -> bool;

impl Seen<'_> {
    fn kind(&self) -> ScalarType {
        self.comparator.element()
    }

    /// Returns an element as a number: a signed integer, or a float with its NaN.
    fn number(&self, bits: u64) -> f64 {
        let kind = self.kind();
        let unused = kind.mask().leading_zeros();
        match kind.is_integer() {
            true => ((bits << unused) as i64 >> unused) as f64,
            false => kind.to_f64(bits),
        }
    }

    fn numbers(&self) -> Vec<f64> {
        self.row.iter().map(|&bits| self.number(bits)).collect()
    }

    fn all(&self, holds: impl Fn(f64) -> bool) -> bool {
        self.numbers().into_iter().all(holds)
    }

    fn count(&self, holds: impl Fn(f64) -> bool) -> usize {
        self.numbers().into_iter().filter(|&it| holds(it)).count()
    }

    fn has(&self, number: f64) -> bool {
        self.count(|it| it == number) > 0
    }

    fn distinct(&self) -> usize {
        let mut bits = self.row.clone();
        bits.sort_unstable();
        bits.dedup();
        bits.len()
    }

    /// Returns the position of the fold's winner, if any.
    fn winner(&self) -> Option<usize> {
        self.winner_of(&self.row)
    }

    fn winner_of(&self, row: &[u64]) -> Option<usize> {
        let start = self.comparator.order().start;
        fold(&mut self.comparator.evaluator(), start, aview1(row)).position
    }

    /// Returns the number of elements equal to the winner.
    fn winners(&self) -> usize {
        let Some(best) = self.winner().map(|position| self.row[position]) else {
            return 0;
        };
        let beats = |a, b| self.comparator.evaluate(a, b);
        let is_as_good = |&&bits: &&u64| beats(bits, best) == beats(best, bits);
        self.row.iter().filter(is_as_good).count()
    }

    /// Returns true if neighbours are in order and more than a few of them differ.
    fn is_sorted(&self, ordered: impl Fn(f64, f64) -> bool) -> bool {
        let numbers = self.numbers();
        numbers.windows(2).all(|pair| ordered(pair[0], pair[1])) && self.distinct() > 30
    }

    fn has_infinity(&self) -> bool {
        let kind = self.kind();
        !kind.is_integer() && kind.to_f64(kind.greatest()).is_infinite()
    }

    /// Returns true if some NaN is neither the canonical one nor its negative.
    fn has_signalling(&self) -> bool {
        let usual = self.kind().canonical_nan();
        let nans = self.row.iter().filter(|&&bits| self.kind().is_nan(bits));
        let mut others = nans.filter(|&&bits| bits & usual != usual);
        others.next().is_some()
    }

    fn has_negative_nan(&self) -> bool {
        let is_negative = |bits: &u64| bits & self.kind().sign_bit() != 0;
        let mut nans = self.row.iter().filter(|&&bits| self.kind().is_nan(bits));
        nans.any(is_negative)
    }

    fn is_subnormal(&self, number: f64) -> bool {
        let kind = self.kind();
        number != 0.0 && number.abs() < kind.to_f64(kind.least_normal())
    }

    /// Returns true if a number loses against zero.
    fn is_below_zero(&self, number: f64) -> bool {
        let [one, zero] = [number, 0.0].map(|it| self.kind().round(it));
        self.comparator.evaluate(zero, one) && !self.comparator.evaluate(one, zero)
    }

    /// Returns the row as a kernel sees it that flushes subnormal numbers to zero.
    fn flushed(&self) -> Vec<u64> {
        let flush = |&bits: &u64| match self.is_subnormal(self.number(bits)) {
            true => bits & self.kind().sign_bit(),
            false => bits,
        };
        self.row.iter().map(flush).collect()
    }

    /// Returns the sign of the first zero.
    fn first_zero(&self) -> Option<f64> {
        let mut zeros = self.numbers().into_iter().filter(|&it| it == 0.0);
        zeros.next().map(f64::signum)
    }

    fn has_both_zeros(&self) -> bool {
        let signs = [1.0, -1.0].map(|sign| self.count(|it| it == 0.0 && it.signum() == sign));
        signs.iter().all(|&zeros| zeros > 0) || !self.kind().has_negative_zero()
    }
}

/// Returns the property of each row, and the properties of some rows.
fn purpose(pattern: ArgComparePattern) -> (Predicate, &'static [Predicate]) {
    match pattern {
        ArgComparePattern::Random => (
            |row| row.all(f64::is_finite) && row.distinct() > N / 3,
            &[|row| row.count(|it| it > 100.0) > 4 && row.count(|it| it < -100.0) > 4],
        ),
        ArgComparePattern::Planted => (
            |row| row.winners() == 1,
            &[
                |row| row.winner() < Some(N / 4),
                |row| row.winner() > Some(N - N / 4),
            ],
        ),
        ArgComparePattern::Ties => (
            |row| (1..=4).contains(&row.winners()),
            &[|row| row.winners() == 4, |row| row.winner() > Some(N / 4)],
        ),
        ArgComparePattern::ManyTies => (
            |row| row.distinct() == 4 && (N / 8..N / 2).contains(&row.winners()),
            &[|row| row.winner() > Some(0)],
        ),
        ArgComparePattern::AllEqual => (
            |row| row.distinct() == 1 && row.winner() == Some(0) && row.winners() == N,
            &[],
        ),
        ArgComparePattern::Ascending => (|row| row.is_sorted(|a, b| a <= b), &[]),
        ArgComparePattern::Descending => (|row| row.is_sorted(|a, b| a >= b), &[]),
        ArgComparePattern::Drifting => (
            |row| {
                let numbers = row.numbers();
                numbers.is_sorted() || numbers.is_sorted_by(|a, b| a >= b)
            },
            // Some elements in between are unchanged.
            &[
                |row| row.distinct() > 8,
                |row| {
                    row.row[0] != row.row[N - 1]
                        && row.numbers().windows(2).any(|two| two[0] == two[1])
                },
            ],
        ),
        ArgComparePattern::Constants => (
            |row| row.all(|it| !it.is_nan()) && row.distinct() > 4,
            &[
                |row| row.has(0.0) && row.has(1.0),
                |row| row.count(|it| it < 0.0) > N / 8 && row.count(|it| it > 0.0) > N / 8,
            ],
        ),
        ArgComparePattern::First => (|row| row.winner() == Some(0) && row.winners() == 1, &[]),
        ArgComparePattern::Last => (|row| row.winner() == Some(N - 1) && row.winners() == 1, &[]),
        ArgComparePattern::Extremes => (
            |row| row.distinct() > N / 3,
            &[
                |row| match (row.kind().is_integer(), row.has_infinity()) {
                    (true, _) => {
                        let most = row.number(row.kind().mask() >> 1);
                        [most, -most - 1.0, 0.0, -1.0].iter().all(|&it| row.has(it))
                    }
                    (false, true) => row.has(f64::INFINITY) && row.has(f64::NEG_INFINITY),
                    (false, false) => {
                        let most = row.number(row.kind().greatest());
                        row.has(most) && row.has(-most)
                    }
                },
                |row| row.winners() >= 2 && row.winner() > Some(0),
            ],
        ),
        ArgComparePattern::AllWorst => (|row| row.winner().is_none() && row.distinct() == 1, &[]),
        ArgComparePattern::Nan => (
            |row| row.count(f64::is_nan) >= N / 3 && row.winner().is_some(),
            &[
                |row| row.has_signalling() || !row.has_infinity(),
                |row| row.has_negative_nan(),
                |row| row.number(row.row[0]).is_nan(),
            ],
        ),
        ArgComparePattern::AllNan => (|row| row.all(f64::is_nan) && row.winner().is_none(), &[]),
        ArgComparePattern::SignedZeros => (
            |row| row.all(|it| it == 0.0 || row.is_below_zero(it)),
            &[
                |row| row.has_both_zeros() && row.first_zero() == Some(1.0),
                |row| {
                    let unsigned = !row.kind().has_negative_zero();
                    row.has_both_zeros() && row.first_zero() == Some(-1.0) || unsigned
                },
                |row| row.winner() > Some(N / 2) && row.winners() > 1,
            ],
        ),
        ArgComparePattern::Denormals => (
            |row| row.all(|it| it == 0.0 || row.is_subnormal(it) || row.is_below_zero(it)),
            &[
                |row| row.has_both_zeros(),
                |row| row.winner_of(&row.flushed()) != row.winner(),
            ],
        ),
    }
}

#[track_caller]
fn check(comparator: &str, element: &str) {
    let problem: Problem = format!("{comparator}:[{N}]x{element}").parse().unwrap();
    let values = ComparatorValues::new(&problem.arg_compare().unwrap().comparator);
    for &pattern in ArgComparePattern::all(problem.element) {
        let rows: Vec<Seen<'_>> = (0..ROWS)
            .map(|turn| {
                let mut row = vec![0; N];
                let mut rng = Pcg64Mcg::seed_from_u64(turn as u64);
                pattern.fill(&values, &mut row, turn, &mut rng);
                let comparator = &problem.arg_compare().unwrap().comparator;
                Seen { comparator, row }
            })
            .collect();
        let (each, some) = purpose(pattern);
        for (number, row) in rows.iter().enumerate() {
            assert!(
                each(row),
                "{problem}: row {number} ({pattern}): {:?}",
                row.numbers()
            );
        }
        for (number, predicate) in some.iter().enumerate() {
            let holds = rows.iter().any(predicate);
            assert!(
                holds,
                "{problem}: {pattern}: of no row holds number {number}"
            );
        }
    }
}

#[test]
fn patterns_serve_their_purpose() {
    for comparator in ["argmax", "argmin"] {
        for element in ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"] {
            check(comparator, element);
        }
        for element in ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"] {
            check(comparator, element);
        }
    }
}
