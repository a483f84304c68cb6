//! `cargo xtask test`: the checks, then the tests, and the time that they took.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::affected_tests::{self, AffectedTests};
use crate::check;
use crate::child;
use crate::compile_times::CompileTimes;
use crate::object_cleanup;
use crate::one_pass;
use crate::quick_sample::OmittedTests;
use crate::setup;
use crate::step::{self, Timings};
use crate::test_cache::TestCache;
use crate::test_runner;
use crate::test_times::{Budgets, TestTime, Times};
use crate::tools;
use crate::workspace;

/// The extent of a test run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TestScope {
    /// The tests that the branch's changes affect; CI's part if nothing is changed.
    Changed,
    /// CI's part.
    All,
    /// Also the ignored tests, which take long: one shard of all.
    Full(Shard),
}

impl TestScope {
    fn is_full(self) -> bool {
        matches!(self, Self::Full(_))
    }
}

/// A test run as it is asked for.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct TestRequest {
    scope: TestScope,
    /// True if tests that have passed before run again.
    repeats: bool,
}

impl TestRequest {
    /// Parses the options of `cargo xtask test`.
    ///
    /// # Errors
    ///
    /// If an option is unknown, or does not go with another.
    pub(crate) fn parse(options: &[&str]) -> Result<Self> {
        let repeats = options.contains(&"--again");
        let others: Vec<&str> = options
            .iter()
            .copied()
            .filter(|it| *it != "--again")
            .collect();
        let scope = match others.as_slice() {
            [] | ["--changed"] => TestScope::Changed,
            ["--all"] => TestScope::All,
            ["--full"] if !repeats => TestScope::Full(Shard::WHOLE),
            ["--full", "--shard", shard] if !repeats => TestScope::Full(Shard::parse(shard)?),
            _ => bail!(
                "no tests `{}`; `cargo xtask help` lists the options",
                options.join(" ")
            ),
        };
        Ok(Self { scope, repeats })
    }
}

/// The `index`th of `count` equal parts of the long tests, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// All tests.
    pub(crate) const WHOLE: Self = Self { index: 1, count: 1 };

    /// Parses `INDEX/COUNT`.
    ///
    /// # Errors
    ///
    /// If the text is something else, or the index is not among 1 to the count.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let shard = text.split_once('/').and_then(|(index, count)| {
            let (index, count) = (index.parse().ok()?, count.parse().ok()?);
            (1..=count)
                .contains(&index)
                .then_some(Self { index, count })
        });
        shard.with_context(|| format!("`--shard {text}` is none: write 3/8 for the third of eight"))
    }

    /// Returns true for the shard that also does the indivisible steps.
    fn is_last(self) -> bool {
        self.index == self.count
    }
}

/// Runs all steps up to the first failure.
///
/// Doc tests come before nextest, so that nextest's summary is near the end.
pub(crate) fn run(request: &TestRequest) -> Result<()> {
    let scope = request.scope;
    let mut timings = Timings::default();
    let purpose = match scope {
        TestScope::Changed | TestScope::All => setup::SetupPurpose::Tests,
        TestScope::Full(_) => setup::SetupPurpose::LongTests,
    };
    timings.time("setup", || setup::run(purpose))?;
    let touched = match scope {
        TestScope::Changed if one_pass::is_on() => AffectedTests::All("CI is set".to_owned()),
        TestScope::Changed => affected_tests::affected_tests()?,
        TestScope::All => AffectedTests::All("asked for".to_owned()),
        TestScope::Full(_) => AffectedTests::All("asked for, long ones too".to_owned()),
    };
    let compiled = CompileTimes::begin()?;
    if one_pass::is_on() && !scope.is_full() {
        timings.time("formatting", || check::formatting(&[]))?;
        // One build of all targets keeps the cores busier than one for each step. It lints the
        // benchmarks, too. This program is left out: its file would be replaced under it.
        timings.time("build", || {
            build(&compiled, &["build", "--all-targets", "--exclude", "xtask"])
        })?;
    } else if !touched.has_no_sources() {
        check::steps(&mut timings, touched.packages())?;
    }
    // A filter of nextest's does not apply to doc tests.
    if let AffectedTests::All(_) = touched {
        timings.time("doc tests", || build(&compiled, &["test", "--doc"]))?;
    }
    // A run that blesses needs every test, for its text or its time.
    let blesses = std::env::var_os("UPDATE_EXPECT").is_some() && !scope.is_full();
    let passed = TestCache::of_target()?;
    let cache = (!request.repeats && !blesses).then_some(&passed);
    timings.time("tests", || tests(scope, &touched, cache, &compiled))?;
    if let TestScope::Full(shard) = scope
        // The indivisible steps go to the last shard, and so run once.
        && shard.is_last()
    {
        let key = passed.key_of_all()?;
        run_uncached(&mut timings, &passed, &key, "measurements", measurements)?;
        run_uncached(&mut timings, &passed, &key, "traces", || {
            step::run(&mut traces())
        })?;
        run_uncached(&mut timings, &passed, &key, "miri", miri)?;
    }
    println!("\n{timings}");
    Ok(())
}

/// Runs a step outside nextest, unless it has passed for the same executables.
fn run_uncached(
    timings: &mut Timings,
    passed: &TestCache,
    key: &str,
    name: &'static str,
    step: impl FnOnce() -> Result<()>,
) -> Result<()> {
    const BINARY: &str = "steps";
    if passed.has(key, BINARY, name) {
        println!("\n== {name}: passed before, for the same executables");
        return Ok(());
    }
    let (before, start) = (child::processor_seconds()?, Instant::now());
    timings.time(name, step)?;
    let processor_s = child::processor_seconds()? - before;
    let wall_s = start.elapsed().as_secs_f64();
    let (binary, test) = (BINARY.to_owned(), name.to_owned());
    passed.add(
        key,
        TestTime {
            binary,
            test,
            processor_s,
            wall_s,
        },
    )
}

/// Runs a command of cargo's that builds the workspace.
fn build(compiled: &CompileTimes, command: &[&str]) -> Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args(command).args(["--workspace", "--quiet"]);
    compiled.record(&mut cargo);
    one_pass::apply(&mut cargo)?;
    step::run(&mut cargo)
}

/// Runs the tests by nextest, and prints their times.
fn tests(
    scope: TestScope,
    touched: &AffectedTests,
    passed: Option<&TestCache>,
    compiled: &CompileTimes,
) -> Result<()> {
    if let Some(passed) = passed {
        passed.begin()?;
    }
    let file = workspace::target_dir()?.join("test-times.tsv");
    if file.exists() {
        // The runner appends, so the times of an earlier run must go.
        std::fs::remove_file(&file)?;
    }
    if let Some(folder) = std::env::var_os(object_cleanup::VARIABLE) {
        object_cleanup::remove_unused(folder.as_ref())?;
    }
    let mut nextest = nextest(scope)?;
    nextest.args(["--config", &test_runner::cargo_config(&file, passed)?]);
    match touched {
        AffectedTests::All(reason) => println!("all tests: {reason}"),
        AffectedTests::Some { filter, packages } => {
            let left_out = leave_out(packages, passed)?;
            let changed = match packages.as_slice() {
                [] => "changed: no source of a package; left out: all tests but those of the \
                       changed files"
                    .to_owned(),
                packages => format!(
                    "changed: {}; left out: the tests of packages that do not depend on them, doc \
                     tests, {left_out}",
                    packages.join(", ")
                ),
            };
            println!("{changed} (`cargo xtask test --all` runs them)");
            // The filter skips many tests; nextest would list each of them.
            nextest.args(["--final-status-level", "slow", "-E", filter]);
        }
    }
    compiled.record(&mut nextest);
    one_pass::apply(&mut nextest)?;
    let result = step::run(&mut nextest);
    if let Some(table) = compiled.table() {
        println!("\n{table}");
    }
    let times = Times::read(&file);
    if let Ok(times) = &times {
        println!("\n{}", times.tables());
    }
    if let Some(passed) = passed {
        if scope.is_full() {
            println!(
                "passed for these executables, this time or before:\n{}",
                passed.table()
            );
        }
        match passed.skipped() {
            0 => {}
            count => println!(
                "{count} tests were not repeated: they have passed for the same executables and \
                 files (`--again` repeats them)"
            ),
        }
    }
    // First: if the tests do not compile, there are no times, and the compiler's error counts.
    result?;
    let times = times?;
    // The budgets are for all tests of CI.
    match touched {
        AffectedTests::All(_) if !scope.is_full() => keep_budgets(&times),
        _ => Ok(()),
    }
}

/// Makes a quick run leave out the slowest tests of changed packages and of their dependents.
fn leave_out(packages: &[String], passed: Option<&TestCache>) -> Result<OmittedTests> {
    let (Some(passed), [_, ..]) = (passed, packages) else {
        return Ok(OmittedTests::default());
    };
    let dependents = affected_tests::dependents(packages)?;
    let left_out = OmittedTests::of(&passed.times(), packages, &dependents);
    passed.leave_out(&left_out)?;
    Ok(left_out)
}

/// Compares a run with the committed budgets, and names the suites above them.
fn keep_budgets(times: &Times) -> Result<()> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return Budgets::bless(times);
    }
    // No failure, because the variation of the multiples between machines is not measured yet.
    for suite in times.over(&Budgets::read()?) {
        println!("over its budget: {suite}");
    }
    Ok(())
}

/// Returns the command that runs the tests. `setup` may have installed nextest outside `PATH`.
fn nextest(scope: TestScope) -> Result<Command> {
    let program = tools::nextest().context("cargo-nextest has gone since setup saw it")?;
    let mut nextest = workspace::builder(program);
    nextest.args(["nextest", "run", "--workspace"]);
    // Tests wait for a third of their time: for a browser, a heartbeat or a time limit. A browser's
    // test counts as two, and two of those that wait longest run beside the rest
    // (.config/nextest.toml).
    let threads = 2 + 2 * std::thread::available_parallelism().map_or(1, usize::from);
    nextest.args(["--test-threads", &threads.to_string(), "--profile"]);
    match scope {
        TestScope::Changed | TestScope::All => nextest.arg("ci"),
        TestScope::Full(Shard { index, count }) => {
            nextest.args(["full", "--run-ignored", "all"]);
            // Neighbouring tests take about equally long, so each shard gets every n-th test.
            nextest.args(["--partition", &format!("slice:{index}/{count}")])
        }
    };
    Ok(nextest)
}

/// Measures the load that a service and a fleet can handle, against limits, in the release build.
/// The long tests are a debug build, so their profile omits these.
fn measurements() -> Result<()> {
    for suite in ["load::", "server_fleet::recorded_results_are_replayed"] {
        let mut tests = workspace::cargo();
        tests.args(["test", "--release", "--package", "wavetune"]);
        tests.args(["--test", "it", "--", "--ignored", "--nocapture"]);
        // A measurement needs the machine for itself.
        step::run(tests.args(["--test-threads", "1", suite]))?;
    }
    Ok(())
}

/// Returns the command of the tests of optional features.
fn traces() -> Command {
    let mut tests = workspace::cargo();
    tests.args(["test", "--package", "wavetune", "--all-features"]);
    tests.args(["--test", "it", "--", "traces::"]);
    tests
}

/// Runs the tests of shared memory under Miri, which checks the `unsafe` code. Skips them without
/// a nightly Miri.
fn miri() -> Result<()> {
    let cargo = || {
        let mut cargo = workspace::cargo();
        // Overrides the toolchain that cargo has set for this process.
        cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo.args(["+nightly", "miri"]);
        cargo
    };
    if !step::succeeds(cargo().arg("--version")) {
        println!(
            "skipped: no `miri` component in a nightly toolchain (`rustup +nightly component add miri rust-src`)"
        );
        return Ok(());
    }
    let mut tests = cargo();
    // Some tests read the clock.
    tests.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    tests
        .args(["test", "-p", "emulator", "--lib", "--"])
        .args(CORE);
    step::run(&mut tests)
}

/// Tests of the emulator that Miri runs in seconds; those of the executor take it many minutes.
const CORE: [&str; 1] = ["memory::"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u32, u32)>) {
        let shard = Shard::parse(text).ok();
        assert_eq!(shard.map(|it| (it.index, it.count)), expected, "{text}");
    }

    #[test]
    fn options_make_a_request() {
        let check = |options: &[&str], expected: Option<(TestScope, bool)>| {
            let request = TestRequest::parse(options).ok();
            let request = request.map(|it| (it.scope, it.repeats));
            assert_eq!(request, expected, "{options:?}");
        };
        check(&[], Some((TestScope::Changed, false)));
        check(&["--again"], Some((TestScope::Changed, true)));
        check(&["--all", "--again"], Some((TestScope::All, true)));
        let third = Shard { index: 3, count: 8 };
        check(
            &["--full", "--shard", "3/8"],
            Some((TestScope::Full(third), false)),
        );
        check(&["--full", "--again"], None);
        check(&["--all", "--full"], None);
        check(&["--shard", "3/8"], None);
        check(&["--al"], None);
    }

    #[test]
    fn a_shard_is_one_of_so_many() {
        check("1/1", Some((1, 1)));
        check("3/8", Some((3, 8)));
        for text in [
            "",
            "3",
            "0/8",
            "9/8",
            "1/0",
            "a/8",
            "3/8/1",
            "-1/8",
            "99999999999/8",
        ] {
            check(text, None);
        }
        assert!(Shard::WHOLE.is_last() && !Shard::parse("3/8").unwrap().is_last());
    }
}
