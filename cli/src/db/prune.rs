//! `wavetune db prune`: deletes the samples of trials that decide nothing.

use std::pin::pin;
use std::time::{Duration, SystemTime};

use answers::db::{LeftOutStudy, PruneReport as Answer};
use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt as _;
use indicatif::HumanBytes;
use store::{Page, STREAMED, StoreFault, StudyFilter, StudyRecord, pages};

use crate::Exit;
use crate::confirmation::Confirmation;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

/// Delete samples of trials that affect no answer.
///
/// Keeps the verdicts, times and configurations.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct DbPruneArguments {
    /// Fastest trials that keep samples.
    ///
    /// N is the number of trials per study and verdict.
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Only studies older than this.
    ///
    /// The age, such as 30days or 12h, counts from the last opening of the study.
    #[arg(long, value_name = "TIME", default_value = "30days", value_parser = humantime::parse_duration)]
    older_than: Duration,
    /// Report the changes without making them.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const HELP: &str = "\
The command deletes no trial. Studies continue as before, and answers, ranks and regressions stay \
the same. Default configurations and winners of finals also keep their samples.

A trial without samples has no confidence interval. If such a trial later becomes the best one, \
regressions skip it. A merge with a database that has the samples restores them.

An SQLite file keeps its size, and new rows fill its free space first. A backup is as small as \
possible.

Exit codes: 0 done, 1 a study in use skipped, 2 error.

Examples:
  wavetune db prune --dry-run
  wavetune db prune --keep 3 --older-than 90days --yes";

pub(super) fn run(arguments: &DbPruneArguments) -> anyhow::Result<Exit> {
    let location = arguments.database.location()?;
    // The question is visible on the terminal.
    let location = crate::database::without_password(&location);
    if !arguments.dry_run
        && !(arguments.confirmation).ask(&format!("delete samples from {location}"))?
    {
        return Ok(Exit::NotFound);
    }
    let answer = block_on(prune(arguments))?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            for LeftOutStudy { study, reason, .. } in &answer.left_out {
                eprintln!("skipped: study {study} {reason}");
            }
            let (trials, size) = (answer.trials, HumanBytes(answer.bytes));
            let loses = match answer.dry_run {
                true => "would lose",
                false => "have lost",
            };
            let studies = answer.studies;
            print(&format!(
                "{trials} trials of {studies} studies {loses} their samples: {size}\n"
            ))?;
        }
    }
    Ok(match answer.left_out.is_empty() {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}

async fn prune(arguments: &DbPruneArguments) -> anyhow::Result<Answer> {
    let store = arguments.database.open_existing().await?;
    let since = SystemTime::now().checked_sub(arguments.older_than);
    let since = since.context("--older-than is too long ago")?;
    let mut answer = Answer {
        database: store.name(),
        dry_run: arguments.dry_run,
        studies: 0,
        trials: 0,
        bytes: 0,
        left_out: Vec::new(),
    };
    let all = StudyFilter::default();
    let lists = pages(Page::first(STREAMED), |page| store.list_studies(&all, page));
    let mut lists = pin!(lists);
    while let Some(listed) = lists.try_next().await? {
        let is_old = |study: &StudyRecord| study.last_opened <= since;
        for study in listed.rows.into_iter().filter(is_old) {
            let id = study.known.id;
            answer.studies += 1;
            let pruned = store.prune_study(id, arguments.keep, arguments.dry_run);
            match pruned.await {
                Ok(pruned) => {
                    answer.trials += pruned.trials;
                    answer.bytes += pruned.bytes;
                }
                Err(error) => match &error.fault {
                    // Another process still adds trials to it. The other studies are pruned.
                    StoreFault::AtWork { owners, .. } => answer.left_out.push(LeftOutStudy {
                        study: id.0,
                        problem: study.known.problem,
                        reason: format!("is being worked on by {}", owners.join(", ")),
                    }),
                    _ => return Err(error.into()),
                },
            }
        }
    }
    store.close().await;
    Ok(answer)
}
