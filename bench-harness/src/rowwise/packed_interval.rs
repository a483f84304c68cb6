//! Packed intervals: numeric intervals in two f32 each. A launch keeps one for each element of its
//! outputs, so that no trial evaluates a formula.

use super::numeric_interval::NumericInterval;

/// A numeric interval with ends in f32. The results of all formulas have this type.
///
/// The order of the ends says whether NaN is correct, too:
///
/// | `low`, `high` | correct |
/// |---|---|
/// | `low` ≤ `high` | the numbers between them |
/// | `low` > `high` | the numbers between them, and NaN |
/// | a number, NaN | this number, and NaN |
/// | NaN, NaN | NaN alone |
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedInterval {
    low: f32,
    high: f32,
}

impl PackedInterval {
    /// Returns the interval.
    #[inline]
    pub(super) fn interval(self) -> NumericInterval {
        let [low, high] = [self.low, self.high].map(f64::from);
        match (low <= high, low > high, low.is_nan()) {
            (true, ..) => NumericInterval {
                low,
                high,
                nan: false,
            },
            (_, true, _) => NumericInterval {
                low: high,
                high: low,
                nan: true,
            },
            (.., false) => NumericInterval {
                nan: true,
                ..NumericInterval::exact(low)
            },
            (.., true) => NumericInterval::NAN,
        }
    }
}

impl From<NumericInterval> for PackedInterval {
    fn from(bounds: NumericInterval) -> PackedInterval {
        let [low, high] = [bounds.low, bounds.high].map(|end| end as f32);
        debug_assert_eq!([low, high].map(f64::from), [bounds.low, bounds.high]);
        let [low, high] = match (bounds.is_nan(), bounds.nan) {
            (true, _) => [f32::NAN; 2],
            (_, false) => [low, high],
            (_, true) if low == high => [low, f32::NAN],
            (_, true) => [high, low],
        };
        PackedInterval { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_kept_in_two_numbers() {
        const INF: f64 = f64::INFINITY;
        let ends = [
            -INF,
            -3.5,
            -0.0,
            0.0,
            f64::from(f32::MIN_POSITIVE),
            2.25,
            INF,
        ];
        let all = ends.iter().flat_map(|&low| ends.map(|high| (low, high)));
        let numbers = all.filter(|(low, high)| low <= high);
        let intervals = numbers
            .flat_map(|(low, high)| [false, true].map(|nan| NumericInterval { low, high, nan }));
        for interval in intervals.chain([NumericInterval::NAN]) {
            let packed = PackedInterval::from(interval);
            assert_eq!(packed.interval(), interval);
        }
    }
}
