//! The single pass of CI: one build compiles and lints each crate of the workspace. It documents
//! libraries, too.
//!
//! `cargo clippy` and `cargo doc` need the metadata of every dependency. A build does not share
//! it, so CI would compile 400 crates twice. On a developer's machine clippy alone is faster than
//! a build, so the pass is for CI only.
//!
//! This program is cargo's `RUSTC_WORKSPACE_WRAPPER`. cargo knows results by the wrapper's path
//! too, so those of builds without lints are never mistaken for linted ones.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::child;
use crate::files;
use crate::step;
use crate::workspace;

/// File name of the copy of this program that is the wrapper.
const WRAPPER: &str = "workspace-wrapper";

/// The options of `cargo clippy -- -D warnings`, as that passes them to its driver. The form is not
/// documented: if it changes, `one_pass::lints_are_errors` notices.
pub(crate) const CLIPPY_ARGUMENTS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// The lints of documentation. Links to private items serve readers of the source.
pub(crate) const RUSTDOC_LINTS: [&str; 4] =
    ["-D", "warnings", "-A", "rustdoc::private_intra_doc_links"];

/// Returns true in CI: builds lint and document.
pub(crate) fn is_on() -> bool {
    std::env::var_os("CI").is_some()
}

/// Makes a command of cargo's lint and document its crates, in CI.
///
/// # Errors
///
/// If this program cannot be copied to the target directory.
pub(crate) fn apply(cargo: &mut Command) -> Result<()> {
    if !is_on() {
        return Ok(());
    }
    cargo.env(
        "RUSTC_WORKSPACE_WRAPPER",
        files::copy_of_this_program(WRAPPER)?,
    );
    // cargo compares it with the value of the build before.
    cargo.env("CLIPPY_ARGS", CLIPPY_ARGUMENTS);
    Ok(())
}

/// Excludes a command: it is no build, but may start one.
pub(crate) fn exclude(command: &mut Command) {
    for variable in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"] {
        command.env_remove(variable);
    }
}

/// Runs the compiler if cargo has started this program as its wrapper.
pub(crate) fn run_as_wrapper(arguments: &[String]) -> Option<Result<ExitCode>> {
    files::is_copy(WRAPPER).then(|| run(arguments))
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let rustc = arguments.first().context("a wrapper needs rustc")?;
    let sysroot = workspace::sysroot(rustc).context("rustc has no folder")?;
    let status = |command: &mut Command| {
        let status = command.status();
        status.with_context(|| format!("cannot start `{}`", step::text(command)))
    };
    let mut clippy = Command::new(sysroot.join("bin/clippy-driver"));
    clippy.env("CLIPPY_ARGS", CLIPPY_ARGUMENTS);
    let compiled = status(clippy.args(arguments))?;
    let (true, Some(options)) = (compiled.success(), rustdoc_options(arguments)) else {
        return Ok(child::exit_code(compiled));
    };
    let mut rustdoc = Command::new(sysroot.join("bin/rustdoc"));
    rustdoc.args(options).args(RUSTDOC_LINTS);
    // The lints count; no one reads these pages.
    rustdoc.arg("--out-dir");
    rustdoc.arg(workspace::temporary()?.join("documentation"));
    Ok(child::exit_code(status(&mut rustdoc)?))
}

/// Returns rustdoc's options for the crate of a call of rustc; `None` if it is no library.
///
/// Doc comments of binaries are clap's help, with brackets that are no links.
fn rustdoc_options(arguments: &[String]) -> Option<Vec<&str>> {
    let mut options = Vec::new();
    let mut is_library = false;
    // The first argument is rustc itself.
    let mut rest = arguments.iter().skip(1).map(String::as_str);
    while let Some(option) = rest.next() {
        match option {
            "--test" => return None,
            "--crate-type" => {
                let kind = rest.next()?;
                is_library |= kind != "bin";
                options.extend([option, kind]);
            }
            "--crate-name" | "--edition" | "--cfg" | "--check-cfg" | "-L" | "--extern"
            | "--cap-lints" => {
                // cargo asks for the names of output files with the crate name `___`.
                let value = rest.next().filter(|value| *value != "___")?;
                options.extend([option, value]);
            }
            "-C" | "--out-dir" | "--emit" | "--target" => {
                rest.next()?;
            }
            _ if option.ends_with(".rs")
                || option.starts_with("--edition=")
                || option.starts_with("--error-format=")
                || option.starts_with("--json=") =>
            {
                options.push(option);
            }
            _ => {}
        }
    }
    is_library.then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: Option<&str>) {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let options = rustdoc_options(&words).map(|it| it.join(" "));
        assert_eq!(options.as_deref(), expected);
    }

    #[test]
    fn libraries_are_documented_with_their_dependencies() {
        check(
            "rustc --crate-name store --edition=2024 src/lib.rs --error-format=json \
             --json=artifacts --crate-type lib --emit=dep-info,metadata,link -C opt-level=2 \
             --warn=clippy::pedantic --cfg test --check-cfg cfg() --out-dir deps -L native=a \
             --extern anyhow=b.rmeta -C linker=cc",
            Some(
                "--crate-name store --edition=2024 src/lib.rs --error-format=json \
                 --json=artifacts --crate-type lib --cfg test --check-cfg cfg() -L native=a \
                 --extern anyhow=b.rmeta",
            ),
        );
        check(
            "rustc --crate-name m src/lib.rs --crate-type proc-macro",
            Some("--crate-name m src/lib.rs --crate-type proc-macro"),
        );
        check(
            "rustc --crate-name build_script_build build.rs --crate-type bin",
            None,
        );
        check(
            "rustc --crate-name store src/lib.rs --crate-type lib --test",
            None,
        );
        check("rustc --crate-name it tests/it/main.rs", None);
        check(
            "rustc - --crate-name ___ --print=file-names --crate-type lib",
            None,
        );
        check("rustc -vV", None);
    }
}
