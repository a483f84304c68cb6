//! The median and its interval, for any distribution of the samples.

use serde::{Deserialize, Serialize};

/// An interval that holds a quantity with some confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Returns true if `value` lies in the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns half of the width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// Returns the median of the numbers, of which there is at least one and none is NaN.
pub fn median(numbers: &[f64]) -> f64 {
    let sorted = sorted(numbers);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// Returns the quartiles of the numbers, at least one: a quarter of them lies below, and a
/// quarter above.
pub(super) fn quartiles(numbers: &[f64]) -> Interval {
    let sorted = sorted(numbers);
    let quarter = (sorted.len() - 1) / 4;
    Interval {
        low: sorted[quarter],
        high: sorted[sorted.len() - 1 - quarter],
    }
}

/// Returns an interval of the median, given `samples` in the order of their measurement. `None`
/// if there are too few.
///
/// The ends are order statistics. With independent samples, the number below the median is
/// binomial for any distribution. The source is Thompson, "On confidence ranges for the median",
/// Annals of Mathematical Statistics 7, 1936.
///
/// Samples of a device are not independent. If samples above the median come in runs, their
/// number varies more. The interval is therefore wider in ranks by the square root of
/// (1 + r) / (1 - r). Here r is the correlation of the signs of neighbours. The source is Sen,
/// "Asymptotic normality of sample quantiles for m-dependent processes", 1968. The factor is that
/// of an autoregressive sequence of order one.
pub fn median_interval(samples: &[f64], confidence: f64) -> Option<Interval> {
    let rank = binomial_rank(samples.len(), 1.0 - confidence)?;
    // The distance from the middle of the ranks 1 to n to the rank of the lower end.
    let centre = (samples.len() as f64 + 1.0) / 2.0;
    let reach = (centre - rank as f64) * variance_factor(samples).sqrt();
    let rank = (centre - reach).floor();
    if rank < 1.0 {
        return None;
    }
    let (sorted, rank) = (sorted(samples), rank as usize);
    Some(Interval {
        low: sorted[rank - 1],
        high: sorted[sorted.len() - rank],
    })
}

/// Returns the largest rank r, from 1, for an interval between the r-th smallest and the r-th
/// largest of `count` independent samples. This interval misses the median with a probability of
/// at most `error`.
fn binomial_rank(count: usize, error: f64) -> Option<usize> {
    // The logarithm of the probability that `rank` samples lie below the median. With many
    // samples, the first probabilities are below every float.
    let mut term = count as f64 * 0.5f64.ln();
    let mut tail = 0.0;
    let mut rank = 0;
    while rank < count / 2 {
        tail += term.exp();
        if 2.0 * tail > error {
            break;
        }
        term += ((count - rank) as f64 / (rank + 1) as f64).ln();
        rank += 1;
    }
    (rank > 0).then_some(rank)
}

/// Returns the factor by which the variance of the number of samples above the median exceeds
/// that of independent ones.
fn variance_factor(samples: &[f64]) -> f64 {
    let middle = median(samples);
    let sign = |sample: &f64| match sample.partial_cmp(&middle) {
        Some(std::cmp::Ordering::Greater) => 1.0,
        Some(std::cmp::Ordering::Less) => -1.0,
        _ => 0.0,
    };
    let signs: Vec<f64> = samples.iter().map(sign).collect();
    let total: f64 = signs.iter().map(|sign| sign * sign).sum();
    if total == 0.0 {
        return 1.0;
    }
    let together: f64 = signs.windows(2).map(|pair| pair[0] * pair[1]).sum();
    // A negative correlation would narrow the interval, on the evidence of noise.
    let correlation = (together / total).clamp(0.0, MAX_CORRELATION);
    (1.0 + correlation) / (1.0 - correlation)
}

/// The limit of the correlation. Beyond it, the first and the last sample say as much about the
/// median as all of them.
const MAX_CORRELATION: f64 = 0.9;

fn sorted(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(count: usize, confidence: f64, expected: Option<usize>) {
        assert_eq!(binomial_rank(count, 1.0 - confidence), expected, "{count}");
    }

    /// Checks the ranks against tables of sign-test intervals (Conover, "Practical nonparametric
    /// statistics", table of the binomial).
    #[test]
    fn ranks_are_those_of_the_tables() {
        check(5, 0.95, None);
        check(6, 0.95, Some(1));
        check(8, 0.95, Some(1));
        check(9, 0.95, Some(2));
        check(10, 0.95, Some(2));
        check(12, 0.95, Some(3));
        check(20, 0.95, Some(6));
        check(25, 0.95, Some(8));
        check(50, 0.95, Some(18));
        check(7, 0.99, None);
        check(8, 0.99, Some(1));
        check(20, 0.99, Some(4));
        check(2000, 0.95, Some(956));
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn runs_widen_the_interval() {
        let alternating: Vec<f64> = (0..40).map(|i| f64::from(i % 2 * 40 + i)).collect();
        let mut rising = alternating.clone();
        rising.sort_by(f64::total_cmp);
        let width = |samples: &[f64]| median_interval(samples, 0.95).map(|i| i.half_width());
        let (one, other) = (width(&alternating).unwrap(), width(&rising));
        assert!(other.is_none_or(|other| other > one), "{one} {other:?}");
    }

    #[test]
    fn equal_samples_have_an_interval_of_no_width() {
        let interval = median_interval(&[7.0; 6], 0.95);
        assert_eq!(
            interval,
            Some(Interval {
                low: 7.0,
                high: 7.0
            })
        );
    }
}
