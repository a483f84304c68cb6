//! `cargo xtask`: the developer's tasks beyond `cargo build`.
//!
//! A *tool* is a program or library that wavetune or its tests call but cargo does not build
//! ([`tools`]). *Setup* finds the tools and installs the missing ones, with consent ([`setup`]). A
//! *step* is one command of a task, shown and timed ([`step`]).
//!
//! This crate knows no other crate of the workspace: it builds in seconds and works while the rest
//! does not compile.
//!
//! # Invariants
//!
//! - The bytes of a release do not depend on the place of its build.

mod affected_tests;
mod bench;
mod book;
mod check;
mod child;
mod compile_times;
mod demo;
mod deny;
mod doctor;
mod files;
mod git;
mod help;
mod mutants;
mod object_cleanup;
mod one_pass;
mod program_build;
mod quick_sample;
mod release;
mod screenshots;
mod setup;
mod share;
mod sqlx;
mod step;
mod table;
mod test;
mod test_cache;
mod test_runner;
mod test_times;
mod tools;
mod train;
mod unit_tests;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let wrapped = compile_times::run_as_wrapper(&arguments);
    if let Some(result) = wrapped.or_else(|| one_pass::run_as_wrapper(&arguments)) {
        return report(result);
    }
    // `setup` reads this flag itself, and each task may begin with `setup`. A runner's flags
    // belong to its test.
    if arguments.first().is_none_or(|task| task != "runner") {
        arguments.retain(|argument| argument != setup::consent::FLAG);
    }
    report(run(&arguments))
}

/// Prints the error of a task, if there is one. Returns the exit code.
fn report(result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if error.is::<step::StepFailure>() => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs one task. Exit codes: 0 done, 1 a step failed or something is missing, 2 the task could
/// not be tried. The last means bad arguments, or a tool that only the user can install.
fn run(arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["doctor"] => return doctor::run(),
        ["runner", "--passed", folder, file, program @ ..] => {
            let passed = test_cache::TestCache::open(folder.into());
            return test_runner::run(file.as_ref(), &owned(program), Some(&passed));
        }
        ["runner", file, program @ ..] => {
            return test_runner::run(file.as_ref(), &owned(program), None);
        }
        ["setup"] => setup::run(setup::SetupPurpose::LongTests)?,
        ["demo"] => demo::run(demo::BUDGET)?,
        ["demo", "--budget", trials] => demo::run(demo::parse_budget(trials)?)?,
        ["test", options @ ..] => test::run(&test::TestRequest::parse(options)?)?,
        ["check"] => check::run()?,
        ["bench", filter @ ..] => bench::run(filter)?,
        ["book"] => book::run(false)?,
        ["book", "--open"] => book::run(true)?,
        ["share"] => share::run()?,
        ["release"] => release::run()?,
        ["release", "--check"] => release::run_and_check()?,
        ["screenshots"] => screenshots::run()?,
        ["table"] => table::run()?,
        ["models"] => table::run_models()?,
        ["train"] => train::run()?,
        ["mutants"] => mutants::run("")?,
        ["mutants", "--list"] => mutants::list("")?,
        ["mutants", "--list", word] | ["mutants", word, "--list"] => mutants::list(word)?,
        ["mutants", word] if !word.starts_with('-') => mutants::run(word)?,
        ["deny"] => deny::run()?,
        ["sqlx"] => sqlx::run(sqlx::StalePolicy::Refresh)?,
        ["sqlx", "--check"] => sqlx::run(sqlx::StalePolicy::Refuse)?,
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
