//! The compiler's options for unit tests.
//!
//! The packages of `[profile.dev.package]` are optimised because the tests of other packages spend
//! their time there. cargo compiles such a package a second time for its unit tests, with the same
//! options; no profile tells the two apart. Optimised, the unit tests of configgen take 75
//! processor seconds to compile and 13 to run; otherwise 21 and 40.

/// Returns the compiler's arguments, without optimisation if they compile unit tests.
pub(crate) fn options(arguments: &[String]) -> Vec<String> {
    let mut options = arguments.to_vec();
    if !arguments.iter().any(|it| it == "--test") {
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
    fn unit_tests_are_not_optimised() {
        check(
            "--crate-name emulator -C opt-level=3 -C debuginfo=1 --test",
            "--crate-name emulator -C debuginfo=1 --test",
        );
        check("--crate-name xtask --test", "--crate-name xtask --test");
        let library = "--crate-name emulator --crate-type lib -C opt-level=3";
        check(library, library);
    }
}
