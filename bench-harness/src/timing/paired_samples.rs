//! Paired samples of two kernels: the factor between their times.
//!
//! All samples of both kernels are ranked together. A pair's number is the rank of B less that of
//! A. Suppose that the two take the same time and a coin decides the order of each pair. Then
//! each number could equally have the other sign, for any behaviour of the device: drift, spikes,
//! lasting states, dependent samples. The variance of the sum of these numbers is the sum of
//! their squares. The sum divided by its standard deviation shows if the kernels differ, without
//! an assumption about the noise.
//!
//! This is a randomisation test: Fisher, "The design of experiments", 1935, 21. For ranks in
//! place of times: Conover and Iman, "Rank transformations as a bridge", The American
//! Statistician 35, 1981.
//!
//! Ranks give a spike no more weight than any other slow sample. The ranks are of all samples,
//! not of the pairs' differences (Wilcoxon): a spike in every fifth sample spoils a third of the
//! differences. `docs/timing.md` has the figures of the alternatives.
//!
//! The interval holds every factor for which A, multiplied by it, does not differ from B.

use super::median::Interval;

/// The quotient that kernels with equal times exceed with a probability of 0.125 % (both sides
/// together). It follows from the normal distribution. A sum of random signs has no heavier tails
/// in the relevant range: see the tests.
const THRESHOLD: f64 = 3.2272;

/// The number of pairs that an interval needs. With fewer, the quotient may stay below the
/// threshold even if each sample of A is less than each of B. The least such quotient is near the
/// square root of 3/4 of the pairs, so 14 would suffice.
pub(super) const MIN_PAIRS: usize = 16;

/// Returns the factor by which B takes longer than A, and its interval, for pairs of times in
/// order.
pub(super) fn factor(a: &[f64], b: &[f64]) -> (f64, Interval) {
    // As a function of the factor, the quotient changes only at factors that make a sample of A
    // equal to one of B.
    let mut factors: Vec<f64> = (a.iter())
        .flat_map(|a| b.iter().map(move |b| b / a))
        .collect();
    factors.sort_unstable_by(f64::total_cmp);
    let last = factors.len() - 1;
    let above =
        |threshold: f64| factors.partition_point(|factor| quotient(a, b, *factor) > threshold);
    let estimate = above(0.0).min(last);
    // If both kernels have constant times, both thresholds are passed at the same factor.
    let low = above(THRESHOLD).min(estimate);
    let high = above(-THRESHOLD).min(last).max(estimate);
    let interval = Interval {
        low: factors[low],
        high: factors[high],
    };
    (factors[estimate], interval)
}

/// Returns the excess of B over A times `factor`, in standard deviations for equal kernels.
fn quotient(a: &[f64], b: &[f64], factor: f64) -> f64 {
    let a: Vec<f64> = a.iter().map(|time| time * factor).collect();
    let ranks = ranks(a.iter().chain(b).copied().collect());
    let (of_a, of_b) = ranks.split_at(a.len());
    let (mut sum, mut squares) = (0.0, 0.0);
    for (a, b) in of_a.iter().zip(of_b) {
        sum += b - a;
        squares += (b - a) * (b - a);
    }
    if squares == 0.0 {
        0.0
    } else {
        sum / f64::sqrt(squares)
    }
}

/// Returns the rank of each number. Equal numbers share their mean rank.
fn ranks(numbers: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by(|one, other| numbers[*one].total_cmp(&numbers[*other]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut below = 0;
    for equal in order.chunk_by(|one, other| numbers[*one] == numbers[*other]) {
        for place in equal {
            ranks[*place] = below as f64 + (equal.len() as f64 - 1.0) / 2.0;
        }
        below += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::seeded_random::{below, generator};

    #[test]
    fn equal_numbers_share_a_rank() {
        #[track_caller]
        fn check(numbers: &[f64], expected: &[f64]) {
            assert_eq!(ranks(numbers.to_vec()), expected);
        }
        check(&[3.0, 1.0, 2.0], &[2.0, 0.0, 1.0]);
        check(&[1.0, 5.0, 1.0, 1.0], &[1.0, 3.0, 1.0, 1.0]);
        check(&[], &[]);
    }

    /// Returns samples of two kernels with occasional spikes. B is slower than A by `slower`.
    fn samples(seed: u64, pairs: usize, slower: f64) -> (Vec<f64>, Vec<f64>) {
        let mut random = generator(seed, 0);
        let mut sample = |time: f64| {
            let part = below(&mut random, 1000) as f64 / 1e5;
            let spike = [0.0, 0.3][usize::from(below(&mut random, 10) == 0)];
            time * (1.0 + part + spike)
        };
        let pair = |_| (sample(50.0), sample(50.0 * slower));
        (0..pairs).map(pair).unzip()
    }

    /// Checks the threshold against all 65,536 outcomes of the coins: at most the promised share
    /// exceeds it.
    #[test]
    fn equal_kernels_are_beyond_the_threshold_as_seldom_as_promised() {
        for seed in 0..5 {
            let (a, b) = samples(seed, MIN_PAIRS, 1.0);
            let ranks = ranks(a.iter().chain(&b).copied().collect());
            let numbers: Vec<f64> = (0..MIN_PAIRS)
                .map(|pair| ranks[pair + MIN_PAIRS] - ranks[pair])
                .collect();
            let squares: f64 = numbers.iter().map(|number| number * number).sum();
            let is_beyond = |coins: &u32| {
                let sign = |pair: usize| if coins >> pair & 1 == 1 { 1.0 } else { -1.0 };
                let sum: f64 = (0..MIN_PAIRS).map(|pair| sign(pair) * numbers[pair]).sum();
                sum.abs() > THRESHOLD * squares.sqrt()
            };
            let beyond = (0..1u32 << MIN_PAIRS).filter(is_beyond).count();
            let part = beyond as f64 / f64::from(1u32 << MIN_PAIRS);
            assert!(part <= 0.00125, "{part}");
        }
    }

    #[test]
    fn kernels_whose_samples_do_not_overlap_are_different() {
        for seed in 0..200 {
            let (a, b) = samples(seed, MIN_PAIRS, 1.4);
            let (factor, interval) = factor(&a, &b);
            assert!(interval.low > 1.0, "{factor} {interval:?}");
        }
    }

    /// Checks that the result does not depend on the kernels' roles or on the unit of time.
    #[test]
    fn sides_and_units_do_not_matter() {
        for seed in 0..50 {
            let (a, b) = samples(seed, 24, 1.01);
            let (forth, interval) = factor(&a, &b);
            assert!(interval.contains(forth), "{forth} {interval:?}");
            let (back, inverse) = factor(&b, &a);
            // Between two neighbouring factors, the quotient may be exactly zero.
            assert!((forth * back - 1.0).abs() < 1e-3, "{forth} {back}");
            assert!((interval.low * inverse.high - 1.0).abs() < 1e-3);
            assert!((interval.high * inverse.low - 1.0).abs() < 1e-3);
            let thousand: Vec<f64> = b.iter().map(|time| time * 1024.0).collect();
            let (scaled, _) = factor(&a, &thousand);
            assert!((scaled / forth / 1024.0 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn kernels_that_repeat_exactly_differ_by_exactly_their_ratio() {
        let (factor, interval) = factor(&[2.0; MIN_PAIRS], &[3.0; MIN_PAIRS]);
        assert_eq!((factor, interval.low, interval.high), (1.5, 1.5, 1.5));
    }
}
