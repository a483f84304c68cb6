//! The comparison of two kernels: the factor between their times, and its significance.
//!
//! Samples come in pairs, and a coin decides which kernel comes first. The module
//! `paired_samples` evaluates the pairs. The comparison looks at the interval several times, and
//! each look has a share of the error (Bonferroni). It stops at the first clear look, and the
//! interval still holds the truth. These are repeated confidence intervals: Jennison and Turnbull,
//! "Interim analyses: the repeated confidence interval approach", Journal of the Royal
//! Statistical Society B 51, 1989.

use configgen::seeded_random::{Random, below};
use serde::{Deserialize, Serialize};

use super::median::Interval;
use super::paired_samples::factor;
use super::sampler::{SampleError, check};

/// One of two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KernelSide {
    /// The first kernel.
    A,
    /// The second kernel.
    B,
}

/// The numbers of pairs at which the comparison may stop. Each look errs in 0.125 % of cases, all
/// of them in at most 0.5 %. That is half of the promised 1 %. The other half is for kernels with
/// the same median but different distributions.
pub(super) const LOOKS: [usize; 4] = [super::paired_samples::MIN_PAIRS, 24, 40, 60];
/// The half width of a clear interval, as a fraction of the speedup.
const PRECISION: f64 = 0.005;

/// The conclusion from the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A takes less time than B.
    Faster,
    /// A takes more time than B.
    Slower,
    /// Noise may explain the whole difference.
    NotSignificant,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Every sample, in order: microseconds of one launch. Two successive samples are a pair.
    pub samples: Vec<(KernelSide, f64)>,
    /// The time of B over the time of A: the factor by which A is faster.
    pub speedup: f64,
    /// The interval of the speedup. In 99.5 % of comparisons, it holds the truth.
    pub interval: Interval,
    /// The conclusion from the interval.
    pub finding: Finding,
}

impl Comparison {
    /// Returns the number of pairs of samples.
    pub fn pairs(&self) -> usize {
        self.samples.len() / 2
    }
}

/// Compares two kernels. `sample` takes one sample of a warmed-up kernel, in microseconds of one
/// launch.
///
/// # Errors
/// [`SampleError`].
pub fn compare<E>(
    random: &mut Random,
    mut sample: impl FnMut(KernelSide) -> Result<f64, E>,
) -> Result<Comparison, SampleError<E>> {
    let mut samples = Vec::new();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        let order = match below(random, 2) {
            0 => [KernelSide::A, KernelSide::B],
            _ => [KernelSide::B, KernelSide::A],
        };
        for side in order {
            let time = check(sample(side)?)?;
            samples.push((side, time));
            match side {
                KernelSide::A => a.push(time),
                KernelSide::B => b.push(time),
            }
        }
        if !LOOKS.contains(&a.len()) {
            continue;
        }
        let (speedup, interval) = factor(&a, &b);
        let is_clear = interval.half_width() <= PRECISION * speedup;
        if is_clear || LOOKS.last() == Some(&a.len()) {
            return Ok(Comparison {
                samples,
                speedup,
                interval,
                finding: match interval {
                    Interval { low, .. } if low > 1.0 => Finding::Faster,
                    Interval { high, .. } if high < 1.0 => Finding::Slower,
                    _ => Finding::NotSignificant,
                },
            });
        }
    }
}
