//! Tests of the quality of searches, by modelled time.

use super::Strategy;
use super::modelled_trials::ModelledTrials;

/// Problems with the best known times in microseconds on mi300x, and the trials to within 1.5 % of
/// them. Rows of no power of two and outer reductions were once missed by several percent, with
/// 64 trials.
const PROBLEMS: [(&str, f64, usize); 11] = [
    ("rms_norm:16x[2880]xbf16", 4.766, 25),
    ("layer_norm:48x[1280]xf16", 4.794, 25),
    ("layer_norm:32x[1152]xbf16", 4.934, 25),
    ("softmax:64x[1500]xf16", 4.793, 25),
    ("rms_norm:8x[5120]xbf16", 4.958, 25),
    ("rms_norm:64x[7168]xbf16", 5.226, 25),
    ("rms_norm:16x[4096]xbf16", 4.831, 25),
    ("sum:64x[2880]xbf16", 4.508, 25),
    ("argmax:64x[1280]xf32", 4.473, 25),
    ("sum:[4096]x768xbf16", 5.878, 64),
    ("sum:[1028]x1028xf32", 5.790, 25),
];

/// Checks that a search is within 1.5 % of the best known time after some trials.
#[track_caller]
fn check(problem: &str, best_us: f64, strategy: Strategy, seed: u64, trials: usize) {
    let mut modelled = ModelledTrials::new(problem, "mi300x");
    let course = modelled.search(strategy, seed, trials);
    let found = course[trials - 1] / best_us;
    println!("{problem}, {strategy}, seed {seed}: {found:.4} after {trials} trials");
    assert!(found < 1.015, "{problem}, {strategy}, seed {seed}: {found}");
}

#[test]
#[ignore = "some 900 kernels"]
fn auto_is_soon_near_the_best() {
    for (problem, best_us, trials) in PROBLEMS {
        for seed in 0..3 {
            check(problem, best_us, Strategy::Auto, seed, trials);
        }
    }
}

/// Checks starts and estimates by themselves. Each of them finds the row in registers.
#[test]
fn rows_of_no_power_of_two_take_few_trials() {
    let (problem, best_us, _) = PROBLEMS[1];
    check(problem, best_us, Strategy::Auto, 0, 4);
    check(problem, best_us, Strategy::Evolution, 0, 4);
}
