//! The processor seconds of a build by crate. This program measures each compiler as cargo's
//! `RUSTC_WRAPPER`.
//!
//! `cargo build --timings` has wall times in an HTML page, and those depend on the machine's
//! other load. The wrapper causes no rebuild, because cargo's fingerprints do not depend on
//! `RUSTC_WRAPPER`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::child;
use crate::files;
use crate::unit_tests;
use crate::workspace;

/// Names the file that the wrapper appends to. If it is set, this program is the wrapper.
const VARIABLE: &str = "XTASK_COMPILE_TIMES";
/// File name of the copy of this program that is the wrapper.
const WRAPPER: &str = "rustc-wrapper";
const MOST_SHOWN: usize = 20;

/// The processor times of a build's compilers.
pub(crate) struct CompileTimes {
    file: PathBuf,
    wrapper: PathBuf,
}

impl CompileTimes {
    /// Prepares an empty record in the target directory.
    ///
    /// # Errors
    /// If the target directory cannot be written.
    pub(crate) fn begin() -> Result<Self> {
        let times = Self {
            file: workspace::temporary()?.join("compile-times.tsv"),
            wrapper: files::copy_of_this_program(WRAPPER)?,
        };
        std::fs::write(&times.file, "")?;
        Ok(times)
    }

    /// Makes a cargo command record its compilers, unless the user has a wrapper already.
    pub(crate) fn record(&self, cargo: &mut Command) {
        // cargo calls only one wrapper, and the user's may be a compiler cache.
        if std::env::var_os("RUSTC_WRAPPER").is_none() {
            cargo.env("RUSTC_WRAPPER", &self.wrapper);
            cargo.env(VARIABLE, &self.file);
        }
    }

    /// Returns the table of a build, or `None` if the build compiled nothing.
    pub(crate) fn table(&self) -> Option<String> {
        let text = std::fs::read_to_string(&self.file).ok()?;
        table(&text)
    }
}

/// Excludes a command from the record: it is no build, but may start one.
pub(crate) fn stop_recording(command: &mut Command) {
    if std::env::var_os(VARIABLE).is_some() {
        command.env_remove(VARIABLE).env_remove("RUSTC_WRAPPER");
    }
}

/// Runs the compiler if cargo has started this program as its wrapper.
pub(crate) fn run_as_wrapper(arguments: &[String]) -> Option<Result<ExitCode>> {
    let file = std::env::var_os(VARIABLE)?;
    // Children of a build inherit the variable; only the copy is the wrapper.
    files::is_copy(WRAPPER).then(|| run(Path::new(&file), arguments))
}

fn run(file: &Path, arguments: &[String]) -> Result<ExitCode> {
    let (program, arguments) = arguments.split_first().context("a wrapper needs rustc")?;
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let options = unit_tests::options(&package, arguments);
    let (status, seconds) = child::measure(Command::new(program).args(options))?;
    if let Some(unit) = unit(&package, arguments) {
        files::append(file, &format!("{seconds:.2}\t{unit}"))?;
    }
    Ok(child::exit_code(status))
}

/// Returns the crate and the kind of a compilation, with the package if that has another name.
/// Returns `None` if cargo only queries rustc, such as for its version.
fn unit(package: &str, arguments: &[String]) -> Option<String> {
    let after = |option: &str| {
        let at = arguments.iter().position(|it| it == option)?;
        arguments.get(at + 1).map(String::as_str)
    };
    // cargo queries the names of output files with this crate name.
    let name = after("--crate-name").filter(|name| *name != "___")?;
    let emits_code = arguments
        .iter()
        .any(|it| it.starts_with("--emit=") && it.contains("link"));
    let kind = match (emits_code, arguments.iter().any(|it| it == "--test")) {
        (false, _) => "check",
        (true, true) => "test",
        (true, false) => after("--crate-type").unwrap_or("lib"),
    };
    Some(match package.replace('-', "_") == name {
        true => format!("{name} ({kind})"),
        false => format!("{package}::{name} ({kind})"),
    })
}

fn table(record: &str) -> Option<String> {
    let mut units: BTreeMap<&str, f64> = BTreeMap::new();
    for line in record.lines() {
        let (seconds, unit) = line.split_once('\t')?;
        *units.entry(unit).or_default() += seconds.parse::<f64>().ok()?;
    }
    let sum: f64 = units.values().sum();
    let mut units: Vec<_> = units.into_iter().collect();
    units.sort_by(|a, b| b.1.total_cmp(&a.1));
    let count = record.lines().count();
    let mut text = String::from("   cpu s  compiled\n");
    for (unit, seconds) in units.iter().take(MOST_SHOWN) {
        writeln!(text, "{seconds:>8.1}  {unit}").expect("text");
    }
    writeln!(text, "{sum:>8.1}  {count} compilations in all").expect("text");
    (count > 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: Option<&str>) {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(unit("store", &words).as_deref(), expected);
    }

    #[test]
    fn units_have_a_name_and_a_kind() {
        check("-vV", None);
        check("- --crate-name ___ --print=file-names", None);
        check(
            "--crate-name store --crate-type lib --emit=dep-info,metadata,link",
            Some("store (lib)"),
        );
        check(
            "--crate-name store --emit=dep-info,metadata --test",
            Some("store (check)"),
        );
        check(
            "--crate-name it --emit=dep-info,link --test",
            Some("store::it (test)"),
        );
    }

    #[test]
    fn the_table_sums_compilations_of_a_unit() {
        let text = table("1.00\tstore (test)\n2.50\tstore (test)\n0.50\tit (lib)\n").unwrap();
        let rows: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            rows[1..],
            [
                "3.5  store (test)",
                "0.5  it (lib)",
                "4.0  3 compilations in all"
            ]
        );
        assert_eq!(table(""), None);
    }
}
