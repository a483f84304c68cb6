//! Tests of iree-compile's kernels for every family, run in the emulator on every input. Needs
//! iree-compile.
//!
//! The configurations are some that the target's rules allow, which must compile, and IREE's own
//! choice, which need not.

use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs};
use configgen::{Generator, Problem, Space, Target};
use iree::IreeCompiler;
use testing::{Failed, Trial};

/// The targets, with a device of each.
const TARGETS: [(&str, &str); 5] = [
    ("gfx90a", "emulated:mi250x"),
    ("gfx942", "emulated:mi300x"),
    ("gfx950", "emulated:mi355x"),
    ("gfx1100", "emulated:rx7900xtx"),
    ("gfx1201", "emulated:rx9070xt"),
];

/// Problems with different shapes, element types, index types and both comparators. CI runs the
/// first.
const PROBLEMS: [&str; 14] = [
    "argmin:4x[4096]xf16",
    "argmax:4x[32000]xf32",
    "argmax:[50304]xbf16",
    "argmax:96x[1000]xi32",
    "argmin:24x[21]x24xf32",
    "argmax:3x[33]xf32",
    "argmin:16x[512]xi8",
    "argmax:16x[512]xi16",
    "argmin:8x[1024]xi64",
    "argmax:5x[768]xf64",
    "argmax:2048x[64]xf16",
    "argmax:8x16x[640]xf32",
    "argmin:7x[50257]xf32",
    "argmax:4x[2048]xf32:i64",
];

/// The number of configurations per problem besides IREE's choice.
const CI_EACH: u64 = 2;
const FULL_EACH: u64 = 4;

pub(crate) fn trials() -> Vec<Trial> {
    let compiler = IreeCompiler::find().map_err(|error| error.to_string());
    let compiler: &'static Result<IreeCompiler, String> = Box::leak(Box::new(compiler));
    let mut trials = Vec::new();
    for (target, device) in TARGETS {
        for (number, problem) in PROBLEMS.into_iter().enumerate() {
            let quick = number == 0;
            let (prefix, each) = if quick {
                ("", CI_EACH)
            } else {
                ("full: ", FULL_EACH)
            };
            let test =
                move |compiler: &IreeCompiler| check(compiler, problem, each, target, device);
            let one = trial(compiler, format!("{prefix}{target} {problem}"), test);
            trials.push(match quick {
                true => one,
                false => one.with_ignored_flag(true),
            });
        }
    }
    trials
}

/// Creates a test that is ignored without iree-compile, with the reason as its kind; in CI it
/// fails.
fn trial(
    compiler: &'static Result<IreeCompiler, String>,
    name: String,
    test: impl FnOnce(&IreeCompiler) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match compiler {
        Ok(compiler) => Trial::test(name, move || test(compiler)),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

fn check(
    compiler: &IreeCompiler,
    problem: &str,
    each: u64,
    target: &str,
    device: &str,
) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let target: &Target = target.parse()?;
    let drawn = Space::new(&problem, target, Generator::IREE).sample(each, 7);
    let choices = std::iter::once(None).chain(drawn.iter().map(Some));
    let inputs = Inputs::new(&problem, 1)?;
    let mut emulated = EmulatedDevice::named(device)?;
    let mut bench = Bench::new(&mut emulated, &inputs)?;
    let (mut ran, mut wrong) = (0, Vec::new());
    for configuration in choices {
        let text = match configuration {
            Some(one) => serde_json::to_string(one)?,
            None => "IREE's choice".to_owned(),
        };
        match compiler.compile(&problem, target, configuration) {
            Err(_) if configuration.is_none() => {}
            Err(error) => wrong.push(format!("{text}: {error}")),
            Ok(kernel) => match bench.evaluate(&kernel)? {
                BenchOutcome::Right(..) | BenchOutcome::SignOfZero(..) | BenchOutcome::Tie(..) => {
                    ran += 1
                }
                other => wrong.push(format!("{text}: {other:?}")),
            },
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    println!("{device} {problem}: {ran} right");
    // A test that compiles nothing would show nothing.
    if drawn.is_empty() {
        return Err("nothing is legal".into());
    }
    Ok(())
}
