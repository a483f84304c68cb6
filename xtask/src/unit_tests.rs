//! The compiler's options for tests.
//!
//! The packages of `[profile.dev.package]` are optimised because the tests of other packages spend
//! their time there. Cargo compiles such a package a second time for its unit tests, and its other
//! test executables, with the same options. No profile tells them apart.

/// The test executables without optimisation: the package, and the crate. Their tests take a little
/// longer, but they compile in a sixth to a quarter of the time. The unit tests of bench-harness,
/// prediction and search would take about ten times as long to run, and the suites of emulator and
/// configgen compute much themselves.
const UNOPTIMISED: [(&str, &str); 5] = [
    ("codegen", "codegen"),
    ("configgen", "configgen"),
    ("emulator", "emulator"),
    ("bench-harness", "it"),
    ("codegen", "it"),
];

/// Returns the compiler's arguments for a crate of a package, without optimisation for tests that
/// are fast without it.
pub(crate) fn options(package: &str, arguments: &[String]) -> Vec<String> {
    let mut options = arguments.to_vec();
    let name = arguments.windows(2).find(|it| it[0] == "--crate-name");
    let name = name.map_or("", |it| it[1].as_str());
    // An executable with a `main` of its own has no `--test`.
    let is_test = name == "it" || arguments.iter().any(|it| it == "--test");
    if !is_test || !UNOPTIMISED.contains(&(package, name)) {
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
    fn check(package: &str, arguments: &str, expected: &str) {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(options(package, &words).join(" "), expected);
    }

    #[test]
    fn tests_of_some_crates_are_not_optimised() {
        check(
            "emulator",
            "--crate-name emulator -C opt-level=3 -C debuginfo=1 --test",
            "--crate-name emulator -C debuginfo=1 --test",
        );
        check(
            "codegen",
            "--crate-name it --crate-type bin -C opt-level=2",
            "--crate-name it --crate-type bin",
        );
        for (package, unchanged) in [
            ("codegen", "--crate-name codegen --test"),
            ("search", "--crate-name search -C opt-level=2 --test"),
            (
                "emulator",
                "--crate-name emulator --crate-type lib -C opt-level=3",
            ),
            (
                "emulator",
                "--crate-name it --crate-type bin -C opt-level=3",
            ),
        ] {
            check(package, unchanged, unchanged);
        }
    }
}
