//! `cargo xtask`: everything a developer does here that is not `cargo build`.
//!
//! Vocabulary: a *tool* is a program or library that wavetune or its tests call but cargo does not
//! build ([`tools`]); *setup* finds the tools and installs what is missing ([`setup`]); a *step* is
//! one command of a task, shown and timed ([`step`]).
//!
//! This crate knows no other crate of the workspace: it has to build in seconds and has to work while
//! the rest does not compile.

mod bench;
mod changes;
mod check;
mod demo;
mod deny;
mod doctor;
mod help;
mod mutants;
mod program;
mod release;
mod runner;
mod screenshots;
mod setup;
mod share;
mod sqlx;
mod step;
mod table;
mod test;
mod times;
mod tools;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) if error.is::<step::Failed>() => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs one task. Exit codes of all tasks: 0 done, 1 a step failed or something is missing, 2 the
/// task could not be tried (bad arguments, or a tool that only the user can install).
fn run(arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["doctor"] => return doctor::run(),
        ["runner", file, program @ ..] => {
            let program: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
            return runner::run(std::path::Path::new(file), &program);
        }
        ["setup"] => setup::run(setup::For::LongTests)?,
        ["demo"] => demo::run(demo::BUDGET)?,
        ["demo", "--budget", trials] => demo::run(demo::parse_budget(trials)?)?,
        ["test"] | ["test", "--changed"] => test::run(test::Scope::Changed)?,
        ["test", "--all"] => test::run(test::Scope::All)?,
        ["test", "--full"] => test::run(test::Scope::Full)?,
        ["check"] => check::run()?,
        ["bench", filter @ ..] => bench::run(filter)?,
        ["share"] => share::run()?,
        ["release"] => release::run()?,
        ["screenshots"] => screenshots::run()?,
        ["table"] => table::run()?,
        ["mutants"] => mutants::run("")?,
        ["mutants", "--list"] => mutants::list("")?,
        ["mutants", "--list", word] | ["mutants", word, "--list"] => mutants::list(word)?,
        ["mutants", word] if !word.starts_with('-') => mutants::run(word)?,
        ["deny"] => deny::run()?,
        ["sqlx"] => sqlx::run(sqlx::Stale::Refresh)?,
        ["sqlx", "--check"] => sqlx::run(sqlx::Stale::Refuse)?,
        [] | ["help" | "--help" | "-h"] => print!("{}", help::TEXT),
        other => bail!(
            "no task `{}`; `cargo xtask help` lists them",
            other.join(" ")
        ),
    }
    Ok(ExitCode::SUCCESS)
}
