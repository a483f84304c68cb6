//! A command line of iree-compile: its options with their values, and its input file.
//!
//! Only iree-compile knows which options take a value. LLVM's parser accepts a value behind `=`
//! or as the next word, and one hyphen for two.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::bail;

/// Options that often have their value in the next word.
const WITH_VALUE: [&str; 14] = [
    "o",
    "compile-from",
    "compile-mode",
    "compile-to",
    "iree-codegen-tuning-spec-path",
    "iree-hal-executable-object-search-path",
    "iree-hal-target-backends",
    "iree-hal-target-device",
    "iree-hip-target",
    "iree-input-type",
    "iree-preprocessing-pass-pipeline",
    "iree-preprocessing-transform-spec-filename",
    "iree-rocm-target",
    "output-format",
];
/// Options that print something instead of compiling.
const ASKING: [&str; 6] = [
    "h",
    "help",
    "help-hidden",
    "help-list",
    "help-list-hidden",
    "version",
];
/// The prefix of the options that decide how a module is read.
const INPUT: &str = "iree-input-";
/// The options that replace operations before iree-compile applies a tuning spec.
const REPLACING: [&str; 2] = [
    "iree-preprocessing-transform-spec-filename",
    "iree-hal-executable-object-search-path",
];

/// The options that a profile chooses itself.
const OF_COMMAND: [&str; 6] = [
    "o",
    "iree-hal-target-backends",
    "iree-hal-target-device",
    "iree-hip-target",
    "iree-rocm-target",
    "output-format",
];

/// The input of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CompilerInput {
    File(PathBuf),
    /// Standard input, `-`.
    Standard,
}

/// Returns whether the command only asks for help or the version.
pub(super) fn is_asking(command: &[OsString]) -> bool {
    // LLVM takes all words after `--` for files.
    let before_files = command.iter().take_while(|word| *word != "--");
    before_files
        .filter_map(|word| Some(name_of(word)?.0))
        .any(|name| ASKING.contains(&&*name))
}

/// Returns the name of an option without hyphens, and its value if that is behind `=`.
fn name_of(word: &OsStr) -> Option<(String, Option<String>)> {
    let word = word.to_string_lossy();
    let name = word.trim_start_matches('-');
    if name.len() == word.len() || name.is_empty() {
        return None;
    }
    Some(match name.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (name.to_owned(), None),
    })
}

/// Returns the values of an option.
pub(super) fn values(command: &[OsString], option: &str) -> Vec<OsString> {
    let mut values = Vec::new();
    let mut words = command.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        match name_of(word) {
            Some((name, Some(value))) if name == option => values.push(value.into()),
            Some((name, None)) if name == option => values.extend(words.next().cloned()),
            _ => {}
        }
    }
    values
}

/// Returns the options that decide how the input is read and which operations are replaced, each
/// as one word.
pub(super) fn options_of_reading(command: &[OsString]) -> Vec<OsString> {
    let mut options = Vec::new();
    let input = input(command).ok();
    let mut words = command.iter().take_while(|word| *word != "--").peekable();
    while let Some(word) = words.next() {
        let Some((name, value)) = name_of(word) else {
            continue;
        };
        if !name.starts_with(INPUT) && !REPLACING.contains(&&*name) {
            continue;
        }
        let is_value = |next: &&OsString| {
            let is_input =
                matches!(&input, Some(CompilerInput::File(file)) if file.as_os_str() == *next);
            name_of(next).is_none() && !is_input
        };
        match words.next_if(|next| value.is_none() && is_value(next)) {
            Some(value) => {
                let mut option = OsString::from(format!("--{name}="));
                option.push(value);
                options.push(option);
            }
            None => options.push(word.clone()),
        }
    }
    options
}

/// Returns the options with which a profile compiles the same module, each as one word: all but
/// the output, the device and the target. `None` if the command compiles no whole module for one
/// HIP device.
pub(super) fn options_of_profile(command: &[OsString]) -> Option<Vec<OsString>> {
    let is_whole = ["compile-to", "compile-from", "compile-mode"]
        .iter()
        .all(|option| values(command, option).is_empty());
    let devices = values(command, "iree-hal-target-device");
    let backends = values(command, "iree-hal-target-backends");
    let is_hip = devices.iter().all(|it| it == "hip") && backends.iter().all(|it| it == "rocm");
    if !is_whole || !is_hip {
        return None;
    }
    let input = input(command).ok();
    let mut options = Vec::new();
    let mut words = command.iter().take_while(|word| *word != "--").peekable();
    while let Some(word) = words.next() {
        let Some((name, value)) = name_of(word) else {
            continue;
        };
        let is_value = |next: &&OsString| {
            let is_input =
                matches!(&input, Some(CompilerInput::File(file)) if file.as_os_str() == *next);
            name_of(next).is_none() && !is_input
        };
        let value = value.map(OsString::from);
        let value = match value {
            Some(value) => Some(value),
            None => words.next_if(is_value).cloned(),
        };
        if OF_COMMAND.contains(&&*name) {
            continue;
        }
        let mut option = OsString::from(format!("--{name}"));
        if let Some(value) = value {
            option.push("=");
            option.push(value);
        }
        options.push(option);
    }
    Some(options)
}

/// Returns the input: the word that is neither an option nor an option's value.
///
/// A word behind an option without `=` may be the option's value. It is the input only if no
/// other word can be.
pub(super) fn input(command: &[OsString]) -> anyhow::Result<CompilerInput> {
    let (mut certain, mut possible) = (Vec::new(), Vec::new());
    let mut words = command.iter();
    let mut may_be_value = false;
    while let Some(word) = words.next() {
        if word == "--" {
            certain.extend(words);
            break;
        }
        match name_of(word) {
            Some((name, None)) if WITH_VALUE.contains(&&*name) => {
                words.next();
                may_be_value = false;
            }
            Some((_, value)) => may_be_value = value.is_none(),
            None if may_be_value => {
                possible.push(word);
                may_be_value = false;
            }
            None => certain.push(word),
        }
    }
    if certain.is_empty() {
        // A word that names no file is more likely an option's value.
        possible.retain(|word| *word == "-" || PathBuf::from(word).is_file());
        certain = possible;
    }
    match certain[..] {
        [word] if word == "-" => Ok(CompilerInput::Standard),
        [word] => Ok(CompilerInput::File(word.into())),
        [] => bail!("the command names no MLIR file"),
        [..] => bail!("the input file is ambiguous; put = between options and their values"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<OsString> {
        command.split_whitespace().map(OsString::from).collect()
    }

    /// The input where nothing but this file, Cargo.toml and build.rs can be one.
    #[track_caller]
    fn check_input(command: &str, expected: Result<&str, &str>) {
        let found = input(&words(command));
        match (found, expected) {
            (Ok(CompilerInput::Standard), Ok("-")) => {}
            (Ok(CompilerInput::File(file)), Ok(expected)) => {
                assert_eq!(file, PathBuf::from(expected))
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{command}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn the_input_is_no_value_of_an_option() {
        check_input("a.mlir -o out.vmfb", Ok("a.mlir"));
        check_input("-o Cargo.toml a.mlir", Ok("a.mlir"));
        check_input("--iree-rocm-target gfx942 a.mlir", Ok("a.mlir"));
        check_input(
            "--iree-preprocessing-transform-spec-filename Cargo.toml a.mlir",
            Ok("a.mlir"),
        );
        check_input("--iree-anything Cargo.toml a.mlir", Ok("a.mlir"));
        check_input(
            "--iree-opt-level=O3 a.mlir --iree-x Cargo.toml",
            Ok("a.mlir"),
        );
        // A flag before the only file.
        check_input("--iree-quick Cargo.toml -o x", Ok("Cargo.toml"));
        check_input(
            "--iree-opt-level O3 --iree-flag Cargo.toml",
            Ok("Cargo.toml"),
        );
        check_input(
            "--iree-flag src/main.rs --iree-other Cargo.toml",
            Err("put = between"),
        );
        check_input("a.mlir b.mlir", Err("put = between"));
        check_input("--iree-flag=1 -o x", Err("no MLIR file"));
        check_input("-o x -", Ok("-"));
        check_input("--iree-flag - -o x", Ok("-"));
        check_input("-o x -- --iree-a.mlir", Ok("--iree-a.mlir"));
        check_input("--iree-flag Cargo.toml -- a.mlir", Ok("a.mlir"));
    }

    #[track_caller]
    fn check_options(command: &str, expected: &str) {
        assert_eq!(options_of_reading(&words(command)), words(expected));
    }

    #[test]
    fn options_that_choose_the_input() {
        check_options(
            "--iree-input-type torch -o x --iree-input-demote-f64-to-f32=false a.mlir",
            "--iree-input-type=torch --iree-input-demote-f64-to-f32=false",
        );
        check_options("--iree-input-flag Cargo.toml", "--iree-input-flag");
        check_options("a.mlir -iree-input-flag -o x", "-iree-input-flag");
        check_options(
            "--iree-hal-executable-object-search-path=k --iree-preprocessing-transform-spec-filename k/spec.mlir a.mlir",
            "--iree-hal-executable-object-search-path=k --iree-preprocessing-transform-spec-filename=k/spec.mlir",
        );
        check_options("a.mlir -- --iree-input-type=torch", "");
    }

    #[track_caller]
    fn check_profile(command: &str, expected: Option<&str>) {
        assert_eq!(options_of_profile(&words(command)), expected.map(words));
    }

    #[test]
    fn options_that_a_profile_repeats() {
        check_profile(
            "--iree-hal-target-device=hip --iree-rocm-target gfx942 -o x --iree-opt-level O3 a.mlir",
            Some("--iree-opt-level=O3"),
        );
        check_profile(
            "--iree-input-type=torch a.mlir -o x",
            Some("--iree-input-type=torch"),
        );
        // In two pieces, because another test takes it for an option of wavetune.
        check_profile(concat!("-", "-compile-to=flow a.mlir -o x"), None);
        check_profile("--iree-hal-target-device=local a.mlir -o x", None);
        check_profile("--iree-hal-target-backends=rocm a.mlir", Some(""));
    }

    #[test]
    fn values_are_said_in_two_ways() {
        let said = "--iree-rocm-target=gfx942 -iree-rocm-target gfx90a --iree-rocm-target-x=1 -- --iree-rocm-target=z";
        let found = values(&words(said), "iree-rocm-target");
        assert_eq!(found, words("gfx942 gfx90a"));
    }

    #[test]
    fn asking_is_no_compiling() {
        assert!(is_asking(&words("--version")));
        assert!(is_asking(&words("a.mlir -help")));
        assert!(!is_asking(&words("a.mlir -- --version")));
        assert!(!is_asking(&words("a.mlir -o version")));
    }
}
