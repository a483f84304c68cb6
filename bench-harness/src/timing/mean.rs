//! The mean of times of different work, for a kernel that is launched with several counts.

/// Returns the geometric mean of the numbers, at least one. A single number is returned
/// unchanged.
///
/// All numbers have equal weight, independent of their size: a factor of two in one offsets a
/// factor of one half in another. If a number is 0 or less, the result is not a positive number.
pub fn geometric_mean(numbers: &[f64]) -> f64 {
    match numbers {
        [only] => *only,
        several => {
            let logarithms: f64 = several.iter().map(|number| number.ln()).sum();
            (logarithms / several.len() as f64).exp()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[f64], expected: f64) {
        let found = geometric_mean(numbers);
        assert!((found - expected).abs() <= 1e-12 * expected, "{found}");
    }

    #[test]
    fn means_are_geometric() {
        check(&[4.27], 4.27);
        check(&[1.0, 4.0], 2.0);
        check(&[3.0, 24.0, 3.0], 6.0);
        check(&[1e-3, 1e3, 1.0], 1.0);
        // A single number is returned unchanged.
        assert_eq!(geometric_mean(&[0.1 + 0.2]), 0.1 + 0.2);
    }

    #[test]
    fn invalid_times_have_no_mean() {
        for bad in [0.0, -1.0, f64::NAN] {
            let mean = geometric_mean(&[5.0, bad]);
            assert!(mean.is_nan() || mean <= 0.0, "{bad}: {mean}");
        }
    }
}
