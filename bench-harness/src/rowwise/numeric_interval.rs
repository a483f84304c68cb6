//! Bounded numbers: what a right kernel's number may be.
//!
//! What a kernel computes exactly rounded of numbers that are known is known to the bit. Of others there is a least and a greatest
//! one, which rounding keeps in their order: so the bounds of a result are the rounded ones of what is exact, and need no error terms.

use configgen::comparator::ScalarType;

use crate::numbers::power;

/// The numbers from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumericInterval {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether NaN is right, too. Where nothing else is, `low` is above `high`.
    pub(super) nan: bool,
}

impl NumericInterval {
    pub(super) const NAN: NumericInterval = NumericInterval {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: true,
    };

    /// One number, or NaN.
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

    /// The number, where there is one.
    pub(super) fn number(self) -> Option<f64> {
        (self.low == self.high && !self.nan).then_some(self.low)
    }

    pub(super) fn is_nan(self) -> bool {
        self.low > self.high
    }

    fn has(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// How far a number is from the middle, as a part of what is right: above 1 it is wrong. Of one more `step`, which is from a number
    /// to the next: of what has two right ones neither is at the end of its tether.
    pub(super) fn error(self, found: f64, step: f64) -> f64 {
        let half = (self.high - self.low) / 2.0;
        match found.is_nan() {
            true if self.nan => 0.0,
            false if self.has(found) && (half == 0.0 || !half.is_finite()) => 0.0,
            false if self.has(found) => (found - self.low - half).abs() / (half + step),
            _ => f64::INFINITY,
        }
    }

    /// The nearest numbers of a type.
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

    /// 1 if both are the same number for sure, 0 if they are not, else from 0 to 1.
    pub(super) fn equals(self, other: NumericInterval) -> NumericInterval {
        let meet = self.low.max(other.low) <= self.high.min(other.high);
        match (self.number(), other.number()) {
            (Some(one), Some(other)) => NumericInterval::exact(f64::from(u8::from(one == other))),
            _ if !meet => NumericInterval::exact(0.0),
            _ => NumericInterval {
                low: 0.0,
                high: 1.0,
                nan: false,
            },
        }
    }

    /// The first of two if this truth value is 1, the second if it is 0, else either.
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

    /// A number times itself.
    pub(super) fn squared(self) -> NumericInterval {
        let square = self.times(self);
        match self.number().is_none() && self.has(0.0) {
            // Nor is a zero ever multiplied by an infinity.
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

    /// The greater number, as `maxnumf` has it: a NaN is none.
    pub(super) fn greater(self, other: NumericInterval) -> NumericInterval {
        let either = |one: f64, other: f64| one.max(other);
        match (self.is_nan(), other.is_nan()) {
            (true, _) => other,
            (_, true) => self,
            // A number that may be NaN may be none.
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

    /// e to this power, as `v_exp_f32` of the product with log2(e) has it.
    ///
    /// AMD's manuals of their instruction sets give V_EXP_F32 an accuracy of 1 ULP, flush denormals, and have 1 as its value for
    /// zeros, 0 for minus infinity. Before it the product is rounded, of a constant that was: to a relative 2^-24 and a quarter of
    /// that, which is |x| times as much of the result.
    pub(super) fn exponential(self) -> NumericInterval {
        /// Below this power of e not even the least denormal is the nearest number.
        const LEAST: f64 = -111.0;
        /// Above this one no number is left.
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

    /// The natural logarithm, as `v_log_f32` times ln(2) has it.
    ///
    /// AMD's manuals give V_LOG_F32 an accuracy of 1 ULP and 0 as its value for 1. Of numbers near 1 that is meant as one of
    /// numbers near it. The product is rounded, and its constant was.
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

    /// One over the square root, as `v_rsq_f32` has it, of which AMD's manuals say 1 ULP.
    pub(super) fn inverse_root(self) -> NumericInterval {
        // It falls, so that the ends change places.
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

    /// A function that rises, of which `within` gives bounds at a number: in f32.
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

    /// The same of one that takes no numbers below 0, and has `at_zero` for what may be flushed to it.
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

    /// What is no normal f32 may be 0, or rounded to a neighbour.
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

    /// What may come of two, rounded to f32, of which these are the ends: no NaN is one.
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
        // The ends themselves are rounded to doubles.
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

/// The least and the greatest that is a number.
fn ends(corners: [f64; 4]) -> [f64; 2] {
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    [low, high]
}
