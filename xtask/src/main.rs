//! `cargo xtask`: everything a developer does here that is not `cargo build`.
//!
//! Vocabulary: a *tool* is a program or library that wavetune or its tests call but cargo does not
//! build ([`tools`]); *setup* finds the tools and installs what is missing ([`setup`]); a *step* is
//! one command of a task, shown and timed ([`step`]).
//!
//! This crate knows no other crate of the workspace: it has to build in seconds and has to work while
//! the rest does not compile.

mod bench;
mod book;
mod changes;
mod check;
mod child;
mod compiling;
mod demo;
mod deny;
mod doctor;
mod files;
mod git;
mod help;
mod mutants;
mod objects;
mod passed;
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
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(result) = compiling::wrapped(&arguments) {
        return report(result);
    }
    // A word for `setup`, which each task may begin with.
    if arguments.first().is_none_or(|task| task != "runner") {
        arguments.retain(|argument| argument != setup::consent::FLAG);
    }
    report(run(&arguments))
}

/// Prints the error of a task, if there is one, and returns the exit code.
fn report(result: Result<ExitCode>) -> ExitCode {
    match result {
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
        ["runner", "--passed", folder, file, program @ ..] => {
            let passed = passed::Passed::open(folder.into());
            return runner::run(file.as_ref(), &owned(program), Some(&passed));
        }
        ["runner", file, program @ ..] => {
            return runner::run(file.as_ref(), &owned(program), None);
        }
        ["setup"] => setup::run(setup::For::LongTests)?,
        ["demo"] => demo::run(demo::BUDGET)?,
        ["demo", "--budget", trials] => demo::run(demo::parse_budget(trials)?)?,
        ["test"] | ["test", "--changed"] => test::run(test::Scope::Changed)?,
        ["test", "--all"] => test::run(test::Scope::All)?,
        ["test", "--full"] => test::run(test::Scope::Full(test::Shard::WHOLE))?,
        ["test", "--full", "--shard", shard] => {
            test::run(test::Scope::Full(test::Shard::parse(shard)?))?;
        }
        ["check"] => check::run()?,
        ["bench", filter @ ..] => bench::run(filter)?,
        ["book"] => book::run(false)?,
        ["book", "--open"] => book::run(true)?,
        ["share"] => share::run()?,
        ["release"] => release::run()?,
        ["release", "--check"] => release::run_and_check()?,
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

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
