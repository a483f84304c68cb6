//! Advice: the command that tunes a problem without an answer.

use configgen::{Device, Generator, Problem, Target, check_problem};

use crate::device::EMULATED;

/// Returns the command that tunes `problem` for `target` with kernels of `generator`, on `device`
/// if it is given.
///
/// # Errors
///
/// The reason that there is no command: the generator rejects the problem, or no device of the
/// target is known.
pub fn tune(
    problem: &Problem,
    target: &Target,
    device: Option<&str>,
    generator: Generator,
) -> Result<String, String> {
    // Tuning a problem that the generator rejects would fail, so no command is advised.
    check_problem(problem, target, generator).map_err(|rejection| {
        format!("the {generator} generator does not support the problem: {rejection}")
    })?;
    let device =
        device_of(target, device).ok_or_else(|| format!("no device of {target} is known"))?;
    Ok(command(problem, Some(&device), generator))
}

/// Returns the command that tunes any problem for `target`, on `device` if it is given.
pub fn tune_some(target: &Target, device: Option<&str>) -> String {
    let device = device_of(target, device);
    spelt("PROBLEM", device.as_deref(), Generator::default())
}

/// Returns the given device, or else an emulated one of the target.
fn device_of(target: &Target, named: Option<&str>) -> Option<String> {
    if let Some(named) = named {
        return Some(named.to_owned());
    }
    let row = Device::of_target(target)?;
    Some(format!("{EMULATED}{}", row.name))
}

/// Returns the command that tunes `problem`, on the tuner's default device if none is given.
pub(crate) fn command(problem: &Problem, device: Option<&str>, generator: Generator) -> String {
    spelt(&format!("'{problem}'"), device, generator)
}

fn spelt(problem: &str, device: Option<&str>, generator: Generator) -> String {
    let device = device.map_or_else(String::new, |device| format!(" --device {device}"));
    let generator = match generator == Generator::default() {
        true => String::new(),
        false => format!(" --generator {generator}"),
    };
    format!("wavetune tune {problem}{device}{generator}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(problem: &str, target: &str, generator: Generator, expected: Result<&str, &str>) {
        let problem = problem.parse().unwrap();
        let found = tune(&problem, Target::named(target).unwrap(), None, generator);
        let found = found.as_deref().map_err(String::as_str);
        match (found, expected) {
            (Err(found), Err(part)) => assert!(found.contains(part), "{found}"),
            (found, expected) => assert_eq!(found, expected),
        }
    }

    #[test]
    fn the_device_is_one_of_the_target() {
        let problem = "argmax:4x[8]xf32";
        let native = |target, command| check(problem, target, Generator::NATIVE, Ok(command));
        native(
            "gfx942",
            "wavetune tune 'argmax:4x[8]xf32:i32' --device emulated:mi300x",
        );
        native(
            "gfx90a",
            "wavetune tune 'argmax:4x[8]xf32:i32' --device emulated:mi210",
        );
        check(
            problem,
            "gfx942",
            Generator::IREE,
            Ok("wavetune tune 'argmax:4x[8]xf32:i32' --device emulated:mi300x --generator iree"),
        );
        check(
            problem,
            "gfx1201",
            Generator::IREE,
            Ok("wavetune tune 'argmax:4x[8]xf32:i32' --device emulated:rx9070xt --generator iree"),
        );
        let refused =
            "the iree generator does not support the problem: rule 0: the target is gfx1030";
        check(problem, "gfx1030", Generator::IREE, Err(refused));
        let refused = "rule 0: the dimensions [0, 1] are reduced";
        check(
            "argmax:[4]x[8]xf32",
            "gfx942",
            Generator::IREE,
            Err(refused),
        );
    }

    #[test]
    fn some_problem_is_tuned_on_a_device_of_the_target() {
        let target = Target::named("gfx90a").unwrap();
        let expected = "wavetune tune PROBLEM --device emulated:mi210";
        assert_eq!(tune_some(target, None), expected);
        let expected = "wavetune tune PROBLEM --device hip:0";
        assert_eq!(tune_some(target, Some("hip:0")), expected);
    }

    #[test]
    fn every_target_has_a_device() {
        let problem: Problem = "argmax:4x[8]xf32".parse().unwrap();
        for target in &configgen::TARGETS {
            let command = tune(&problem, target, None, Generator::NATIVE);
            assert!(command.is_ok(), "{target}: {command:?}");
        }
    }
}
