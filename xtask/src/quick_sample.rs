//! The slowest tests of changed packages and of their dependents, by their last recorded times.
//! `cargo xtask test` omits them on a branch, so that its verdict comes within a minute or two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::test_times::TestTime;

/// Processor seconds of the tests of changed packages, and of those of packages that depend on
/// them.
const LIMIT: f64 = 25.0;

/// The tests that a quick run leaves out.
#[derive(Default, PartialEq, Debug)]
pub(crate) struct OmittedTests {
    /// Executables and tests.
    pub(crate) tests: BTreeSet<(String, String)>,
    /// Their processor seconds.
    processor_s: f64,
}

impl OmittedTests {
    /// Selects the slowest tests of changed packages and of their dependents, so that the others
    /// take no longer than the limit of each. A test without a recorded time is never left out.
    pub(crate) fn of(times: &[TestTime], changed: &[String], dependents: &[String]) -> Self {
        let mut left_out = Self::default();
        left_out.select(times, changed);
        left_out.select(times, dependents);
        left_out
    }

    fn select(&mut self, times: &[TestTime], packages: &[String]) {
        // The last time of a test counts.
        let times: BTreeMap<_, _> = times
            .iter()
            .filter(|it| packages.iter().any(|package| package == it.package()))
            .map(|it| ((&it.binary, &it.test), it.processor_s))
            .collect();
        let mut times: Vec<_> = times.into_iter().collect();
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut total_s = 0.0;
        for ((binary, test), processor_s) in times {
            total_s += processor_s;
            if total_s > LIMIT {
                self.tests.insert((binary.clone(), test.clone()));
                self.processor_s += processor_s;
            }
        }
    }
}

impl fmt::Display for OmittedTests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the {} slowest tests, which take {:.0} processor seconds",
            self.tests.len(),
            self.processor_s
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(binary: &str, test: &str, processor_s: f64) -> TestTime {
        TestTime {
            binary: binary.to_owned(),
            test: test.to_owned(),
            processor_s,
            wall_s: 0.0,
        }
    }

    #[test]
    fn the_slowest_tests_are_left_out() {
        let times = [
            time("codegen::it", "slow", 20.0),
            time("codegen::it", "sometimes_slow", 90.0),
            time("codegen", "quick", 0.5),
            time("codegen::it", "sometimes_slow", 4.0),
            time("tuner", "short", 12.0),
            time("tuner", "long", 20.0),
            time("store", "other", 100.0),
        ];
        let names = |packages: &[&str]| -> Vec<String> {
            packages.iter().map(|it| (*it).to_owned()).collect()
        };
        let check = |changed: &[&str], dependents: &[&str], expected: &[&str]| {
            let left_out = OmittedTests::of(&times, &names(changed), &names(dependents));
            let tests: Vec<_> = left_out.tests.iter().map(|it| it.1.as_str()).collect();
            assert_eq!(tests, expected, "{changed:?}, {dependents:?}");
        };
        check(&["codegen"], &["tuner"], &["long"]);
        check(&["tuner"], &["store"], &["other", "long"]);
        check(&["store"], &[], &["other"]);
        check(&[], &[], &[]);
        let text = OmittedTests::of(&times, &names(&["store"]), &names(&["tuner"])).to_string();
        assert_eq!(
            text,
            "the 2 slowest tests, which take 120 processor seconds"
        );
    }
}
