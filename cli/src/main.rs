//! `wavetune`: one binary, one file per subcommand.
//!
//! Standard output carries the answer, standard error everything else. Exit codes are those of
//! [`Exit`]. `log/` writes the log and, with the feature `opentelemetry`, traces for a collector.
//! `shipping/` tests the files of the folder `shipping/`: units, images, manifests, alerts and
//! boards.
//!
//! # A new subcommand or option
//!
//! 1. Write a file with the type of its arguments and a function `run`. Add it to `UserCommand` and
//!    to `run` in this file, and its name to `GROUPS` in `help.rs`.
//! 2. The first paragraph of an option's documentation fits on one line of `-h`. A long help ends
//!    with `Examples:`. The tests of `help.rs` check both.
//! 3. Completions, manual pages and the page `reference-cli.md` of the book follow from clap.
//! 4. A command with `--db` has a row in `cli/tests/it/support/states.rs`.
//! 5. The type of its JSON is in `answers/`. CONTRIBUTING.md, "A field of the JSON for programs",
//!    explains its schema.
//!
//!        cargo nextest run -p wavetune help:: documented_commands::
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
mod help;
mod input_parser;
mod iree_compile;
mod judgement;
mod local_agent;
mod local_time;
mod log;
mod lookup;
mod model;
mod model_status;
mod operation_file;
mod output;
mod problem_report;
mod problems;
mod profile;
mod queue;
mod reference;
mod regressions;
mod replay;
mod report;
mod rule;
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
mod usage_error;
mod value_parsers;
mod verbosity;
mod wishes;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
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

/// Auto-tuner for kernels on AMD GPUs.
///
/// Tunes argmax, argmin and other comparators, plain reductions such as sums and maxima,
/// matrix-vector products, softmax, norms and pointwise operations.
#[derive(Parser)]
#[command(version, long_version = env!("WAVETUNE_VERSION"))]
#[command(after_long_help = EXAMPLES, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    verbosity: verbosity::VerbosityArguments,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
A problem is OPERATION:DIMENSIONSxTYPE[:INDEX]. Brackets mark reduced dimensions. The index type \
(i32, i64 or index) defaults to i32.

WAVETUNE_LOG selects the events on standard error. Its value is a level (error, warn, info, debug \
or trace), or a list of CRATE=LEVEL, separated by commas. The crates are agent, audit, dispatch, \
fleet, server, sqlx and tuner.

Exit codes: 0 found or correct, 1 nothing found or not correct, 2 error.

Examples:
  wavetune tune 'argmax:4x[32000]xf32'
  wavetune lookup 'argmax:4x[32000]xf32' --target gfx942
  wavetune export iree-spec --target gfx942 --output spec.mlir
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 --out kernels
  WAVETUNE_LOG=tuner=debug wavetune tune 'argmax:4x[32000]xf32'";

#[derive(Subcommand)]
enum UserCommand {
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
    Replay(replay::ReplayArguments),
    Rule(rule::RuleArguments),
    Report(report::ReportArguments),
    Db(db::DbArguments),
    Wishes(wishes::WishesArguments),
    Token(token::TokenArguments),
    Completions(completions::CompletionsArguments),
}

/// Commands that this project's other programs give.
#[derive(Subcommand)]
enum OwnCommand {
    #[command(hide = true)]
    ManPages(completions::ManArguments),
    #[command(hide = true)]
    Reference(reference::ReferenceArguments),
    #[command(hide = true)]
    DeviceProcess(device_arguments::ChildArguments),
    #[command(hide = true)]
    CompilerProcess,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    User(Box<UserCommand>),
    #[command(flatten)]
    Own(OwnCommand),
}

/// The command line without the hidden commands, for completions.
#[derive(Parser)]
#[command(name = "wavetune", version)]
struct UserCli {
    #[command(flatten)]
    _verbosity: verbosity::VerbosityArguments,
    #[command(subcommand)]
    _command: UserCommand,
}

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let parsed = help::command().try_get_matches_from(&words);
    let cli = match parsed.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        Err(error)
            // A missing subcommand prints the help, in place of one line of error.
            if error.use_stderr()
                && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            eprintln!("{}", usage_error::text(&error, &help::command(), &words));
            return Exit::Error.into();
        }
        // clap reports help and the version as errors too; `exit` prints them with exit code 0.
        Err(error) => error.exit(),
    };
    let unasked = match &cli.command {
        Command::User(command)
            if matches!(**command, UserCommand::Serve(_) | UserCommand::Agent(_)) =>
        {
            LevelFilter::WARN
        }
        _ => LevelFilter::OFF,
    };
    let level = cli.verbosity.apply(unasked);
    let log = match &cli.command {
        // The HIP library and LLVM own the standard error of these processes, and the parent
        // reads it.
        Command::Own(OwnCommand::DeviceProcess(_) | OwnCommand::CompilerProcess) => {
            Ok(log::LogGuard::default())
        }
        _ => log::install(level, cli.verbosity.is_verbose()),
    };
    let _log = match log {
        Ok(log) => log,
        Err(error) => return failed(&error),
    };
    if let Some(device) = value_parsers::assumed_device() {
        verbosity::note!("note: {device}");
    }
    let result = match cli.command {
        Command::User(command) => run(*command),
        Command::Own(OwnCommand::ManPages(arguments)) => {
            completions::write_man_pages(&arguments, Cli::command())
        }
        Command::Own(OwnCommand::Reference(arguments)) => {
            reference::run(&arguments, Cli::command())
        }
        Command::Own(OwnCommand::DeviceProcess(_)) => return device_arguments::serve(),
        Command::Own(OwnCommand::CompilerProcess) => return sandbox::serve(),
    };
    match result {
        Ok(exit) => exit.into(),
        // `wavetune … | head` closes the pipe early, which is no failure of the command.
        Err(error) if output::is_closed_pipe(&error) => Exit::Found.into(),
        Err(error) => failed(&error),
    }
}

fn run(command: UserCommand) -> anyhow::Result<Exit> {
    match command {
        UserCommand::Tune(arguments) => tune::run(arguments),
        UserCommand::Lookup(arguments) => lookup::run(&arguments),
        UserCommand::Export(arguments) => export::run(&arguments),
        UserCommand::Problems(arguments) => problems::run(&arguments),
        UserCommand::Profile(arguments) => profile::run(&arguments),
        UserCommand::IreeCompile(arguments) => iree_compile::run(&arguments),
        UserCommand::Table(arguments) => table_file::run(&arguments),
        UserCommand::Space(arguments) => space::run(&arguments),
        UserCommand::Check(arguments) => check::run(&arguments),
        UserCommand::Try(arguments) => attempt::run(&arguments),
        UserCommand::Explain(arguments) => explain::run(&arguments),
        UserCommand::Emulate(arguments) => emulate::run(&arguments),
        UserCommand::Devices(arguments) => devices::run(&arguments),
        UserCommand::Doctor(arguments) => doctor::run(&arguments),
        UserCommand::Serve(arguments) => serve::run(arguments),
        UserCommand::Agent(arguments) => agent::run(&arguments),
        UserCommand::Studies(arguments) => studies::run(&arguments),
        UserCommand::Trials(arguments) => trials::run(&arguments),
        UserCommand::Regressions(arguments) => regressions::run(&arguments),
        UserCommand::Replay(arguments) => replay::run(&arguments),
        UserCommand::Rule(arguments) => rule::run(&arguments),
        UserCommand::Report(arguments) => report::run(&arguments),
        UserCommand::Db(arguments) => db::run(&arguments),
        UserCommand::Wishes(arguments) => wishes::run(&arguments),
        UserCommand::Token(arguments) => token::run(&arguments),
        UserCommand::Completions(arguments) => completions::run(&arguments, UserCli::command()),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    let told = output::chain(error);
    let lines = problem_report::lines(error, &told);
    eprintln!(
        "{}",
        lines.unwrap_or_else(|| problem_report::with_help(&told))
    );
    Exit::Error.into()
}
