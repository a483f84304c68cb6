//! Kernels that other programs launch: the output of `export kernels` runs in `wavetune emulate`
//! with the manifest's launch parameters. A kernel takes the same time wherever it is timed.
//! Needs libLLVM and lld.

mod device;
mod kernels;
mod library;
mod problems;
mod times;

use std::path::Path;
use std::process::{Command, Stdio};

use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Configuration, Generator, Problem, Space, Target};
use serde_json::Value;
use testing::{Failed, Trial};

type Test = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

/// A target of each family, and one with caches of each die.
const TARGETS: [&str; 4] = ["gfx90a", "gfx942", "gfx1100", "gfx1201"];
/// The number of random problems, and of those in a part.
const PROBLEMS: usize = 200;
const PART: usize = 25;

/// Returns the tests. Without libLLVM they are ignored, with the reason as their kind; in CI they
/// fail.
pub(crate) fn trials() -> Vec<Trial> {
    let missing = Native::load(Cache::of_environment())
        .err()
        .map(|error| error.to_string());
    let trial = |name: &str, whole: bool, test: Test| match missing.clone() {
        None => Trial::test(name, test).with_ignored_flag(whole),
        Some(reason) => Trial::test(name, test)
            .with_kind(reason)
            .with_ignored_flag(whole || std::env::var_os("CI").is_none()),
    };
    let mut trials = vec![
        trial(
            "split_row_operations_run",
            false,
            Box::new(kernels::split_row_operations_run),
        ),
        trial(
            "exported_kernels_run",
            false,
            Box::new(|| kernels::exported_kernels_run(&problems::random(5, 1), true)),
        ),
        trial(
            "times_are_the_same_everywhere",
            false,
            Box::new(|| times::are_the_same(times::SAMPLE)),
        ),
        trial(
            "times_of_twenty_problems_are_the_same_everywhere",
            true,
            Box::new(|| times::are_the_same(&times::PROBLEMS)),
        ),
    ];
    // In parts, because each takes a minute or two.
    for part in 0..PROBLEMS / PART {
        let problems = move || problems::random(PROBLEMS, 2).split_off(part * PART);
        let test = move || kernels::exported_kernels_run(&problems()[..PART], false);
        let name = format!("exported_kernels_of_200_random_problems_run_{part}");
        trials.push(trial(&name, true, Box::new(test)));
    }
    trials
}

/// Returns the JSON answer of the program, which must exit with 0.
fn json(directory: &Path, arguments: &[&str]) -> Result<Value, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_wavetune"))
        .args(arguments)
        .args(["--output-format", "json"])
        .env("WAVETUNE_DB", directory.join("test.db"))
        .stdin(Stdio::null())
        .output()?;
    match output.status.code() {
        Some(0) => Ok(serde_json::from_slice(&output.stdout)?),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{arguments:?}: {}\n{said}", output.status).into())
        }
    }
}

/// Exports kernels. Returns those of the manifest.
fn export(directory: &Path, arguments: &[&str]) -> Result<Vec<Value>, Failed> {
    let folder = directory.join("kernels");
    let out = folder.to_str().ok_or("a path that is no text")?;
    let output = Command::new(env!("CARGO_BIN_EXE_wavetune"))
        .args(["export", "kernels", "--out", out])
        .args(arguments)
        .env("WAVETUNE_DB", directory.join("test.db"))
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{arguments:?}: {said}").into());
    }
    let manifest: Value = serde_json::from_slice(&std::fs::read(folder.join("manifest.json"))?)?;
    let kernels = manifest["kernels"].as_array().ok_or("no kernels")?;
    Ok(kernels.clone())
}

/// Returns a configuration in which several workgroups share a row, if there is one.
fn split(problem: &Problem, target: &Target, seed: u64) -> Option<Configuration> {
    let sampled = Space::new(problem, target, Generator::NATIVE).sample(300, seed);
    sampled.into_iter().find(|it| it.knobs.split > 1)
}

fn target(name: &str) -> &'static Target {
    Target::named(name).expect("a target of the table")
}
