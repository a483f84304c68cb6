//! Rounded functions of numeric intervals: bounds of the exact functions with their errors.

use configgen::comparator::{Opcode, RoundedFunction, ScalarType};

use super::numeric_interval::{NumericInterval, larger, smaller};
use crate::numbers::power;

impl NumericInterval {
    /// Returns a rounded function, with its errors.
    ///
    /// Some values are exact: AMD's manuals state 1 for the power of zeros and 0 for the logarithm
    /// of 1.
    pub(super) fn function(self, function: &RoundedFunction) -> NumericInterval {
        let RoundedFunction { value, error, .. } = *function;
        let within = |x: f64| {
            let exact = value(x);
            let error = error(x, exact);
            // The error of a power of minus infinity is no number. A function of a zero that is
            // one has its sign.
            let is_zero = x == 0.0 && exact == 0.0;
            match exact.is_infinite() || error.is_nan() || is_zero {
                true => [exact; 2],
                false => [exact - error, exact + error],
            }
        };
        match function.opcode {
            Opcode::Exp | Opcode::Exp2 => match self.number() {
                Some(0.0) => NumericInterval::exact(1.0),
                _ => self.through(within).flushed(),
            },
            Opcode::Log | Opcode::Log2 => match self.number() {
                Some(1.0) => NumericInterval::exact(0.0),
                _ => self.of_positive(within, |_| f64::NEG_INFINITY),
            },
            // The function falls, so this bounds its negative, which rises.
            Opcode::Rsqrt => {
                let negative = |x: f64| {
                    let [low, high] = within(x);
                    [-high, -low]
                };
                let at_zero = |zero: f64| -zero.recip();
                self.of_positive(negative, at_zero).negated()
            }
            Opcode::Log1p => self.above(-1.0, within),
            Opcode::Sin => self.wave(within, 0.0),
            Opcode::Cos => self.wave(within, std::f64::consts::FRAC_PI_2),
            _ => self.through(within).with_subnormals(),
        }
    }

    /// Applies the logarithm of 1 plus a number, which is NaN below `least`.
    fn above(self, least: f64, within: impl Fn(f64) -> [f64; 2]) -> NumericInterval {
        match (self.low < least, self.high < least) {
            (_, true) => NumericInterval::NAN,
            (is_partly, _) => NumericInterval {
                low: self.low.max(least),
                nan: self.nan || is_partly,
                ..self
            }
            .through(within)
            .with_subnormals(),
        }
    }

    /// Applies the sine of these numbers plus `ahead`.
    fn wave(self, within: impl Fn(f64) -> [f64; 2], ahead: f64) -> NumericInterval {
        use std::f64::consts::{FRAC_PI_2, TAU};
        if self.is_nan() || self.low == self.high && self.low.is_infinite() {
            return NumericInterval::NAN;
        }
        let nan = self.nan || self.is_unbounded();
        let ends = [self.low, self.high].map(|x| match x.is_finite() {
            true => within(x),
            false => [-1.0, 1.0],
        });
        // The number of the last crest at or before a number.
        let crest = |x: f64, at: f64| ((x + ahead - at) / TAU).floor();
        let has = |at: f64| self.is_unbounded() || crest(self.low, at) != crest(self.high, at);
        let (has_crest, has_trough) = (has(FRAC_PI_2), has(-FRAC_PI_2));
        let low = smaller(ends[0][0], ends[1][0]).max(-1.0);
        let high = larger(ends[0][1], ends[1][1]).min(1.0);
        let result = NumericInterval {
            low: if has_trough { -1.0 } else { low },
            high: if has_crest { 1.0 } else { high },
            nan,
        };
        result.rounded(ScalarType::F32).with_subnormals()
    }

    /// Extends subnormal bounds by one step, because their rounding has no relative bound.
    fn with_subnormals(self) -> NumericInterval {
        let least = power(-126);
        let wider = |bound: f64, by: f64| match bound != 0.0 && bound.abs() < least {
            true => bound + by,
            false => bound,
        };
        match self.is_nan() {
            true => self,
            false => NumericInterval {
                low: wider(self.low, -power(-149)),
                high: wider(self.high, power(-149)),
                nan: self.nan,
            },
        }
    }

    /// Applies a rising function to the bounds and rounds to f32. `within` returns its bounds at
    /// a number.
    fn through(self, within: impl Fn(f64) -> [f64; 2]) -> NumericInterval {
        if self.is_nan() {
            return self;
        }
        let [low, high] = self.at_bounds(within);
        let result = NumericInterval {
            low: low[0],
            high: high[1],
            nan: self.nan,
        };
        result.rounded(ScalarType::F32)
    }

    /// Applies a rising function that is NaN below 0. `at_zero` is its value at a zero, and for
    /// numbers that the hardware may flush to one.
    fn of_positive(
        self,
        within: impl Fn(f64) -> [f64; 2],
        at_zero: impl Fn(f64) -> f64,
    ) -> NumericInterval {
        let of_least = power(-126);
        let within = |x: f64| match x < of_least {
            true => [at_zero(0.0), within(of_least)[1]],
            false => within(x),
        };
        let at_zero = |zero: f64| NumericInterval::exact(at_zero(zero));
        // A flushed negative number is a zero and no NaN.
        let flushed = NumericInterval::NAN.or(at_zero(-0.0));
        match (self.low < 0.0, self.high < 0.0) {
            (_, true) if self.high <= -of_least => NumericInterval::NAN,
            (_, true) => flushed,
            (true, _) => self.through(within).or(flushed),
            _ if self.low == 0.0 && self.high == 0.0 => NumericInterval {
                nan: self.nan,
                ..at_zero(self.low).or(at_zero(self.high))
            },
            // At a negative zero, the function may have another sign.
            _ if self.low.is_sign_negative() => self.through(within).or(at_zero(-0.0)),
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
}
