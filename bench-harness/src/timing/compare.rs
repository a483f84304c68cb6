//! Two kernels: how many times is one faster than the other, and is that more than noise?
//!
//! Samples are taken in pairs, and a coin says which kernel comes first. What the pairs say is in `paired`. They are
//! looked at several times, and each look has its share of the error (Bonferroni), so that one may stop at the first
//! that is clear, and the interval then still holds the truth (repeated confidence intervals: Jennison and Turnbull,
//! "Interim analyses: the repeated confidence interval approach", Journal of the Royal Statistical Society B 51, 1989).

use configgen::seeded_random::{Random, below};
use serde::{Deserialize, Serialize};

use super::median::Interval;
use super::paired_samples::factor;
use super::sampler::{SampleError, check};

/// Which of two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KernelSide {
    /// The first.
    A,
    /// The second.
    B,
}

/// Numbers of pairs at which it is asked whether the answer is clear. With an error of 0.125 % each, all of them err in
/// at most 0.5 %: half of the 1 % that is promised. The other half is for kernels whose times have the same median but
/// not the same distribution.
pub(super) const LOOKS: [usize; 4] = [super::paired_samples::MIN_PAIRS, 24, 40, 60];
/// Half width of the interval, in parts of the speedup, at which it is clear.
const PRECISION: f64 = 0.005;

/// What the interval says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A takes less time than B.
    Faster,
    /// A takes more time than B.
    Slower,
    /// Noise may be all that there is.
    NotSignificant,
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Every sample, in order: microseconds of one launch. Two that follow each other are a pair.
    pub samples: Vec<(KernelSide, f64)>,
    /// Time of B over time of A: by how much A is faster.
    pub speedup: f64,
    /// Interval of the speedup: in 99.5 % of comparisons it holds the truth.
    pub interval: Interval,
    /// What it says.
    pub finding: Finding,
}

impl Comparison {
    /// Samples of each kernel, which come in pairs.
    pub fn pairs(&self) -> usize {
        self.samples.len() / 2
    }
}

/// Compares two kernels. `sample` takes one sample of a kernel that is warmed up, in microseconds of one launch.
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
