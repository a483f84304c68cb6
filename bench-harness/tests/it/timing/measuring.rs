//! Tests of measurements: how often the interval holds the kernel's time, and the effects of
//! warm-up and batches.

use bench_harness::timing::{Measurement, Protocol, StopReason, floor_us, measure};
use configgen::seeded_random::{below, generator};
use testing::Failed;

use crate::timing::kernel::Kernel;
use crate::timing::noise::{Noise, Simulated};
use crate::timing::recorded::Space;
use crate::timing::verdict;

type Test = (&'static str, fn() -> Result<(), Failed>);
pub(crate) const TESTS: [Test; 4] = [
    ("intervals of medians hold them", coverage),
    ("warm-up goes on while clocks rise", warm_up),
    ("batches make the floor small", batches),
    ("limits end what does not become known", limits),
];

const MEASUREMENTS: u64 = 1000;
const TIME_US: f64 = 50.0;

fn measured(noise: Noise<'_>, seed: u64, change: impl FnOnce(&mut Kernel)) -> Measurement {
    let mut device = Simulated::new(noise, seed);
    let mut kernel = Kernel::new(&mut device, 0, TIME_US);
    change(&mut kernel);
    match measure(&mut kernel, &Protocol::SEARCH, None) {
        Ok(measurement) => measurement,
        Err(error) => panic!("{error}"),
    }
}

/// Checks that the interval holds the median as often as it promises, although sampling stops at
/// a narrow interval.
fn coverage() -> Result<(), Failed> {
    for noise in [0.002, 0.005, 0.02, 0.05].map(Noise::White) {
        check_coverage(|_| noise)?;
    }
    Ok(())
}

pub(crate) fn recorded_coverage(space: &Space) -> Result<(), Failed> {
    check_coverage(|seed| {
        let any = below(&mut generator(seed, 3), space.series.len() as u64);
        Noise::Recorded(&space.series[any as usize])
    })
}

fn check_coverage<'a>(noise: impl Fn(u64) -> Noise<'a>) -> Result<(), Failed> {
    let (mut held, mut samples, mut stable) = (0, 0, 0);
    for seed in 0..MEASUREMENTS {
        let measurement = measured(noise(seed), seed, |_| {});
        let interval = measurement.interval;
        held += u32::from(interval.is_some_and(|interval| interval.contains(TIME_US)));
        samples += measurement.samples_us.len();
        stable += u32::from(measurement.stable);
    }
    let part = |count| 100.0 * f64::from(count) / MEASUREMENTS as f64;
    let (held, stable) = (part(held), part(stable));
    let samples = samples as f64 / MEASUREMENTS as f64;
    verdict(
        held >= 95.0 && stable >= 99.0,
        format!("held {held:.1} %, stable {stable:.1} %, samples {samples:.1}"),
    )
}

/// Checks two kernels: one is 50 % slower at first, and the other 10 % with a third of that left
/// after 20 ms.
fn warm_up() -> Result<(), Failed> {
    for (cold, most) in [((0.5, 2_000.0), 0.001), ((0.1, 20_000.0), 0.005)] {
        let mut off = 0.0;
        for seed in 0..MEASUREMENTS {
            let measurement = measured(Noise::White(0.003), seed, |kernel| kernel.cold = cold);
            off += (measurement.median_us() / TIME_US - 1.0) / MEASUREMENTS as f64;
        }
        verdict(off < most, format!("{cold:?}: {:.3} % off", 100.0 * off))?;
    }
    Ok(())
}

/// Checks that shorter kernels have more launches per sample, and that the floor is at most 2 %
/// of a sample.
fn batches() -> Result<(), Failed> {
    let floor = 4.0;
    for time_us in [1.0, 2.5, 5.0, 12.0, 19.0, 21.0, 70.0, 500.0] {
        let measurement = measured(Noise::White(0.001), 1, |kernel| {
            kernel.time_us = time_us;
            kernel.floor_us = floor;
        });
        let off = measurement.median_us() - time_us;
        let launches = measurement.launches;
        let is_right = off < 0.021 * time_us.max(200.0 / f64::from(launches));
        let is_batch = launches >= 10 || time_us >= 20.0;
        verdict(
            is_right && is_batch,
            format!("{time_us} us: {measurement}: {off:.3} us more"),
        )?;
    }
    let mut device = Simulated::new(Noise::White(0.001), 1);
    let mut empty = Kernel::new(&mut device, 0, 0.001);
    empty.floor_us = floor;
    let measured = floor_us(&mut empty)?;
    verdict((measured - floor).abs() < 0.01, format!("floor {measured}"))
}

/// Checks that the number of samples and the time are limited on any device.
fn limits() -> Result<(), Failed> {
    let wild = measured(Noise::White(0.2), 1, |_| {});
    let slow = measured(Noise::White(0.01), 1, |kernel| kernel.time_us = 700_000.0);
    let is_right =
        wild.stop == StopReason::Samples && slow.stop == StopReason::Time && !slow.stable;
    verdict(is_right, format!("{wild}\n{slow}"))
}
