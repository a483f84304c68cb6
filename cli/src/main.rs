//! `wavetune`: one binary, one file per subcommand.
//!
//! Standard output carries the answer, standard error everything else. Exit codes are those of
//! [`Exit`]. `log/` writes the log and, with the feature `opentelemetry`, traces for a collector.
//! `shipping/` tests the files of the folder `shipping/`: units, images, manifests, alerts and
//! boards.
//!
//! # Invariants
//!
//! - This package is the only crate that may know all stages. It combines them and decides nothing.
//! - Each command, variable, file, port and probe in `shipping/` is one that this program has.
//! - Alerts and boards ask for metrics that the service has, and each alert has its section in the
//!   runbook.

mod agent;
mod attempt;
mod builder;
mod check;
#[cfg(test)]
#[path = "../build/commit.rs"]
mod commit;
mod comparator;
mod completions;
mod confirmation;
mod credentials;
mod database;
mod db;
mod device_arguments;
mod devices;
mod doctor;
#[cfg(test)]
mod documented_commands;
mod emulate;
mod explain;
mod export;
mod input_parser;
mod iree_compile;
mod judgement;
mod local_agent;
mod log;
mod lookup;
mod model;
mod model_status;
mod operation_file;
mod output;
mod problems;
mod profile;
mod queue;
mod reference;
mod regressions;
mod report;
mod sandbox;
mod serve;
mod service;
#[cfg(test)]
mod shipping;
mod signals;
mod space;
mod studies;
mod table_file;
mod text_file;
mod text_table;
mod ties;
mod token;
mod trials;
mod tune;
mod value_parsers;
mod wishes;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

/// The exit codes of the program.
enum Exit {
    /// A result was found, or the input is correct.
    Found = 0,
    /// Nothing was found, or the input is not correct.
    NotFound = 1,
    /// An error: bad input, a missing tool, an unusable database.
    Error = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Auto-tuner for reductions on AMD GPUs: argmax, argmin and any comparator, sums, maxima and
/// other plain ones; softmax and norms.
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
    Tune(tune::TuneArguments),
    Lookup(lookup::LookupArguments),
    Export(export::ExportArguments),
    Problems(problems::ModelProblemsArguments),
    Profile(profile::ProfileArguments),
    IreeCompile(iree_compile::IreeCompileArguments),
    Table(table_file::TableArguments),
    Space(space::SpaceArguments),
    Check(check::CheckArguments),
    Try(attempt::TryArguments),
    Explain(explain::ExplainArguments),
    Emulate(emulate::EmulateArguments),
    Devices(devices::DeviceListArguments),
    Doctor(doctor::DoctorArguments),
    Serve(serve::ServeArguments),
    Agent(agent::AgentArguments),
    Studies(Box<studies::StudiesArguments>),
    Trials(trials::TrialsArguments),
    Regressions(regressions::RegressionsArguments),
    Report(report::ReportArguments),
    Db(db::DbArguments),
    Wishes(wishes::WishesArguments),
    Token(token::TokenArguments),
    Completions(completions::CompletionsArguments),
    #[command(hide = true)]
    ManPages(completions::ManArguments),
    #[command(hide = true)]
    Reference(reference::ReferenceArguments),
    #[command(hide = true)]
    DeviceProcess(device_arguments::ChildArguments),
    #[command(hide = true)]
    CompilerProcess(sandbox::CompilerArguments),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error)
            // A missing subcommand prints the help, in place of one line of error.
            if error.use_stderr()
                && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            eprintln!("{}", output::one_line(&error.to_string()));
            return Exit::Error.into();
        }
        // clap reports help and the version as errors too; `exit` prints them with exit code 0.
        Err(error) => error.exit(),
    };
    let log = match &cli.command {
        // The HIP library and LLVM own the standard error of these processes, and the parent
        // reads it.
        Command::DeviceProcess(_) | Command::CompilerProcess(_) => Ok(log::LogGuard::default()),
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
        Command::Profile(arguments) => profile::run(&arguments),
        Command::IreeCompile(arguments) => iree_compile::run(&arguments),
        Command::Table(arguments) => table_file::run(&arguments),
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
        Command::DeviceProcess(_) => return device_arguments::serve(),
        Command::CompilerProcess(arguments) => return sandbox::serve(&arguments),
    };
    match result {
        Ok(exit) => exit.into(),
        // `wavetune … | head` closes the pipe early, which is no failure of the command.
        Err(error) if output::is_closed_pipe(&error) => Exit::Found.into(),
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {}", output::chain(error));
    Exit::Error.into()
}
