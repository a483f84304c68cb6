//! The signed-rank interval of the centre of symmetric numbers (Wilcoxon 1945; Hodges and Lehmann 1963).
//!
//! If each of *n* numbers is as likely to lie some way above a centre as the same way below it, then the number of their
//! Walsh averages (means of two, or of one with itself) above the centre is distributed as the signed-rank statistic, which
//! is known exactly for every *n*. The ends of the interval are therefore two of the sorted averages, and the median of
//! all of them estimates the centre (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", 3.2 and 3.3).

use super::median::{Interval, median};

/// The Hodges-Lehmann estimate, and the interval that misses the centre with a probability of at most `error`; none where
/// the numbers are too few for that.
pub(super) fn centre(numbers: &[f64], error: f64) -> (f64, Option<Interval>) {
    let mut averages = Vec::with_capacity(numbers.len() * (numbers.len() + 1) / 2);
    for (position, first) in numbers.iter().enumerate() {
        for second in &numbers[position..] {
            averages.push((first + second) / 2.0);
        }
    }
    averages.sort_by(f64::total_cmp);
    let interval = rank(numbers.len(), error).map(|rank| Interval {
        low: averages[rank - 1],
        high: averages[averages.len() - rank],
    });
    (median(&averages), interval)
}

/// The largest rank, from 1, such that the centre lies between this Walsh average and the one as far from the other end,
/// but for a probability of at most `error`.
fn rank(count: usize, error: f64) -> Option<usize> {
    let probabilities = distribution(count);
    let mut tail = 0.0;
    let mut rank = 0;
    for probability in &probabilities {
        tail += probability;
        if 2.0 * tail > error {
            break;
        }
        rank += 1;
    }
    // Beyond the middle the interval would be empty; an error of 1 or more asks for that.
    let averages = probabilities.len() - 1;
    (rank > 0).then_some(rank.min(averages.div_ceil(2)))
}

/// The probabilities of the signed-rank statistic of `count` numbers: the sum of those of the ranks 1 to `count` whose
/// fair coin says so.
fn distribution(count: usize) -> Vec<f64> {
    let mut probabilities = vec![0.0; count * (count + 1) / 2 + 1];
    probabilities[0] = 1.0;
    let mut largest = 0;
    for rank in 1..=count {
        largest += rank;
        for sum in (0..=largest).rev() {
            let with = if sum >= rank {
                probabilities[sum - rank]
            } else {
                0.0
            };
            probabilities[sum] = (probabilities[sum] + with) / 2.0;
        }
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every assignment of signs to the ranks, counted.
    #[test]
    fn the_distribution_is_that_of_all_signs() {
        for count in 1..=12usize {
            let mut counted = vec![0u32; count * (count + 1) / 2 + 1];
            for signs in 0..1usize << count {
                let of = |rank: usize| if signs >> rank & 1 == 1 { rank + 1 } else { 0 };
                counted[(0..count).map(of).sum::<usize>()] += 1;
            }
            let all = f64::from(1u32 << count);
            let expected: Vec<f64> = counted.iter().map(|n| f64::from(*n) / all).collect();
            assert_eq!(distribution(count), expected, "{count}");
        }
    }

    /// Critical values of Wilcoxon's statistic, two-sided (Wilcoxon and Wilcox, "Some rapid approximate statistical
    /// procedures", 1964): the statistic that is still significant is one less than the rank.
    #[test]
    fn ranks_are_those_of_the_tables() {
        #[track_caller]
        fn check(count: usize, error: f64, critical: Option<usize>) {
            assert_eq!(rank(count, error), critical.map(|value| value + 1));
        }
        check(5, 0.05, None);
        check(6, 0.05, Some(0));
        check(10, 0.05, Some(8));
        check(20, 0.05, Some(52));
        check(30, 0.05, Some(137));
        check(7, 0.01, None);
        check(8, 0.01, Some(0));
        check(10, 0.01, Some(3));
        check(20, 0.01, Some(37));
        check(30, 0.01, Some(109));
    }

    #[test]
    fn centres() {
        let (centre, interval) = centre(&[1.0, 2.0, 3.0, 4.0, 5.0, 60.0], 0.05);
        assert_eq!(centre, 3.5);
        assert_eq!(
            interval,
            Some(Interval {
                low: 1.0,
                high: 60.0
            })
        );
        assert_eq!(super::centre(&[1.0, 2.0], 0.05), (1.5, None));
    }
}
