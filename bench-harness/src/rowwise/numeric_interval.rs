//! Numeric intervals: the bounds of a correct kernel's numbers.
//!
//! An operation that rounds correctly has one result for known numbers. For intervals, rounding
//! keeps the order of numbers. The bounds of a result are therefore the rounded exact bounds,
//! without error terms.

use configgen::comparator::ScalarType;

use crate::numbers::power;

/// The numbers from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumericInterval {
    pub(super) low: f64,
    pub(super) high: f64,
    /// True if NaN is correct, too. If only NaN is correct, `low` is above `high`.
    pub(super) nan: bool,
}

impl NumericInterval {
    pub(super) const NAN: NumericInterval = NumericInterval {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: true,
    };

    /// Returns the interval of one number, or NaN.
    pub(super) fn exact(number: f64) -> NumericInterval {
        match number.is_nan() {
            true => NumericInterval::NAN,
            false => NumericInterval {
                low: number,
                high: number,
                nan: false,
            },
        }
    }

    /// Returns the number, if the interval has only one. Zeros of both signs are two.
    pub(super) fn number(self) -> Option<f64> {
        (self.low.to_bits() == self.high.to_bits() && !self.nan).then_some(self.low)
    }

    pub(super) fn is_nan(self) -> bool {
        self.low > self.high
    }

    fn has(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    pub(super) fn has_negative_zero(self) -> bool {
        self.low.total_cmp(&-0.0).is_le() && self.high.total_cmp(&-0.0).is_ge()
    }

    /// Returns the distance of a number from the middle, as a fraction of the correct distance.
    /// Above 1, the number is wrong. `step`, the distance to the next number, widens the
    /// interval: if two neighbours are correct, neither counts as an extreme.
    pub(super) fn error(self, found: f64, step: f64) -> f64 {
        let half = (self.high - self.low) / 2.0;
        match found.is_nan() {
            true if self.nan => 0.0,
            false if self.has(found) && (half == 0.0 || !half.is_finite()) => 0.0,
            false if self.has(found) => (found - self.low - half).abs() / (half + step),
            _ => f64::INFINITY,
        }
    }

    /// Returns a function's values at both bounds. It is called once if they are equal.
    pub(super) fn at_bounds<T: Copy>(self, at: impl Fn(f64) -> T) -> [T; 2] {
        let low = at(self.low);
        match self.low.to_bits() == self.high.to_bits() {
            true => [low, low],
            false => [low, at(self.high)],
        }
    }

    /// Returns the bounds rounded to the nearest numbers of a type.
    pub(super) fn rounded(self, kind: ScalarType) -> NumericInterval {
        let nearest = |number: f64| match kind {
            ScalarType::F32 => f64::from(number as f32),
            _ => kind.to_f64(kind.round(number)),
        };
        if self.is_nan() {
            return self;
        }
        let [low, high] = self.at_bounds(nearest);
        if !low.is_nan() && !high.is_nan() {
            return NumericInterval { low, high, ..self };
        }
        // A type without infinities has NaN beyond its greatest number.
        let greatest = nearest(greatest_below_nan(kind));
        match self.low > greatest || self.high < -greatest {
            true if low.is_nan() && high.is_nan() => NumericInterval::NAN,
            _ => NumericInterval {
                low: if low.is_nan() { -greatest } else { low },
                high: if high.is_nan() { greatest } else { high },
                nan: true,
            },
        }
    }

    /// Returns the bounds of the conversion to a signed integer. It cuts a number off and
    /// saturates. NaN gives 0.
    pub(super) fn integer(self, kind: ScalarType) -> NumericInterval {
        if self.is_nan() {
            return NumericInterval::exact(0.0);
        }
        let limit = power(kind.bits() as i32 - 1);
        // Adding 0 makes a positive zero.
        let of = |number: f64| number.trunc().clamp(-limit, limit - 1.0) + 0.0;
        let [low, high] = self.at_bounds(of);
        match self.nan {
            true => NumericInterval {
                low: low.min(0.0),
                high: high.max(0.0),
                nan: false,
            },
            false => NumericInterval { low, high, ..self },
        }
    }

    /// Returns the sum of two signed integers, which wraps around. Interval ends are exact up to
    /// 2^53.
    pub(super) fn integer_sum(self, other: NumericInterval, kind: ScalarType) -> NumericInterval {
        let limit = power(kind.bits() as i32 - 1);
        let [low, high] = [self.low + other.low, self.high + other.high];
        // Adding 0 makes a positive zero.
        let turns = |sum: f64| ((sum + limit) / (2.0 * limit)).floor() * 2.0 * limit + 0.0;
        match turns(low) == turns(high) {
            true => NumericInterval {
                low: low - turns(low),
                high: high - turns(high),
                nan: false,
            },
            false => NumericInterval {
                low: -limit,
                high: limit - 1.0,
                nan: false,
            },
        }
    }

    pub(super) fn magnitude(self) -> NumericInterval {
        if self.is_nan() {
            return self;
        }
        let ends = [self.low.abs(), self.high.abs()];
        NumericInterval {
            low: if self.has(0.0) {
                0.0
            } else {
                ends[0].min(ends[1])
            },
            high: ends[0].max(ends[1]),
            nan: self.nan,
        }
    }

    pub(super) fn negated(self) -> NumericInterval {
        match self.is_nan() {
            true => self,
            false => NumericInterval {
                low: -self.high,
                high: -self.low,
                nan: self.nan,
            },
        }
    }

    /// Applies an exact rising function.
    pub(super) fn rising(self, function: impl Fn(f64) -> f64) -> NumericInterval {
        match self.is_nan() {
            true => self,
            false => NumericInterval {
                low: function(self.low),
                high: function(self.high),
                nan: self.nan,
            },
        }
    }

    /// Returns the square root, which rounds correctly.
    pub(super) fn root(self) -> NumericInterval {
        if self.is_nan() || self.high < 0.0 {
            return NumericInterval::NAN;
        }
        // The root of a negative zero is one, too, and the first number from a negative one on.
        let root = |number: f64| match number <= 0.0 {
            true => 0.0f64.copysign(number),
            false => f64::from(number.sqrt() as f32),
        };
        NumericInterval {
            nan: self.nan || self.low < 0.0,
            ..self.rising(root)
        }
    }

    /// Returns the truth of a comparison that holds for these outcomes of LLVM's predicates.
    ///
    /// That is 1 or 0 if it is certain, and else the interval from 0 to 1.
    pub(super) fn compared(self, other: NumericInterval, outcomes: u8) -> NumericInterval {
        let [equal, greater, less, unordered] = [1, 2, 4, 8];
        let (mut possible, are_numbers) = (0, !self.is_nan() && !other.is_nan());
        let meet = self.low.max(other.low) <= self.high.min(other.high);
        let mut add = |is_possible: bool, outcome: u8| {
            possible |= if is_possible { outcome } else { 0 };
        };
        add(are_numbers && meet, equal);
        add(are_numbers && self.high > other.low, greater);
        add(are_numbers && self.low < other.high, less);
        add(self.nan || other.nan, unordered);
        match (possible & outcomes, possible & !outcomes) {
            (_, 0) => NumericInterval::exact(1.0),
            (0, _) => NumericInterval::exact(0.0),
            _ => NumericInterval {
                low: 0.0,
                high: 1.0,
                nan: false,
            },
        }
    }

    /// Returns a truth value's negation.
    pub(super) fn inverted(self) -> NumericInterval {
        NumericInterval {
            low: 1.0 - self.high,
            high: 1.0 - self.low,
            nan: false,
        }
    }

    /// Returns whether two truth values hold.
    pub(super) fn lesser_truth(self, other: NumericInterval) -> NumericInterval {
        NumericInterval {
            low: self.low.min(other.low),
            high: self.high.min(other.high),
            nan: false,
        }
    }

    /// Returns the greater number as `maximumf` does: NaN if either is.
    pub(super) fn maximum(self, other: NumericInterval) -> NumericInterval {
        match self.is_nan() || other.is_nan() {
            true => NumericInterval::NAN,
            false => NumericInterval {
                low: larger(self.low, other.low),
                high: larger(self.high, other.high),
                nan: self.nan || other.nan,
            },
        }
    }

    /// Returns `first` if this truth value is 1, `second` if it is 0, and else an interval over
    /// both.
    pub(super) fn select(self, first: NumericInterval, second: NumericInterval) -> NumericInterval {
        match self.number() {
            Some(1.0) => first,
            Some(_) => second,
            None => first.or(second),
        }
    }

    /// Returns the interval over both.
    pub(super) fn or(self, other: NumericInterval) -> NumericInterval {
        NumericInterval {
            low: smaller(self.low, other.low),
            high: larger(self.high, other.high),
            nan: self.nan || other.nan,
        }
    }

    pub(super) fn plus(self, other: NumericInterval) -> NumericInterval {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return NumericInterval::exact(single(one as f32 + other as f32));
        }
        // Infinity minus infinity is NaN.
        let meets = |up: NumericInterval, down: NumericInterval| {
            up.high == f64::INFINITY && down.low == f64::NEG_INFINITY
        };
        let nan = meets(self, other) || meets(other, self);
        let ends = [self.low + other.low, self.high + other.high];
        NumericInterval::around(self, other, nan, ends)
    }

    pub(super) fn minus(self, other: NumericInterval) -> NumericInterval {
        self.plus(NumericInterval {
            low: -other.high,
            high: -other.low,
            nan: other.nan,
        })
    }

    pub(super) fn times(self, other: NumericInterval) -> NumericInterval {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return NumericInterval::exact(single(one as f32 * other as f32));
        }
        // Zero times infinity is NaN.
        let nan = self.has(0.0) && other.is_unbounded() || other.has(0.0) && self.is_unbounded();
        let (a, b) = (self, other);
        let is_infinite = |it: NumericInterval| it.low == it.high && it.low.is_infinite();
        let is_certain = is_infinite(a) || is_infinite(b);
        NumericInterval::around(a, b, nan, ends(a, b, is_certain, |x, y| x * y))
    }

    /// Returns the square of a number.
    pub(super) fn squared(self) -> NumericInterval {
        let square = self.times(self);
        match self.number().is_none() && self.has(0.0) {
            // Zero times infinity cannot occur in a square.
            true => NumericInterval {
                low: 0.0,
                nan: self.nan,
                ..square
            },
            false => square,
        }
    }

    pub(super) fn over(self, other: NumericInterval) -> NumericInterval {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return NumericInterval::exact(single(one as f32 / other as f32));
        }
        let (a, b) = (self, other);
        // The divisor may have either sign near 0, and 0 divided by 0 is NaN.
        if b.has(0.0) {
            let all = [f64::NEG_INFINITY, f64::INFINITY];
            return NumericInterval::around(a, b, true, all);
        }
        let nan = self.is_unbounded() && other.is_unbounded();
        let is_certain = a.low == a.high;
        NumericInterval::around(a, b, nan, ends(a, b, is_certain, |x, y| x / y))
    }

    /// Returns the greater number as `maxnumf` does, which ignores NaN. Either of two zeros is
    /// correct.
    pub(super) fn greater(self, other: NumericInterval) -> NumericInterval {
        match (self.is_nan(), other.is_nan()) {
            (true, _) => other,
            (_, true) => self,
            _ => {
                // If one operand may be NaN, the result may be the other one.
                let low = match (self.nan, other.nan) {
                    (true, true) => smaller(self.low, other.low),
                    (true, false) => other.low,
                    (false, true) => self.low,
                    (false, false) => larger(self.low, other.low),
                };
                let is_either_zero = self.has_negative_zero() || other.has_negative_zero();
                NumericInterval {
                    low: if low == 0.0 && is_either_zero {
                        -0.0
                    } else {
                        low
                    },
                    high: larger(self.high, other.high),
                    nan: self.nan && other.nan,
                }
            }
        }
    }

    pub(super) fn is_unbounded(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    /// Returns the result of an operation on two intervals, with these exact ends, rounded to
    /// f32. A NaN operand makes NaN.
    fn around(
        one: NumericInterval,
        other: NumericInterval,
        nan: bool,
        ends: [f64; 2],
    ) -> NumericInterval {
        if one.is_nan() || other.is_nan() {
            return NumericInterval::NAN;
        }
        let [low, high] = ends;
        // The ends are doubles that were rounded themselves.
        let outwards = |end: f64, to: f64| match end.is_nan() || end.is_infinite() {
            true => end,
            false => end + to * end.abs() * f64::EPSILON,
        };
        let result = NumericInterval {
            low: if low.is_nan() {
                f64::NEG_INFINITY
            } else {
                outwards(low, -1.0)
            },
            high: if high.is_nan() {
                f64::INFINITY
            } else {
                outwards(high, 1.0)
            },
            nan: one.nan || other.nan || nan,
        };
        result.rounded(ScalarType::F32)
    }
}

/// Returns the greatest finite number of a type.
fn greatest_below_nan(kind: ScalarType) -> f64 {
    let numbers = (0..kind.sign_bit()).map(|bits| kind.to_f64(bits));
    numbers.filter(|it| it.is_finite()).fold(0.0, f64::max)
}

fn single(number: f32) -> f64 {
    number.into()
}

/// Returns the least and the greatest product or quotient of the bounds that are numbers. Unless
/// NaN is certain, the numbers before an infinity have a zero there.
fn ends(
    one: NumericInterval,
    other: NumericInterval,
    is_certain: bool,
    operation: impl Fn(f64, f64) -> f64,
) -> [f64; 2] {
    let corner = |x: f64, y: f64| match operation(x, y) {
        result if result.is_nan() && !is_certain => 0.0f64.copysign(x.signum() * y.signum()),
        result => result,
    };
    let corners = [
        corner(one.low, other.low),
        corner(one.low, other.high),
        corner(one.high, other.low),
        corner(one.high, other.high),
    ];
    let low = corners.into_iter().fold(f64::INFINITY, smaller);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, larger);
    [low, high]
}

/// Returns the larger number. A positive zero is larger than a negative one, and NaN is ignored.
pub(super) fn larger(one: f64, other: f64) -> f64 {
    match one == 0.0 && other == 0.0 {
        true => one + other,
        false => one.max(other),
    }
}

pub(super) fn smaller(one: f64, other: f64) -> f64 {
    -larger(-one, -other)
}
