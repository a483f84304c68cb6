//! Two kernels: how many times is one faster than the other, and is that more than noise?
//!
//! Samples are taken in blocks of four, A B B A or B A A B as a coin says. A block's number is the logarithm of B's times
//! over A's, on average. A device that becomes slower at a steady rate leaves it unchanged, since both kernels have the same
//! mean position in the block; and if the kernels take the same time, the coin alone decides whether the number is this
//! one or the same with the other sign, whatever the device does: drift, spikes, states that last, samples that depend on
//! each other. The signed-rank test of the blocks is therefore exact, without an assumption about the noise (Fisher's
//! randomisation test).
//!
//! The blocks are looked at several times, and each look has its share of the error (Bonferroni), so that one may stop at the
//! first that is clear, and the interval then still holds the truth (repeated confidence intervals: Jennison and Turnbull,
//! "Interim analyses: the repeated confidence interval approach", 1989).

use configgen::draw::{Random, below};

use super::median::Interval;
use super::sampler::{SampleError, check};
use super::signed_rank::centre;

/// Which of two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// Numbers of blocks after which it is asked whether the answer is clear. A block is two samples of each kernel.
const LOOKS: [usize; 4] = [12, 18, 24, 30];
/// Probability that the interval misses the truth, at any look. Half of the 1 % that is promised: the other half is for
/// kernels whose times have the same median but not the same distribution.
const ERROR: f64 = 0.005;
/// A difference that lies within the interval's half width of this is known well enough to stop.
const PRECISION: f64 = 0.005;

/// What the interval says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finding {
    /// A takes less time than B.
    Faster,
    /// A takes more time than B.
    Slower,
    /// Noise may be all that there is.
    NotSignificant,
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Every sample, in order: microseconds of one launch.
    pub samples: Vec<(Side, f64)>,
    /// Time of B over time of A: by how much A is faster.
    pub speedup: f64,
    /// Interval of the speedup.
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
    mut sample: impl FnMut(Side) -> Result<f64, E>,
) -> Result<Comparison, SampleError<E>> {
    let mut samples = Vec::new();
    let mut blocks = Vec::new();
    loop {
        let (first, second) = match below(random, 2) {
            0 => (Side::A, Side::B),
            _ => (Side::B, Side::A),
        };
        let mut block = 0.0;
        for side in [first, second, second, first] {
            let time = check(sample(side)?)?;
            samples.push((side, time));
            block += match side {
                Side::A => -time.ln(),
                Side::B => time.ln(),
            } / 2.0;
        }
        blocks.push(block);
        if !LOOKS.contains(&blocks.len()) {
            continue;
        }
        let (estimate, interval) = centre(&blocks, ERROR / LOOKS.len() as f64);
        // A look has blocks enough for an interval.
        let Some(log) = interval else { continue };
        let finding = match (log.low, log.high) {
            (low, _) if low > 0.0 => Finding::Faster,
            (_, high) if high < 0.0 => Finding::Slower,
            _ => Finding::NotSignificant,
        };
        let is_last = LOOKS.last() == Some(&blocks.len());
        let is_clear = log.half_width() <= PRECISION;
        if is_last || is_clear {
            return Ok(Comparison {
                samples,
                speedup: estimate.exp(),
                interval: Interval {
                    low: log.low.exp(),
                    high: log.high.exp(),
                },
                finding,
            });
        }
    }
}
