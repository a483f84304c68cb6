//! Tests of the regret of a choice: the winner's true time over the best true time of all trials.

use std::collections::VecDeque;
use std::convert::Infallible;

use bench_harness::timing::{
    DriftDecision, DriftWatch, Entrant, Finals, Protocol, finals, measure, short_list,
};
use configgen::seeded_random::{Random, below, generator};
use testing::Failed;

use crate::timing::kernel::Kernel;
use crate::timing::noise::{Noise, Simulated};
use crate::timing::recorded::{Series, Space};
use crate::timing::verdict;

type Test = (&'static str, fn() -> Result<(), Failed>);
pub(crate) const TESTS: [Test; 2] = [
    ("regret among kernels that are close", close),
    ("a default that is the best stays", default_is_best),
];

/// The noise of a device during a search, besides drift from trial to trial.
const NOISES: [Noise<'static>; 6] = [
    Noise::White(0.005),
    Noise::White(0.02),
    Noise::Correlated(0.005),
    Noise::Spikes(0.2, 0.35),
    Noise::Bimodal(0.3, 0.06),
    Noise::Ticks(0.005),
];

/// The promised limit.
const MAX_REGRET: f64 = 0.003;

/// The limit for kernels that are 0.2 % apart. Without the last rounds of a race, the regret is
/// larger.
const MAX_REGRET_CLOSE: f64 = 0.0015;

/// A study. It tries kernels with these true times one after another, and runs finals with one of
/// them as the default.
struct Study {
    /// The true time over the best one, less 1: for the search's best and for the chosen kernel.
    searched: f64,
    chosen: f64,
    finals: Finals,
}

fn study(noise: Noise<'_>, times: &[f64], default: usize, random: &mut Random, seed: u64) -> Study {
    let mut device = Simulated::new(noise, seed);
    // Besides its noise, the device drifts from trial to trial.
    let mut drift = Simulated::new(Noise::Walk(0.001), seed);
    let mut measured = |number: usize| {
        let mut kernel = Kernel::new(&mut device, number, drift.sample(0, times[number]));
        match measure(&mut kernel, &Protocol::SEARCH, None) {
            Ok(measurement) => measurement,
            Err(error) => panic!("{error}"),
        }
    };
    let mut watch = DriftWatch::new(&measured(default).samples_us);
    let mut found = vec![0.0; times.len()];
    let mut waiting: VecDeque<usize> = (0..times.len()).collect();
    while let Some(number) = waiting.pop_front() {
        found[number] = measured(number).median_us() * watch.correction();
        watch.record_trial(number);
        if (watch.is_due() || waiting.is_empty())
            && let DriftDecision::Repeat(again) =
                watch.record_default(&measured(default).samples_us)
        {
            waiting.extend(again);
        }
    }
    let list = short_list(&found);
    let of = |entrant| match entrant {
        Entrant::Default => default,
        Entrant::Finalist(place) => list[place],
    };
    let held = finals::<Infallible>(random, list.len(), |entrant| {
        Ok(device.sample(of(entrant), drift.sample(0, times[of(entrant)])))
    });
    let finals = match held {
        Ok(finals) => finals,
        Err(error) => panic!("{error}"),
    };
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    Study {
        searched: times[list[0]] / best - 1.0,
        chosen: times[of(finals.winner())] / best - 1.0,
        finals,
    }
}

/// Checks the regret of studies with so many trials.
fn check(
    studies: u64,
    max: f64,
    mut each: impl FnMut(&mut Random, u64) -> Study,
) -> Result<(), Failed> {
    let (mut searched, mut regrets, mut samples) = (0.0, Vec::new(), 0);
    for seed in 0..studies {
        let study = each(&mut generator(seed, 4), seed);
        searched += 100.0 * study.searched / studies as f64;
        regrets.push(100.0 * study.chosen);
        samples += study.finals.race.len() + study.finals.comparison.samples.len();
    }
    let mean = regrets.iter().sum::<f64>() / studies as f64;
    let worst = regrets.iter().copied().fold(0.0, f64::max);
    let samples = samples as f64 / studies as f64;
    verdict(
        mean <= 100.0 * max,
        format!(
            "regret without finals {searched:.3} %, with {mean:.3} %, at worst {worst:.2} %; samples of finals {samples:.0}"
        ),
    )
}

/// Checks some configurations of a recorded space and then all, each with its recorded noise.
pub(crate) fn regret(space: &Space) -> Result<(), Failed> {
    let all = space.series.len();
    for (trials, studies) in [(32, 100), (200, 100), (all, 3)] {
        check(studies, MAX_REGRET, |random, seed| {
            let mut series: Vec<&Series> = space.series.iter().collect();
            for place in 0..trials {
                let left = (all - place) as u64;
                series.swap(place, place + below(random, left) as usize);
            }
            series.truncate(trials);
            let times: Vec<f64> = series.iter().map(|series| series.time_us).collect();
            let default = below(random, trials as u64) as usize;
            study(Noise::RecordedEach(&series), &times, default, random, seed)
        })?;
    }
    Ok(())
}

/// Returns the times of 64 kernels, 0.2 % apart.
fn ladder() -> Vec<f64> {
    (0..64)
        .map(|step| 50.0 * (1.0 + 0.002 * f64::from(step)))
        .collect()
}

fn close() -> Result<(), Failed> {
    for noise in NOISES {
        print!("{noise:?}: ");
        check(100, MAX_REGRET_CLOSE, |random, seed| {
            study(noise, &ladder(), 63, random, seed)
        })?;
    }
    Ok(())
}

/// Checks that a kernel that is best only by luck does not replace a default.
fn default_is_best() -> Result<(), Failed> {
    for noise in NOISES {
        let mut taken = 0;
        for seed in 0..100 {
            let study = study(noise, &ladder(), 0, &mut generator(seed, 5), seed);
            taken += u32::from(study.finals.winner() != Entrant::Default && study.chosen > 0.0);
        }
        verdict(
            taken <= 1,
            format!("{noise:?}: its place is taken in {taken} of 100"),
        )?;
    }
    Ok(())
}
