//! The compiler's options for unit tests.
//!
//! The packages of `[profile.dev.package]` are optimised because the tests of other packages spend
//! their time there. Cargo compiles such a package a second time for its unit tests, with the same
//! options. No profile tells the two apart.

/// The crates without optimisation of their unit tests. Most of these run for a few seconds in any
/// case, and they compile in a quarter of the time. Those of bench-harness, prediction and search
/// would take about ten times as long to run.
const UNOPTIMISED: [&str; 3] = ["codegen", "configgen", "emulator"];

/// Returns the compiler's arguments, without optimisation for unit tests that are fast without it.
pub(crate) fn options(arguments: &[String]) -> Vec<String> {
    let mut options = arguments.to_vec();
    let is_unoptimised =
        |it: &[String]| it[0] == "--crate-name" && UNOPTIMISED.contains(&it[1].as_str());
    let is_test = arguments.iter().any(|it| it == "--test");
    if !is_test || !arguments.windows(2).any(is_unoptimised) {
        return options;
    }
    let is_level = |it: &[String]| it[0] == "-C" && it[1].starts_with("opt-level=");
    if let Some(at) = options.windows(2).position(is_level) {
        options.drain(at..at + 2);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: &str) {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(options(&words).join(" "), expected);
    }

    #[test]
    fn unit_tests_of_some_crates_are_not_optimised() {
        check(
            "--crate-name emulator -C opt-level=3 -C debuginfo=1 --test",
            "--crate-name emulator -C debuginfo=1 --test",
        );
        for unchanged in [
            "--crate-name codegen --test",
            "--crate-name search -C opt-level=2 --test",
            "--crate-name emulator --crate-type lib -C opt-level=3",
        ] {
            check(unchanged, unchanged);
        }
    }
}
