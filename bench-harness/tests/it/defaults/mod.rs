//! Tests of untuned problems: the default kernel of a reduction is correct, and its time is near
//! the bound. Needs libLLVM.

use crate::sampling::cores;
mod problems;
mod row_programs;
use crate::shapes;

use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs, KernelDevice as _, bound_us};
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Problem, Target, native_default};
use testing::{Failed, Trial};

/// The maximum time of a default over the bound.
const MOST: f64 = 8.0;

/// The numbers of random problems in CI's test and in the long one.
const FEW: usize = 24;
const MANY: usize = 300;

pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    vec![
        trial(native, "defaults_of_random_reductions", || {
            problems::random(1, FEW)
        }),
        trial(native, "full_defaults_of_random_reductions", || {
            problems::random(2, MANY)
        })
        .with_ignored_flag(true)
        .with_kind("300 problems"),
        trial(native, "defaults_of_several_reduced_dimensions", || {
            problems::of_several_dimensions(3, FEW / 2)
        }),
        trial(
            native,
            "full_defaults_of_several_reduced_dimensions",
            || problems::of_several_dimensions(4, MANY),
        )
        .with_ignored_flag(true)
        .with_kind("300 problems"),
        trial(native, "full_defaults_of_what_people_have", || {
            shapes::PROBLEMS.map(str::to_owned).into()
        })
        .with_ignored_flag(true)
        .with_kind("34 problems, some large"),
        row_programs::trial(native),
    ]
}

/// Creates a test that is ignored without libLLVM, with the reason as its kind; in CI it fails.
fn trial(
    native: &'static Result<Native, String>,
    name: &str,
    problems: fn() -> Vec<String>,
) -> Trial {
    match native {
        Ok(native) => Trial::test(name, move || check(native, &problems())),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

/// The time of a default and the bound, in microseconds.
struct Untuned {
    time: f64,
    bound: f64,
}

impl Untuned {
    fn ratio(&self) -> f64 {
        self.time / self.bound
    }
}

/// Checks the default of each problem and prints a table of all.
fn check(native: &Native, problems: &[String]) -> Result<(), Failed> {
    let all = cores::each(problems, |text| untuned(native, text));
    let (mut failures, mut logarithms) = (Vec::new(), Vec::new());
    for (text, found) in problems.iter().zip(all) {
        match found {
            Ok(found) => {
                let Untuned { time, bound } = found;
                let ratio = found.ratio();
                println!("{text}\t{time:.2}\t{bound:.2}\t{ratio:.2}");
                logarithms.push(ratio.ln());
                if ratio > MOST {
                    failures.push(format!(
                        "{text}: {ratio:.1} times the bound of {bound:.2} µs"
                    ));
                }
            }
            Err(reason) => failures.push(format!("{text}: {reason}")),
        }
    }
    let mean = geometric_mean(&logarithms);
    println!("{} problems, geometric mean {mean:.3}", problems.len());
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n").into()),
    }
}

fn geometric_mean(logarithms: &[f64]) -> f64 {
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// Verifies and times the default of a problem on an emulated MI300X.
fn untuned(native: &Native, text: &str) -> Result<Untuned, String> {
    untuned_below(native, text, f64::INFINITY)
}

/// Times the default of a problem on an emulated MI300X, and verifies it if it takes less than
/// `limit_us` microseconds.
fn untuned_below(native: &Native, text: &str, limit_us: f64) -> Result<Untuned, String> {
    let problem: Problem = text.parse().map_err(|error| format!("{error}"))?;
    let target = Target::named("gfx942").ok_or("no such target")?;
    let configuration = native_default(&problem, target).map_err(|error| error.to_string())?;
    let json = serde_json::to_string(&configuration).map_err(|error| error.to_string())?;
    let kernel = native.compile_batch(target, &[(problem.clone(), configuration)]);
    let kernel = kernel.into_iter().next().ok_or("no kernel")?;
    let kernel = kernel.map_err(|error| format!("{json}: {error}"))?;
    let inputs = Inputs::new(&problem, 1).map_err(|error| error.to_string())?;
    let mut device = EmulatedDevice::named("emulated:mi300x").map_err(|error| error.to_string())?;
    let bound = bound_us(&problem, device.identity().row);
    let mut bench = Bench::new(&mut device, &inputs).map_err(|error| error.to_string())?;
    let outcome = bench.evaluate_below(&kernel, limit_us);
    match outcome.map_err(|error| error.to_string())? {
        BenchOutcome::Right(times, 0.0..=1.0) | BenchOutcome::Timed(times) => Ok(Untuned {
            time: times.median_us(),
            bound,
        }),
        other => Err(format!("{json}: {other:?}")),
    }
}
