//! Tests of the stored time model.

use configgen::{Device, Generator, Problem, Space, check};

use super::{TRAINING_PROBLEMS, TimeModel, predict, shortest};

fn mi300x() -> &'static Device {
    Device::named("mi300x").unwrap()
}

/// Checks that the stored trees are a model. Its first choice for an unseen row keeps the whole
/// row in the registers of one workgroup.
#[test]
fn the_time_model_knows_rows_of_no_power_of_two() {
    let problem = "rms_norm:20x[3456]xbf16".parse().unwrap();
    let device = mi300x();
    let space = Space::new(&problem, device.target(), Generator::NATIVE);
    let first = shortest(&space, &problem, device)[0];
    let first = space.nth(first).unwrap();
    assert_eq!(first.knobs.split, 1);
    assert_eq!(first.lowering.partial_reduction[1], 3584, "{first}");
}

#[test]
fn every_training_problem_is_known_and_has_a_legal_prediction() {
    for line in TRAINING_PROBLEMS.lines() {
        let (device, problem) = line.split_once(' ').unwrap();
        let (device, problem) = (Device::named(device).unwrap(), problem.parse().unwrap());
        assert!(TimeModel::knows(&problem, device), "{line}");
    }
    // A sample: a ranking takes milliseconds.
    for line in TRAINING_PROBLEMS.lines().step_by(13) {
        let (device, problem) = line.split_once(' ').unwrap();
        let device = Device::named(device).unwrap();
        let problem: Problem = problem.parse().unwrap();
        let found = predict(&problem, device).unwrap();
        let [low, high] = found.interval_us;
        assert!(low < found.time_us && found.time_us < high, "{line}");
        let configuration = &found.configuration;
        check(&problem, device.target(), Generator::NATIVE, configuration).unwrap();
        assert_eq!(*configuration, configuration.canonical(&problem), "{line}");
    }
}

/// Checks that the model gives no answer outside of its training.
#[test]
fn other_families_are_unknown() {
    for problem in [
        // Elements of eight bytes and of one.
        "sum:64x[2880]xf64",
        "argmax:64x[1280]xi8",
        // Rows far beyond the trained ones.
        "rms_norm:16x[1000000]xbf16",
        // A count that only the launch knows.
        "rms_norm:?x[2880]xbf16",
    ] {
        let parsed: Problem = problem.parse().unwrap();
        assert!(!TimeModel::knows(&parsed, mi300x()), "{problem}");
        assert_eq!(predict(&parsed, mi300x()), None, "{problem}");
    }
    assert!(TimeModel::knows(
        &"rms_norm:20x[3456]xbf16".parse().unwrap(),
        mi300x()
    ));
}
