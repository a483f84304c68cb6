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
fn rows_of_the_trained_families_have_a_legal_prediction() {
    for line in [
        "mi300x rms_norm:16x[2880]xbf16",
        "mi300x layer_norm:48x[1280]xf16",
        "mi300a softmax:64x[1504]xf16",
        "mi300x argmax:16384x[8]xf32",
        "mi300x sum:64x[2880]xbf16",
        "mi300x min:64x[2880]xf32",
        // Rows of no multiple of 16 bytes, three dimensions, and other targets.
        "mi300x rms_norm:5x[211]xbf16",
        "mi300x rms_norm:4x45x[248]xbf16",
        "mi250x rms_norm:20x[3456]xbf16",
        "mi355x softmax:40x[1795]xf16",
    ] {
        let (device, problem) = line.split_once(' ').unwrap();
        let device = Device::named(device).unwrap();
        let problem: Problem = problem.parse().unwrap();
        let found = predict(&problem, device).unwrap_or_else(|| panic!("{line}"));
        let [low, high] = found.interval_us;
        assert!(low < found.time_us && found.time_us < high, "{line}");
        let configuration = &found.configuration;
        check(&problem, device.target(), Generator::NATIVE, configuration).unwrap();
        assert_eq!(*configuration, configuration.canonical(&problem), "{line}");
    }
}

#[test]
fn every_line_of_the_training_is_a_device_and_a_problem() {
    for line in TRAINING_PROBLEMS.lines() {
        let (device, problem) = line.split_once(' ').unwrap();
        assert!(Device::named(device).is_some(), "{line}");
        problem.parse::<Problem>().unwrap();
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
        // More than 4 MiB.
        "argmax:64x[31040]xf32",
        // Other reduced dimensions, and none.
        "max:17x[3128]x187xf32",
        "copy:1024x512xbf16(1,0)",
        // Another index type, a view, a pitch and an operand by row.
        "argmax:64x[1280]xf32:i64",
        "sum:9x[300]xf32(0,-1+301:290)",
        "argmax:64x[1280]xf32:i32:pitch=1536",
        "dot:64x[8192]xf16,f16(1)",
        // A count that only the launch knows.
        "rms_norm:?x[2880]xbf16",
    ] {
        let parsed: Problem = problem.parse().unwrap();
        assert!(!TimeModel::knows(&parsed, mi300x()), "{problem}");
        assert_eq!(predict(&parsed, mi300x()), None, "{problem}");
    }
    let known = "rms_norm:20x[3456]xbf16".parse().unwrap();
    assert!(TimeModel::knows(&known, mi300x()));
    // The training has no problem of these targets, or too few.
    for device in ["mi50", "rx6900xt", "rx7900xtx"] {
        assert!(!TimeModel::knows(&known, Device::named(device).unwrap()));
    }
}

/// Checks the least gain of a row that the training knows, if the gain of some trained problem was
/// expected and another one came.
#[test]
fn a_gain_exceeds_all_expectations_that_failed() {
    #[track_caller]
    fn check(failed: &[(&str, f32, f32)], expected: f32) {
        let gains = TRAINING_PROBLEMS.lines().map(|line| {
            let failed = failed.iter().find(|it| it.0 == line);
            failed.map_or([0.9, 0.5], |it| [it.1, it.2])
        });
        let model = TimeModel {
            gains: gains.collect(),
            ..TimeModel::stored().clone()
        };
        let problem = "rms_norm:20x[3456]xbf16".parse().unwrap();
        assert_eq!(model.least_gain(&problem, mi300x()), Some(expected));
    }
    let near = "mi300x rms_norm:16x[2880]xbf16";
    check(&[], 0.08);
    check(&[(near, 0.3, -0.1)], 0.3);
    // A loss of less than a percent is none.
    check(&[(near, 0.3, -0.005)], 0.08);
    check(
        &[
            (near, 0.3, -0.1),
            ("mi300x rms_norm:8x[5120]xbf16", 0.2, -0.2),
        ],
        0.3,
    );
    // Another operation, and another target.
    check(&[("mi300x argmax:64x[1280]xf32", 0.3, -0.1)], 0.08);
    check(&[("rx7900xtx rms_norm:16x[2880]xbf16", 0.3, -0.1)], 0.08);
}
