//! The calibration: a fixed amount of work. Processor times of other tests are multiples of it,
//! so that a budget means the same on every machine (`xtask/src/test_times.rs`).

use testing::fixed_work;

// Several tests, because nextest spreads them over the run.

#[test]
fn first() {
    assert_eq!(fixed_work(), fixed_work());
}

#[test]
fn second() {
    assert_eq!(fixed_work(), fixed_work());
}

#[test]
fn third() {
    assert_eq!(fixed_work(), fixed_work());
}
