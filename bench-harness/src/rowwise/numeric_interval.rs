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

    /// Returns the number, if the interval has only one.
    pub(super) fn number(self) -> Option<f64> {
        (self.low == self.high && !self.nan).then_some(self.low)
    }

    pub(super) fn is_nan(self) -> bool {
        self.low > self.high
    }

    fn has(self, number: f64) -> bool {
        self.low <= number && number <= self.high
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

    /// Returns the bounds rounded to the nearest numbers of a type.
    pub(super) fn rounded(self, kind: ScalarType) -> NumericInterval {
        let nearest = |number: f64| match kind {
            ScalarType::F32 => f64::from(number as f32),
            _ => kind.to_f64(kind.round(number)),
        };
        match (self.is_nan(), self.low == self.high) {
            (true, _) => self,
            (_, true) => {
                let number = nearest(self.low);
                NumericInterval {
                    low: number,
                    high: number,
                    ..self
                }
            }
            _ => NumericInterval {
                low: nearest(self.low),
                high: nearest(self.high),
                ..self
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
        let root = |number: f64| f64::from(number.max(0.0).sqrt() as f32);
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
                low: self.low.max(other.low),
                high: self.high.max(other.high),
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
            None => NumericInterval {
                low: first.low.min(second.low),
                high: first.high.max(second.high),
                nan: first.nan || second.nan,
            },
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
        let corners = [
            a.low * b.low,
            a.low * b.high,
            a.high * b.low,
            a.high * b.high,
        ];
        NumericInterval::around(a, b, nan, ends(corners))
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
        let corners = [
            a.low / b.low,
            a.low / b.high,
            a.high / b.low,
            a.high / b.high,
        ];
        NumericInterval::around(a, b, nan, ends(corners))
    }

    /// Returns the greater number as `maxnumf` does, which ignores NaN.
    pub(super) fn greater(self, other: NumericInterval) -> NumericInterval {
        let either = |one: f64, other: f64| one.max(other);
        match (self.is_nan(), other.is_nan()) {
            (true, _) => other,
            (_, true) => self,
            // If one operand may be NaN, the result may be the other one.
            _ => NumericInterval {
                low: match (self.nan, other.nan) {
                    (true, false) => other.low,
                    (false, true) => self.low,
                    _ => either(self.low, other.low),
                },
                high: either(self.high, other.high),
                nan: self.nan && other.nan,
            },
        }
    }

    /// Returns e to this power, as `v_exp_f32` computes it from the product with log2(e).
    ///
    /// AMD's instruction set manuals state an accuracy of 1 ULP for V_EXP_F32. It flushes
    /// denormals and returns 1 for zeros and 0 for minus infinity. The product and its constant
    /// are both rounded, with a relative error of 2^-24 and a quarter of that. The relative error
    /// of the result is |x| times as large.
    pub(super) fn exponential(self) -> NumericInterval {
        /// The power of e below which even the least denormal exceeds the result.
        const LEAST: f64 = -111.0;
        /// The power of e above which the result is infinite.
        const MOST: f64 = 100.0;
        let within = |x: f64| {
            let relative = (x.abs() + 2.0) * power(-23);
            match x {
                ..LEAST => [0.0, 0.0],
                MOST.. => [f64::INFINITY; 2],
                _ => [x.exp() * (1.0 - relative), x.exp() * (1.0 + relative)],
            }
        };
        match self.number() {
            Some(0.0) => NumericInterval::exact(1.0),
            _ => self.through(within).flushed(),
        }
    }

    /// Returns the natural logarithm, as `v_log_f32` times ln(2) computes it.
    ///
    /// AMD's manuals state an accuracy of 1 ULP for V_LOG_F32, and 0 as its value for 1. For
    /// results near 0, the bound is absolute: 1 ULP of numbers near 1. The product and its
    /// constant are both rounded.
    pub(super) fn logarithm(self) -> NumericInterval {
        let within = |x: f64| {
            let log = x.ln();
            let error = log.abs() * power(-22) + power(-23);
            match log.is_infinite() {
                true => [log; 2],
                false => [log - error, log + error],
            }
        };
        match self.number() {
            Some(1.0) => NumericInterval::exact(0.0),
            _ => self.of_positive(within, f64::NEG_INFINITY),
        }
    }

    /// Returns the inverse square root as `v_rsq_f32` computes it, with 1 ULP by AMD's manuals.
    pub(super) fn inverse_root(self) -> NumericInterval {
        // The function falls, so this bounds its negative, which rises.
        let within = |x: f64| {
            let root = x.sqrt().recip();
            [-root * (1.0 + power(-23)), -root * (1.0 - power(-23))]
        };
        let negated = self.of_positive(within, f64::NEG_INFINITY);
        match negated.is_nan() {
            true => negated,
            false => NumericInterval {
                low: -negated.high,
                high: -negated.low,
                ..negated
            },
        }
    }

    /// Applies a rising function to the bounds and rounds to f32. `within` returns its bounds at
    /// a number.
    fn through(self, within: impl Fn(f64) -> [f64; 2]) -> NumericInterval {
        if self.is_nan() {
            return self;
        }
        let low = within(self.low);
        let high = match self.low == self.high {
            true => low,
            false => within(self.high),
        };
        let result = NumericInterval {
            low: low[0],
            high: high[1],
            nan: self.nan,
        };
        result.rounded(ScalarType::F32)
    }

    /// Applies a rising function that is NaN below 0. `at_zero` is its value for numbers that the
    /// hardware may flush to 0.
    fn of_positive(self, within: impl Fn(f64) -> [f64; 2], at_zero: f64) -> NumericInterval {
        let of_least = power(-126);
        let within = |x: f64| match x < of_least {
            true => [at_zero, within(of_least)[1]],
            false => within(x),
        };
        match (self.low < 0.0, self.high < 0.0) {
            (_, true) => NumericInterval::NAN,
            (true, _) => NumericInterval { nan: true, ..self }.through(within),
            _ if self.low == 0.0 && self.high == 0.0 => NumericInterval {
                low: at_zero,
                high: at_zero,
                nan: self.nan,
            },
            _ => self.through(within),
        }
    }

    /// Extends the bounds for subnormal results: hardware may flush them to 0, or round them to a
    /// neighbour.
    fn flushed(self) -> NumericInterval {
        let least = power(-126);
        NumericInterval {
            low: if self.low < least { 0.0 } else { self.low },
            high: match 0.0 < self.high && self.high < least {
                true => self.high + power(-149),
                false => self.high,
            },
            ..self
        }
    }

    fn is_unbounded(self) -> bool {
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

fn single(number: f32) -> f64 {
    number.into()
}

/// Returns the least and the greatest of the corners that are numbers.
fn ends(corners: [f64; 4]) -> [f64; 2] {
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    [low, high]
}
