//! `wavetune`: one binary, one file per subcommand.
//!
//! Standard output carries the answer, standard error everything else. Exit codes are those of [`Exit`].

#[cfg(test)]
mod advice;
mod agent;
mod attempt;
mod builder;
mod check;
#[cfg(test)]
#[path = "../build/commit.rs"]
mod commit;
mod comparator;
mod completions;
mod confirm;
mod credentials;
mod database;
mod db;
mod device;
mod devices;
mod doctor;
mod emulate;
mod explain;
mod export;
mod inputs;
mod iree_compile;
mod local_agent;
mod log;
mod lookup;
mod model;
mod names;
mod operation;
mod output;
mod problems;
mod queue;
mod reference;
mod regressions;
mod report;
mod sandbox;
mod serve;
mod service;
#[cfg(test)]
mod shipping;
mod space;
mod standing;
mod stop;
mod studies;
mod table;
mod tabled;
mod text;
mod ties;
mod token;
mod trials;
mod tune;
mod wishes;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

/// How the program ends.
enum Exit {
    /// Found, or right.
    Found = 0,
    /// Nothing found, or not right.
    NotFound = 1,
    /// An error: bad input, a missing tool, a database that cannot be used.
    Error = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Auto-tuner for reductions on AMD GPUs: argmax, argmin and any comparator, sums, maxima and other plain ones; softmax and norms.
#[derive(Parser)]
#[command(version, long_version = env!("WAVETUNE_VERSION"))]
#[command(after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  wavetune tune 'argmax:4x[32000]xf32'
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942
  wavetune export iree-spec --target gfx942 --output spec.mlir
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 --out kernels
  WAVETUNE_LOG=tuner=debug wavetune tune 'argmax:4x[32000]xf32'

A problem is OPERATION:DIMENSIONSxTYPE[:INDEX]; bracketed dimensions are reduced, the index type
(i32, i64 or index) defaults to i32. Exit codes: 0 found or right, 1 nothing found or not right, 2 error.

WAVETUNE_LOG says what is told on standard error of the work: a level (error, warn, info, debug,
trace), or some of agent, audit, dispatch, fleet, server,
sqlx and tuner, each as CRATE=LEVEL, separated by commas.";

#[derive(Subcommand)]
enum Command {
    Tune(tune::Arguments),
    Lookup(lookup::Arguments),
    Export(export::Arguments),
    Problems(problems::Arguments),
    IreeCompile(iree_compile::Arguments),
    Table(tabled::Arguments),
    Space(space::Arguments),
    Check(check::Arguments),
    Try(attempt::Arguments),
    Explain(explain::Arguments),
    Emulate(emulate::Arguments),
    Devices(devices::Arguments),
    Doctor(doctor::Arguments),
    Serve(serve::Arguments),
    Agent(agent::Arguments),
    Studies(Box<studies::Arguments>),
    Trials(trials::Arguments),
    Regressions(regressions::Arguments),
    Report(report::Arguments),
    Db(db::Arguments),
    Wishes(wishes::Arguments),
    Token(token::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    ManPages(completions::ManArguments),
    #[command(hide = true)]
    Reference(reference::ReferenceArguments),
    #[command(hide = true)]
    DeviceProcess(device::ChildArguments),
    #[command(hide = true)]
    CompilerProcess(sandbox::CompilerArguments),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error)
            if error.use_stderr()
                && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            eprintln!("{}", output::one_line(&error.to_string()));
            return Exit::Error.into();
        }
        // Help and the version.
        Err(error) => error.exit(),
    };
    let log = match &cli.command {
        // Their standard error is not their own.
        Command::DeviceProcess(_) | Command::CompilerProcess(_) => Ok(log::Log::default()),
        Command::Serve(_) | Command::Agent(_) => log::install(LevelFilter::WARN),
        _ => log::install(LevelFilter::OFF),
    };
    let _log = match log {
        Ok(log) => log,
        Err(error) => return failed(&error),
    };
    let result = match cli.command {
        Command::Tune(arguments) => tune::run(arguments),
        Command::Lookup(arguments) => lookup::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Problems(arguments) => problems::run(&arguments),
        Command::IreeCompile(arguments) => iree_compile::run(&arguments),
        Command::Table(arguments) => tabled::run(&arguments),
        Command::Space(arguments) => space::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Try(arguments) => attempt::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Emulate(arguments) => emulate::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Agent(arguments) => agent::run(&arguments),
        Command::Studies(arguments) => studies::run(&arguments),
        Command::Trials(arguments) => trials::run(&arguments),
        Command::Regressions(arguments) => regressions::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Db(arguments) => db::run(&arguments),
        Command::Wishes(arguments) => wishes::run(&arguments),
        Command::Token(arguments) => token::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Cli::command()),
        Command::ManPages(arguments) => completions::write_man_pages(&arguments, Cli::command()),
        Command::Reference(arguments) => reference::run(&arguments, Cli::command()),
        Command::DeviceProcess(_) => return device::serve(),
        Command::CompilerProcess(arguments) => return sandbox::serve(&arguments),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) if output::is_closed_pipe(&error) => Exit::Found.into(),
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {}", output::chain(error));
    Exit::Error.into()
}
