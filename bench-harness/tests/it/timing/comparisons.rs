//! Tests of comparisons: how often equal kernels are called different, and how often a kernel
//! that is 2 % slower is found.

use std::convert::Infallible;

use bench_harness::timing::{Comparison, Finding, KernelSide, SampleError, compare};
use configgen::seeded_random::{below, generator};
use testing::Failed;

use crate::timing::noise::{Noise, Simulated};
use crate::timing::recorded::{Series, Space};
use crate::timing::verdict;

const COMPARISONS: u64 = 800;
const DIFFERENCE: f64 = 1.02;
/// The promised limits of both kinds of error and of the interval.
const MAX_CALLED_DIFFERENT: f64 = 0.01;
const MIN_FOUND: f64 = 0.90;
const MIN_HELD: f64 = 0.99;
const MAX_PAIRS: usize = 60;

pub(crate) fn check<'a>(noise: impl Fn(u64) -> Noise<'a>) -> Result<(), Failed> {
    let (mut different, mut found, mut held, mut pairs, mut most) = (0, 0, 0, 0, 0);
    for seed in 0..COMPARISONS {
        let equal = comparison(noise(seed), 2 * seed, 1.0)?;
        different += u32::from(equal.finding != Finding::NotSignificant);
        let slower = comparison(noise(seed), 2 * seed + 1, DIFFERENCE)?;
        found += u32::from(slower.finding == Finding::Faster);
        held += u32::from(slower.interval.contains(DIFFERENCE));
        pairs += slower.pairs();
        most = most.max(slower.pairs());
    }
    let part = |count| f64::from(count) / COMPARISONS as f64;
    let (different, found, held) = (part(different), part(found), part(held));
    let pairs = pairs as f64 / COMPARISONS as f64;
    let is_right = different <= MAX_CALLED_DIFFERENT
        && found >= MIN_FOUND
        && held >= MIN_HELD
        && most <= MAX_PAIRS;
    verdict(
        is_right,
        format!(
            "equal called different {:.2} %, 2 % found {:.1} %, interval holds it {:.1} %, pairs {pairs:.0}",
            100.0 * different,
            100.0 * found,
            100.0 * held,
        ),
    )
}

fn comparison(
    noise: Noise<'_>,
    seed: u64,
    slower: f64,
) -> Result<Comparison, SampleError<Infallible>> {
    let mut device = Simulated::new(noise, seed);
    compare(&mut generator(seed, 1), |side| {
        Ok(match side {
            KernelSide::A => device.sample(0, 50.0),
            KernelSide::B => device.sample(1, 50.0 * slower),
        })
    })
}

/// Checks the noise of one configuration for both kernels, as the device's own noise.
pub(crate) fn of_one(space: &Space) -> Result<(), Failed> {
    check(|seed| Noise::Recorded(any(space, seed, 0)))
}

/// Checks the noise of two configurations, with equal medians and different distributions.
pub(crate) fn of_two(space: &Space) -> Result<(), Failed> {
    check(|seed| Noise::RecordedPair(any(space, seed, 0), any(space, seed, 1)))
}

fn any(space: &Space, seed: u64, which: u64) -> &Series {
    let mut random = generator(seed, 2 + which);
    &space.series[below(&mut random, space.series.len() as u64) as usize]
}
