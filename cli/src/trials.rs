//! `wavetune trials`: lists the trials of a study.

use std::pin::pin;

use ::lookup::{short, trial};
use clap::{Args, ValueEnum};
use futures_util::TryStreamExt as _;
use store::{
    FailureKind, Page, Role, STREAMED, Status, StudyId, TrialFilter, TrialRecord, TrialSort,
    Unreadable, pages,
};

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, error_text, print, print_json, tell_unreadable};
use crate::text_table::{table, text};
use crate::value_parsers::{failures, roles, statuses};
use crate::verbosity::note;

/// List the trials of a study, or of all studies.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TrialsArguments {
    /// Number of the study [default: all].
    study: Option<i64>,
    /// Only trials with this verdict.
    #[arg(long, value_parser = statuses())]
    status: Option<Status>,
    /// Only trials without a verdict.
    ///
    /// The list shows their messages.
    #[arg(long, conflicts_with = "status")]
    failures: bool,
    /// Only trials with this failure.
    #[arg(long, value_parser = failures())]
    failure: Option<FailureKind>,
    /// Only trials with this role.
    #[arg(long, value_parser = roles())]
    role: Option<Role>,
    /// Only trials of at least US microseconds.
    #[arg(long, value_name = "US")]
    least: Option<f64>,
    /// Only trials of at most US microseconds.
    #[arg(long, value_name = "US")]
    most: Option<f64>,
    /// Only configurations with this hash prefix.
    #[arg(long)]
    hash: Option<String>,
    /// Order of the trials.
    ///
    /// The orders time and compile skip trials without such a time.
    #[arg(long, value_enum, default_value = "ordinal", requires = "study")]
    sort: Sort,
    /// Maximum number of trials [default: 50].
    ///
    /// JSON has no limit by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sort {
    /// Order of the study.
    Ordinal,
    /// Fastest trial first.
    Time,
    /// Shortest compilation first.
    Compile,
}

const EXAMPLES: &str = "\
ERROR is the largest error of a result, as a fraction of the allowed bound. 0 is exact to the bit. \
JSON has one line per trial; the command prints it as soon as it reads the trial.

Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune trials 12
  wavetune trials 12 --failures
  wavetune trials 12 --status right --sort time --limit 10
  wavetune trials 12 --output-format json > trials.ndjson
  wavetune trials --failure abandoned";

/// Rows of a text table without `--limit`.
const ROWS: u64 = 50;

pub(crate) fn run(arguments: &TrialsArguments) -> anyhow::Result<Exit> {
    let failed = arguments.failures.then_some(Status::Failed);
    let which = TrialFilter {
        status: arguments.status.or(failed),
        failure: arguments.failure,
        role: arguments.role,
        least_us: arguments.least,
        most_us: arguments.most,
        hash: arguments.hash.clone(),
    };
    let sort = match arguments.sort {
        Sort::Ordinal => TrialSort::Ordinal,
        Sort::Time => TrialSort::Time,
        Sort::Compile => TrialSort::Compiled,
    };
    // A program gets all trials; a person would not read so many.
    let limit = match arguments.output_format {
        OutputFormat::Text => arguments.limit.unwrap_or(ROWS),
        OutputFormat::Json => arguments.limit.unwrap_or(u64::MAX),
    };
    block_on(async {
        let store = arguments.database.open_existing().await?;
        let of = arguments.study.map(StudyId);
        if let Some(id) = of {
            let study = store.find_study(id).await?;
            if study.rows.is_empty() && study.unreadable.is_none() {
                eprintln!("there is no study {}; see `wavetune studies`", id.0);
                return Ok(Exit::NotFound);
            }
        }
        let mut unreadable = Unreadable::default();
        let mut shown = table(&[
            ">STUDY",
            ">TRIAL",
            "VERDICT",
            ">ERROR",
            ">TIME µs",
            ">COMPILED ms",
            "HASH",
            "CONFIGURATION, OR MESSAGE",
        ]);
        let (mut found, mut is_more) = (0, false);
        let read = |page| match of {
            Some(id) => store.list_trials(id, &which, sort, page),
            None => store.list_all_trials(&which, page),
        };
        let mut pages = pin!(pages(Page::first(STREAMED), read));
        while let Some(page) = pages.try_next().await? {
            unreadable.join(page.unreadable);
            for record in page.rows {
                // A row beyond the limit tells that there are more.
                if found == limit {
                    is_more = true;
                    break;
                }
                found += 1;
                match arguments.output_format {
                    // JSON is streamed: a study may have more trials than fit into memory.
                    OutputFormat::Json => print_json(&trial(record))?,
                    OutputFormat::Text => drop(shown.add_row(row(&record))),
                }
            }
            if is_more {
                break;
            }
        }
        store.close().await;
        tell_unreadable(&unreadable);
        if found == 0 {
            match of {
                Some(id) => eprintln!("study {} has no such trial", id.0),
                None => eprintln!("no study has such a trial"),
            }
            return Ok(Exit::NotFound);
        }
        if arguments.output_format == OutputFormat::Text {
            print(&text(&shown))?;
            if is_more {
                note!("the list is incomplete; --limit sets its length");
            }
        }
        Ok(Exit::Found)
    })
}

/// Hexadecimal digits of a hash, enough to tell configurations apart.
const SHORT_HASH: usize = 12;

fn row(record: &TrialRecord) -> [String; 8] {
    let TrialRecord { study, hash, trial } = record;
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |it| format!("{it:.2}"));
    let verdict = match trial.outcome.failure() {
        Some(kind) => kind.name(),
        None => trial.outcome.status().name(),
    };
    let role = match trial.role {
        Role::Default => ", default",
        Role::Candidate => "",
    };
    let configuration = || {
        let configuration = trial.configuration.as_ref();
        configuration.map_or("the generator's own choice".to_owned(), short)
    };
    [
        study.0.to_string(),
        trial.ordinal.to_string(),
        format!("{verdict}{role}"),
        trial.error.map_or("-".to_owned(), error_text),
        number(trial.outcome.timing().map(|timing| timing.time_us)),
        number(trial.compile_ms),
        hash.as_ref().map_or("-".to_owned(), |hash| {
            hash.chars().take(SHORT_HASH).collect()
        }),
        trial
            .outcome
            .message()
            .map_or_else(configuration, |message| message.trim().to_owned()),
    ]
}
