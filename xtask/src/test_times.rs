//! Test times: seconds by suite, the slowest tests, and the budgets that a run must keep.
//!
//! A *suite* is a module of a package's test executable `it`, or another executable as a whole. A
//! *budget* is the processor time of a suite's tests as a multiple of the calibration's. The
//! calibration runs in the same run on the same machine (`xtask/tests/it/calibration.rs`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace;

/// The suite with tests of a fixed amount of work.
const CALIBRATION: &str = "xtask::calibration";
/// Factor by which a run may exceed its budget.
const TOLERANCE: f64 = 1.5;
/// Suites below this multiple of the calibration are too short to be judged.
const SMALLEST: f64 = 4.0;
const SLOWEST_SHOWN: usize = 20;

/// The times of one test.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TestTime {
    pub(crate) binary: String,
    pub(crate) test: String,
    pub(crate) processor_s: f64,
    pub(crate) wall_s: f64,
}

impl TestTime {
    /// Formats the line that the runner writes for the test.
    pub(crate) fn line(&self) -> String {
        let Self {
            binary,
            test,
            processor_s,
            wall_s,
        } = self;
        format!("{processor_s:.2}\t{wall_s:.2}\t{binary}\t{test}")
    }

    /// Returns the package, the first segment of nextest's name for an executable.
    pub(crate) fn package(&self) -> &str {
        self.binary.split("::").next().unwrap_or_default()
    }

    /// Returns the package and the module for a test of `it`, and the executable for another.
    fn suite(&self) -> String {
        let Some(package) = self.binary.strip_suffix("::it") else {
            return self.binary.clone();
        };
        // A trial's kind stands in brackets before its name.
        let kind = self.test.strip_prefix('[');
        let name = kind.and_then(|it| it.split_once("] "));
        let name = name.map_or(self.test.as_str(), |(_, name)| name);
        let module = name.split("::").next().unwrap_or_default();
        format!("{package}::{module}")
    }

    /// Parses a line of the runner's.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(4, '\t');
        Some(Self {
            processor_s: fields.next()?.parse().ok()?,
            wall_s: fields.next()?.parse().ok()?,
            binary: fields.next()?.to_owned(),
            test: fields.next()?.to_owned(),
        })
    }
}

/// The times of a run's tests.
pub(crate) struct Times(Vec<TestTime>);

/// The processor and wall seconds of a suite's tests, and their number.
#[derive(Default, Clone, Copy)]
struct Sum {
    processor_s: f64,
    wall_s: f64,
    tests: usize,
}

impl Times {
    /// Reads the runner's file.
    ///
    /// # Errors
    ///
    /// If there is no such file: no test has run.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("no test has written its times to {}", file.display()))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(TestTime::parse).collect())
    }

    fn by_suite(&self) -> BTreeMap<String, Sum> {
        let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
        for time in &self.0 {
            let sum = sums.entry(time.suite()).or_default();
            sum.processor_s += time.processor_s;
            sum.wall_s += time.wall_s;
            sum.tests += 1;
        }
        sums
    }

    /// Returns the processor seconds of one calibration, if one ran.
    fn calibration_s(&self) -> Option<f64> {
        let times = self.0.iter().filter(|time| time.suite() == CALIBRATION);
        let mut seconds: Vec<f64> = times.map(|time| time.processor_s).collect();
        seconds.sort_by(f64::total_cmp);
        // The median, because one of them may have run beside unusual load.
        seconds
            .get(seconds.len() / 2)
            .copied()
            // With a calibration of 0 s, each suite would exceed its budget.
            .filter(|it| *it > 0.0)
    }

    /// Formats the tables of a run: suites by processor time, and the slowest tests.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::from("   cpu s   wall s  tests  suite\n");
        let mut sums: Vec<_> = self.by_suite().into_iter().collect();
        sums.sort_by(|a, b| b.1.processor_s.total_cmp(&a.1.processor_s));
        for (
            suite,
            Sum {
                processor_s,
                wall_s,
                tests,
            },
        ) in sums
        {
            writeln!(text, "{processor_s:>8.1} {wall_s:>8.1} {tests:>6}  {suite}").expect("text");
        }
        let mut slowest: Vec<&TestTime> = self.0.iter().collect();
        slowest.sort_by(|a, b| b.wall_s.total_cmp(&a.wall_s));
        text += "\n   cpu s   wall s  slowest tests\n";
        for TestTime {
            binary,
            test,
            processor_s,
            wall_s,
        } in slowest.into_iter().take(SLOWEST_SHOWN)
        {
            writeln!(text, "{processor_s:>8.1} {wall_s:>8.1}  {binary} {test}").expect("text");
        }
        if let Some(calibration) = self.calibration_s() {
            writeln!(text, "\none calibration: {calibration:.2} cpu s").expect("text");
        }
        text
    }

    /// Describes the suites that exceeded their budget.
    pub(crate) fn over(&self, budgets: &Budgets) -> Vec<String> {
        let Some(calibration) = self.calibration_s() else {
            return Vec::new();
        };
        let sums = self.by_suite().into_iter();
        let over = sums.filter_map(|(suite, sum)| {
            let multiple = sum.processor_s / calibration;
            let budget = budgets.0.get(&suite).copied().unwrap_or(SMALLEST);
            let limit = budget.max(SMALLEST) * TOLERANCE;
            (suite != CALIBRATION && multiple > limit).then(|| {
                let processor_s = sum.processor_s;
                format!(
                    "{suite}: {processor_s:.0} cpu s, {multiple:.1} calibrations; its budget is \
                     {budget:.1}, and {limit:.1} is the limit"
                )
            })
        });
        over.collect()
    }

    /// Returns the budgets that this run would need.
    fn budgets(&self) -> Option<Budgets> {
        let calibration = self.calibration_s()?;
        let sums = self.by_suite().into_iter();
        let multiples = sums.map(|(suite, sum)| (suite, sum.processor_s / calibration));
        let judged =
            multiples.filter(|(suite, multiple)| *suite != CALIBRATION && *multiple >= SMALLEST);
        Some(Budgets(judged.collect()))
    }
}

/// The committed budgets: multiples of the calibration by suite.
#[derive(PartialEq, Debug)]
pub(crate) struct Budgets(BTreeMap<String, f64>);

impl Budgets {
    const FILE: &str = "xtask/budgets.tsv";

    /// Reads the committed budgets.
    ///
    /// # Errors
    ///
    /// If the file is missing, or a line of it is no budget.
    pub(crate) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(workspace::root().join(Self::FILE))
            .with_context(|| format!("cannot read {}", Self::FILE))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let budgets = lines.map(|line| {
            let budget = line
                .split_once('\t')
                .and_then(|(multiple, suite)| Some((suite.to_owned(), multiple.parse().ok()?)));
            budget.with_context(|| format!("{}: no budget: {line}", Self::FILE))
        });
        Ok(Self(budgets.collect::<Result<_>>()?))
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "# Processor time of each suite in CI, in multiples of one calibration.\n\
             # `UPDATE_EXPECT=1 cargo xtask test --all` writes this file.\n",
        );
        for (suite, multiple) in &self.0 {
            writeln!(text, "{multiple:.1}\t{suite}").expect("text");
        }
        text
    }

    /// Replaces the committed budgets by those of a run.
    ///
    /// # Errors
    ///
    /// If the run had no calibration, or the file cannot be written.
    pub(crate) fn bless(times: &Times) -> Result<()> {
        let budgets = times.budgets().context("the run had no calibration")?;
        std::fs::write(workspace::root().join(Self::FILE), budgets.text())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(lines: &[(&str, f64)]) -> Times {
        let time = |(index, (binary, processor_s)): (usize, &(&str, f64))| TestTime {
            binary: (*binary).to_owned(),
            test: format!("test_{index}"),
            processor_s: *processor_s,
            wall_s: 2.0 * processor_s,
        };
        let lines: Vec<String> = lines.iter().enumerate().map(|it| time(it).line()).collect();
        Times::parse(&lines.join("\n"))
    }

    #[test]
    fn lines_of_the_runner_are_read() {
        let time = TestTime {
            binary: "codegen::native".to_owned(),
            test: "a::test\twith a tab".to_owned(),
            processor_s: 1.25,
            wall_s: 3.5,
        };
        assert_eq!(TestTime::parse(time.line().trim_end()), Some(time));
        assert_eq!(TestTime::parse("1.0\tx"), None);
    }

    #[test]
    fn a_module_of_it_is_a_suite() {
        #[track_caller]
        fn check(binary: &str, test: &str, expected: &str) {
            let line = format!("1\t1\t{binary}\t{test}");
            assert_eq!(TestTime::parse(&line).unwrap().suite(), expected);
        }
        check("codegen", "cache::tests::a_test", "codegen");
        check(
            "server_dispatch::carriers",
            "jetstream::a_test",
            "server_dispatch::carriers",
        );
        check("iree::it", "compiler::rows::a_test", "iree::compiler");
        check(
            "codegen::it",
            "[full: a::b] native::a_test",
            "codegen::native",
        );
        check(
            "emulator::it",
            "kernels::full: gfx942 O3",
            "emulator::kernels",
        );
    }

    #[test]
    fn tables_begin_with_the_slowest() {
        let times = run(&[
            ("small", 1.0),
            ("large", 4.0),
            ("large", 5.0),
            (CALIBRATION, 2.0),
        ]);
        let tables = times.tables();
        let at = |word: &str| {
            tables
                .find(word)
                .unwrap_or_else(|| panic!("{word}\n{tables}"))
        };
        assert!(
            at("     9.0     18.0      2  large") < at("  small"),
            "{tables}"
        );
        assert!(
            at("     5.0     10.0  large test_2") < at("large test_1"),
            "{tables}"
        );
        assert!(tables.contains("one calibration: 2.00 cpu s"), "{tables}");
    }

    #[test]
    fn a_run_that_is_over_by_half_is_named() {
        let budgets = Budgets::parse("# a comment\n10.0\tlarge\n1.0\tsmall\n").unwrap();
        let over = |large: f64, small: f64, new: f64| {
            let lines = [
                ("large", large),
                ("small", small),
                ("new", new),
                (CALIBRATION, 2.0),
            ];
            run(&lines).over(&budgets)
        };
        assert!(over(30.0, 12.0, 12.0).is_empty());
        let said = over(30.1, 12.0, 12.0);
        assert!(
            said.len() == 1 && said[0].starts_with("large: 30 cpu s"),
            "{said:?}"
        );
        // Short executables, and those without a budget, have the limit of the shortest judged one.
        assert_eq!(over(30.0, 12.1, 12.1).len(), 2);
        assert!(run(&[("large", 1e9)]).over(&budgets).is_empty());
        assert!(Budgets::parse("ten\tlarge\n").is_err());
    }

    #[test]
    fn a_blessed_run_is_within_its_budget() {
        let times = run(&[("large", 30.0), ("small", 1.0), (CALIBRATION, 2.0)]);
        let budgets = times.budgets().unwrap();
        assert_eq!(budgets, Budgets::parse("15.0\tlarge\n").unwrap());
        assert_eq!(Budgets::parse(&budgets.text()).unwrap(), budgets);
        assert!(times.over(&budgets).is_empty());
    }
}
