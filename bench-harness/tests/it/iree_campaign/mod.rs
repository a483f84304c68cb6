//! Tests of the rules for IREE's kernels against iree-compile and the emulator. They cover every
//! target, all classes of comparators, all index modes and plain reductions, with and without
//! functions. Needs iree-compile.
//!
//! All random configurations that the rules accept must compile, and none may be wrong. At most
//! one in twenty of those that the rules refuse may compile and be correct. [`refusals`] draws
//! the refused ones and omits those with a legal twin. The quick form has some of the problems
//! and a few configurations of each.

use crate::sampling::cores;
mod problems;
mod refusals;

use std::time::Duration;

use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs};
use configgen::{Configuration, Device, Generator, Problem, Space, Target};
use iree::IreeCompiler;
use testing::{Failed, Trial};

/// The number of accepted configurations per problem without split rows, and again with them, of
/// so many drawn.
const QUICK_EACH: usize = 1;
const FULL_EACH: usize = 3;
const DRAWN: u64 = 100;
/// The number of refused configurations.
const QUICK_REFUSED: usize = 40;
const FULL_REFUSED: usize = 200;

/// A function that returns the problems of a target, all of them or a few.
type Problems = fn(&Target, bool) -> Vec<String>;

const KINDS: [(&str, Problems); 5] = [
    ("accepted", problems::on),
    ("plain", problems::plain),
    ("computed", problems::computed),
    ("softmax", problems::softmax),
    ("norms", problems::norms),
];

pub(crate) fn trials() -> Vec<Trial> {
    let compiler = IreeCompiler::find().map_err(|error| error.to_string());
    let compiler: &'static Result<IreeCompiler, String> = Box::leak(Box::new(compiler));
    let mut trials = Vec::new();
    for is_full in [false, true] {
        let prefix = if is_full { "full: " } else { "" };
        for target in problems::TARGETS {
            for (kind, of) in KINDS {
                let test = move |compiler: &IreeCompiler| accepted(compiler, target, is_full, of);
                let name = format!("{prefix}{kind} {target}");
                trials.push(trial(compiler, name, is_full, test));
            }
        }
        let test = move |compiler: &IreeCompiler| refused(compiler, is_full);
        trials.push(trial(compiler, format!("{prefix}refused"), is_full, test));
    }
    trials
}

/// Creates a test that is ignored without iree-compile, with the reason as its kind; in CI the
/// quick ones then fail.
fn trial(
    compiler: &'static Result<IreeCompiler, String>,
    name: String,
    is_full: bool,
    test: impl FnOnce(&IreeCompiler) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match compiler {
        Ok(compiler) => Trial::test(name, move || test(compiler)).with_ignored_flag(is_full),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(is_full || std::env::var_os("CI").is_none()),
    }
}

/// A configuration of a problem on a target.
struct Case {
    target: &'static Target,
    problem: Problem,
    configuration: Configuration,
}

/// The result of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Right,
    /// Another index among equal elements, or a zero of the other sign.
    Tie,
    Wrong,
    /// The kernel did not compile, or did not run to its end.
    Failed,
}

/// The result of a case with its message, or a failure that is no fault of the kernel.
type Ended = Result<(End, String), String>;

/// The limit on one compilation. Comparators of two keys with 64 elements per thread take up to 2
/// s of a processor, which may be busy. A longer compilation hangs.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Compiles and runs cases on every core. Returns each result with its message.
fn run(compiler: &IreeCompiler, cases: &[Case]) -> Result<Vec<(End, String)>, Failed> {
    let compiler = &compiler.clone().with_time_limit(TIME_LIMIT);
    let ends = cores::each(cases, |case| one(compiler, case));
    ends.into_iter()
        .map(|end| end.map_err(Failed::from))
        .collect()
}

fn one(compiler: &IreeCompiler, case: &Case) -> Ended {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let kernel = compiler.compile(&case.problem, case.target, Some(&case.configuration));
    let kernel = match kernel {
        Ok(kernel) => kernel,
        Err(error) => return Ok((End::Failed, error.to_string())),
    };
    let inputs = Inputs::new(&case.problem, 1).map_err(|error| said(&error))?;
    let device = Device::of_target(case.target).ok_or("the target has no device")?;
    let device = EmulatedDevice::named(&format!("emulated:{}", device.name));
    let mut device = device.map_err(|error| said(&error))?;
    let mut bench = Bench::new(&mut device, &inputs).map_err(|error| said(&error))?;
    let outcome = bench.evaluate(&kernel).map_err(|error| said(&error))?;
    Ok(match &outcome {
        BenchOutcome::Right(..) => (End::Right, String::new()),
        BenchOutcome::SignOfZero(..) | BenchOutcome::Tie(..) => (End::Tie, String::new()),
        BenchOutcome::Wrong(difference) | BenchOutcome::Unstable(difference) => {
            (End::Wrong, format!("{difference:?}"))
        }
        BenchOutcome::Timed(_) => (End::Failed, "the values were not compared".to_owned()),
        BenchOutcome::Failed(error) => (End::Failed, error.to_string()),
    })
}

fn count(ends: &[(End, String)], end: End) -> usize {
    ends.iter().filter(|(found, _)| *found == end).count()
}

/// Checks that all accepted configurations of these problems compile, and that none is wrong.
fn accepted(
    compiler: &IreeCompiler,
    target: &str,
    is_full: bool,
    of: fn(&Target, bool) -> Vec<String>,
) -> Result<(), Failed> {
    let target: &'static Target = target.parse()?;
    let each = if is_full { FULL_EACH } else { QUICK_EACH };
    let mut cases = Vec::new();
    for (number, problem) in (0..).zip(of(target, is_full)) {
        let problem: Problem = problem.parse()?;
        let space = Space::new(&problem, target, Generator::IREE);
        if let Some(rejection) = space.rejection() {
            return Err(format!("{problem} on {target}: {rejection}").into());
        }
        let drawn = space.sample(DRAWN, number).into_iter();
        let (split, whole): (Vec<_>, Vec<_>) = drawn.partition(|drawn| drawn.knobs.split > 1);
        let of_each = [whole, split].into_iter();
        let of_each = of_each.flat_map(|some| some.into_iter().take(each));
        cases.extend(of_each.map(|configuration| Case {
            target,
            problem: problem.clone(),
            configuration,
        }));
    }
    let ends = run(compiler, &cases)?;
    let bad: Vec<String> = cases
        .iter()
        .zip(&ends)
        .filter(|(_, (end, _))| matches!(end, End::Wrong | End::Failed))
        .map(|(case, (end, said))| {
            let json = serde_json::to_string(&case.configuration).unwrap_or_default();
            format!("{end:?}: {} {json}: {said}", case.problem)
        })
        .collect();
    println!(
        "{target}: of {} that are accepted {} right, {} ties, {} bad",
        ends.len(),
        count(&ends, End::Right),
        count(&ends, End::Tie),
        bad.len(),
    );
    match bad.is_empty() {
        true => Ok(()),
        false => Err(bad.join("\n").into()),
    }
}

/// Checks that at most one in twenty refused configurations would have compiled and been correct.
/// A quick run allows one in eight: with a share of one in twenty, more than 5 of 40 occur once
/// in seventy draws.
fn refused(compiler: &IreeCompiler, is_full: bool) -> Result<(), Failed> {
    let (each, share, runs) = match is_full {
        true => (FULL_REFUSED, 20, "full"),
        false => (QUICK_REFUSED, 8, "quick"),
    };
    let cases = refusals::draw(each)?;
    let ends = run(compiler, &cases)?;
    let mut needless = Vec::new();
    for (case, (end, _)) in cases.iter().zip(&ends) {
        if matches!(end, End::Right | End::Tie) {
            let Case {
                target,
                problem,
                configuration,
            } = case;
            let refusal = configgen::check(problem, target, Generator::IREE, configuration);
            let refusal = refusal.err().map_or(String::new(), |it| it.to_string());
            let json = serde_json::to_string(configuration)?;
            needless.push(format!("{target} {problem} {json}: {refusal}"));
        }
    }
    println!(
        "{runs}: of {} that are refused {} failed, {} wrong, {} would have been right:\n{}",
        ends.len(),
        count(&ends, End::Failed),
        count(&ends, End::Wrong),
        needless.len(),
        needless.join("\n"),
    );
    match needless.len() * share <= ends.len() {
        true => Ok(()),
        false => Err(format!(
            "{} of {}:\n{}",
            needless.len(),
            ends.len(),
            needless.join("\n")
        )
        .into()),
    }
}
