//! Which results of a row are right: bits, or the reals near what the exact result is.

use crate::numbers::power;

/// The right results of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CorrectResults {
    /// These bits: any order gives them.
    Bits(u64),
    /// What some order of roundings may give.
    Reals(CorrectFloats),
}

/// Which floats are right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CorrectFloats {
    /// The finite ones.
    pub(super) near: Option<ErrorBound>,
    /// Whether infinity is.
    pub(super) up: bool,
    /// Whether minus infinity is.
    pub(super) down: bool,
    /// Whether NaN is.
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

    /// How far a value is from the exact one, as a part of what is right: above 1 it is wrong.
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

/// The reals around an exact one, all of them times `scale`, a power of two that keeps what is computed here from over- and
/// underflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ErrorBound {
    /// The exact one: the nearest double, and what it lacks. Both together are as good as 104 bits.
    pub(super) exact: [f64; 2],
    /// How far from it is right; 0 where no order rounds anything.
    pub(super) bound: f64,
    pub(super) scale: f64,
}

impl ErrorBound {
    fn error(&self, found: f64) -> f64 {
        let [high, low] = self.exact;
        match ((found * self.scale - high) - low).abs() {
            0.0 => 0.0,
            distance => distance / self.bound,
        }
    }

    /// The double next to the exact one, and the bound.
    pub(super) fn shown(&self) -> (f64, f64) {
        (self.exact[0] / self.scale, self.bound / self.scale)
    }
}

/// What counts of a type of floats that sums and products are made in.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccumulatorFormat {
    /// Bits of a significand.
    pub(super) digits: i32,
    pub(super) largest: f64,
    /// The exponents of normal numbers reach from minus this to this at least.
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

    /// Half of the distance from 1 to the next number.
    pub(super) fn roundoff(self) -> f64 {
        power(-self.digits)
    }
}
