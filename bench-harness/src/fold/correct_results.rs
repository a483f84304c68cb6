//! The correct results of a row: bits, or the reals within an error bound of the exact result.

use crate::numbers::power;

/// The correct results of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CorrectResults {
    /// These bits, because every order gives them.
    Bits(u64),
    /// The floats that some order of roundings may give.
    Reals(CorrectFloats),
}

/// The set of correct floats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CorrectFloats {
    /// The finite ones.
    pub(super) near: Option<ErrorBound>,
    /// True if infinity is correct.
    pub(super) up: bool,
    /// True if minus infinity is correct.
    pub(super) down: bool,
    /// True if NaN is correct.
    pub(super) nan: bool,
}

impl CorrectFloats {
    pub(super) const NONE: CorrectFloats = CorrectFloats {
        near: None,
        up: false,
        down: false,
        nan: false,
    };
    pub(super) const NAN: CorrectFloats = CorrectFloats {
        nan: true,
        ..Self::NONE
    };

    /// Returns the error of a value as a fraction of the bound. Above 1, the value is wrong.
    pub(super) fn error(&self, found: f64) -> f64 {
        let allowed = |is_right: bool| if is_right { 0.0 } else { f64::INFINITY };
        match (found, &self.near) {
            (found, _) if found.is_nan() => allowed(self.nan),
            (f64::INFINITY, _) => allowed(self.up),
            (f64::NEG_INFINITY, _) => allowed(self.down),
            (found, Some(near)) => near.error(found),
            (_, None) => f64::INFINITY,
        }
    }
}

/// The reals around an exact one. All are multiplied by `scale`, a power of two that prevents
/// overflow and underflow in this arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ErrorBound {
    /// The exact result: the nearest double, and the remainder. Together they have about 104
    /// bits.
    pub(super) exact: [f64; 2],
    /// The largest correct distance from it; 0 if no order rounds anything.
    pub(super) bound: f64,
    pub(super) scale: f64,
}

impl ErrorBound {
    fn error(&self, found: f64) -> f64 {
        let [high, low] = self.exact;
        // An exact result is never divided by the bound, which may be 0.
        match ((found * self.scale - high) - low).abs() {
            0.0 => 0.0,
            distance => distance / self.bound,
        }
    }

    /// Returns the double nearest to the exact result, and the bound, both unscaled.
    pub(super) fn shown(&self) -> (f64, f64) {
        (self.exact[0] / self.scale, self.bound / self.scale)
    }
}

/// The properties of a float type in which sums and products accumulate.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccumulatorFormat {
    /// The number of bits of the significand.
    pub(super) digits: i32,
    pub(super) largest: f64,
    /// The exponents of normal numbers reach at least from minus this number to this number.
    pub(super) reach: i32,
}

impl AccumulatorFormat {
    pub(super) const SINGLE: AccumulatorFormat = AccumulatorFormat {
        digits: f32::MANTISSA_DIGITS as i32,
        largest: f32::MAX as f64,
        reach: 126,
    };
    pub(super) const DOUBLE: AccumulatorFormat = AccumulatorFormat {
        digits: f64::MANTISSA_DIGITS as i32,
        largest: f64::MAX,
        reach: 1022,
    };

    /// Returns half of the distance from 1 to the next number.
    pub(super) fn roundoff(self) -> f64 {
        power(-self.digits)
    }
}
