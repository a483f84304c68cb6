//! Tests of the statistics of timing by simulation: on synthetic noise, and on noise recorded on
//! real GPUs, if the recordings are found (`recorded`). With `--no-capture` they print the
//! figures.

mod choice;
mod comparisons;
mod draws;
mod kernel;
mod measuring;
mod noise;
mod recorded;

use testing::{Failed, Trial};

use crate::timing::noise::Noise;

/// The noise of devices, and worse. The last ones target weak points of a rule: an order of
/// samples in step with the device, and a coarse clock.
const NOISES: [Noise<'static>; 18] = [
    Noise::White(0.005),
    Noise::White(0.02),
    Noise::Drift(0.05),
    Noise::Drift(0.5),
    Noise::Walk(0.003),
    Noise::Walk(0.02),
    Noise::Correlated(0.005),
    Noise::Correlated(0.02),
    Noise::Spikes(0.05, 0.35),
    Noise::Spikes(0.2, 0.35),
    Noise::Bimodal(0.3, 0.06),
    Noise::Bimodal(0.5, 0.03),
    Noise::Bimodal(0.5, 0.06),
    Noise::States(0.08),
    Noise::Step(0.1),
    Noise::Wave(0.02, 4.0),
    Noise::Wave(0.02, 37.0),
    Noise::Ticks(0.005),
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for noise in NOISES {
        let name = format!("comparisons {noise:?}");
        trials.push(Trial::test(name, move || comparisons::check(|_| noise)));
    }
    for (name, test) in measuring::TESTS.into_iter().chain(choice::TESTS) {
        trials.push(Trial::test(name, test));
    }
    let tests: [(&str, OfSpace); 4] = [
        ("comparisons of one with itself", comparisons::of_one),
        ("comparisons of two that are as fast", comparisons::of_two),
        ("regret of the winner", choice::regret),
        ("intervals of medians", measuring::recorded_coverage),
    ];
    for (name, test) in tests {
        for file in recorded::FILES {
            let name = format!("{name}: {file}");
            trials.push(match recorded::path(file) {
                Ok(path) => Trial::test(name, move || test(&recorded::read(&path)?)),
                Err(reason) => Trial::test(name, || Ok(()))
                    .with_kind(reason)
                    .with_ignored_flag(true),
            });
        }
    }
    trials
}

/// A test of a recorded space.
type OfSpace = fn(&recorded::Space) -> Result<(), Failed>;

/// Prints the figures of a simulation and fails if they are not as promised.
fn verdict(is_right: bool, figures: String) -> Result<(), Failed> {
    println!("{figures}");
    match is_right {
        true => Ok(()),
        false => Err(figures.into()),
    }
}
