//! Inputs that expose wrong kernels; each kind stands for one way to be wrong.

use configgen::Problem;
use configgen::comparator::ScalarType;

use crate::native::fold::Fold;
pub(crate) use testing::Random;

/// Kinds of input, by the mistake that they expose.
pub(crate) const KINDS: [Kind; 13] = [
    // Any bits: NaN of both kinds, infinities, denormals among them.
    Kind::Bits,
    // Three values: a tie in nearly every pair of lanes.
    Kind::Ties,
    Kind::AllEqual,
    Kind::Ascending,
    Kind::Descending,
    Kind::MostlyNan,
    Kind::AllNan,
    Kind::Zeros,
    Kind::Worst,
    Kind::Denormals,
    Kind::LastOnly,
    Kind::OneTwice,
    // Several of the best value: a tie in nearly every lane with many elements, and rarely at the
    // beginning.
    Kind::OneOften,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bits,
    Ties,
    AllEqual,
    Ascending,
    Descending,
    MostlyNan,
    AllNan,
    Zeros,
    Worst,
    Denormals,
    LastOnly,
    OneTwice,
    OneOften,
}

/// The values of rows of one problem, as bits.
pub(crate) struct Values {
    kind: ScalarType,
    start: u64,
    /// A value better than those in most kinds of input.
    pub(crate) top: u64,
    nans: Vec<u64>,
}

impl Values {
    pub(crate) fn of(problem: &Problem) -> Values {
        let kind = problem.arg_compare().unwrap().comparator.element();
        let mut fold = Fold::of(problem);
        let small: Vec<u64> = (-50..=50).map(|n| number(kind, n)).collect();
        let mut beaten = |top: u64| {
            let beaten = small.iter().filter(|&&value| fold.replaces(top, value));
            beaten.count()
        };
        let candidates = [1000, -1000, 0, 100, -100].map(|n| number(kind, n));
        let mut nans = Vec::new();
        if kind.is_float() {
            let quiet = kind.canonical_nan();
            nans = vec![quiet, quiet | kind.sign_bit(), quiet ^ 1, kind.mask()];
            nans.retain(|&bits| kind.is_nan(bits));
        }
        Values {
            kind,
            start: problem.arg_compare().unwrap().comparator.order().start,
            top: candidates
                .into_iter()
                .max_by_key(|&top| beaten(top))
                .unwrap_or_default(),
            nans,
        }
    }

    fn nan(&self, random: &mut Random) -> u64 {
        match self.nans.len() as u64 {
            // Integers have none.
            0 => random.next() & self.kind.mask(),
            count => self.nans[random.below(count) as usize],
        }
    }

    /// Returns a row of `length` elements.
    pub(crate) fn row(&self, kind: Kind, length: usize, random: &mut Random) -> Vec<u64> {
        let number = |n: i64| number(self.kind, n);
        let negative_zero = match self.kind.is_float() && self.kind.has_negative_zero() {
            true => self.kind.sign_bit(),
            false => 0,
        };
        let places = [random.below(length as u64), random.below(length as u64)];
        (0..length)
            .map(|index| match kind {
                Kind::Bits => random.next() & self.kind.mask(),
                Kind::Ties => number(random.below(3) as i64 - 1),
                Kind::AllEqual => number(7),
                Kind::Ascending => number(index as i64 - length as i64 / 2),
                Kind::Descending => number(length as i64 / 2 - index as i64),
                Kind::MostlyNan => match random.below(8) {
                    0 => number(random.below(4) as i64),
                    _ => self.nan(random),
                },
                Kind::AllNan => self.nan(random),
                Kind::Zeros => [0, negative_zero][random.below(2) as usize],
                Kind::Worst => self.start,
                Kind::Denormals => {
                    let value = [0, negative_zero, 1, 2, negative_zero | 1];
                    value[random.below(5) as usize] & self.kind.mask()
                }
                Kind::LastOnly if index + 1 == length => self.top,
                Kind::OneTwice if places.contains(&(index as u64)) => self.top,
                Kind::OneOften if random.below(length as u64) < 8 => self.top,
                Kind::LastOnly | Kind::OneTwice | Kind::OneOften => {
                    number(random.below(200) as i64 - 100)
                }
            })
            .collect()
    }

    /// Returns an initial value for a row: the worst, the row's best or another element, a NaN,
    /// any bits, or the best of all.
    pub(crate) fn initial(&self, row: &[u64], best: u64, random: &mut Random) -> u64 {
        match random.below(6) {
            0 => self.start,
            1 => best,
            2 => row[random.below(row.len() as u64) as usize],
            3 => self.nan(random),
            4 => random.next() & self.kind.mask(),
            _ => self.top,
        }
    }
}

/// Returns the bits nearest to a number.
fn number(kind: ScalarType, value: i64) -> u64 {
    match kind.is_integer() {
        true => value as u64 & kind.mask(),
        false => kind.round(value as f64),
    }
}
