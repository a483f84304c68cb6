//! `wavetune db merge`: imports the studies of another database into this one or a service's.

use std::time::Duration;

use answers::db::{LeftOutStudy, MergeReport as Answer};
use async_trait::async_trait;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use server_client::{Client, ClientError};
use store::{
    ImportError, ImportSummary, IntoRecords, MergeSummary, Portion, PortionImporter, Store, merge,
};

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json, tell_unreadable};
use crate::service::ServiceArguments;

/// Merge another database into this one.
///
/// Adds all studies, trials and finals. The other database does not change.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct DbMergeArguments {
    /// Other database: a file or a postgres:// address.
    ///
    /// The forms are FILE, sqlite:FILE and postgres://USER@HOST/DATABASE. A file may have an older
    /// schema.
    other: String,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    service: ServiceArguments,
    /// Report the changes without making them.
    #[arg(long)]
    dry_run: bool,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const HELP: &str = "\
A study of both databases becomes one study. If two trials have the same ordinal, the command \
keeps the one that ended first. It keeps finals if it keeps all trials that they compared. The \
later end or opening of a study counts.

A merge in either direction gives the same answers. After an interruption, repeat the command. It \
skips a study that is in use in either database, and names it.

The command does not merge wishes, tokens and requests to a service. A service requires a token \
with the scope admin.

Exit codes: 0 all merged, 1 something skipped, 2 error.

Examples:
  wavetune db merge other.db
  wavetune db merge other.db --db postgres://tuner@db.lan/wavetune --dry-run
  wavetune db merge postgres://tuner@db.lan/wavetune --db trials.db
  wavetune db merge trials.db --server http://tuner.lan:8942";

pub(super) fn run(arguments: &DbMergeArguments) -> anyhow::Result<Exit> {
    let client = arguments.service.client()?;
    let answer = block_on(async {
        // The source first: if it is missing, no target database is created.
        let other = Database::at(&arguments.other).open_or_copy().await?;
        let merged = match client {
            Some(client) => into_service(arguments, &*other, client).await,
            None => into_database(arguments, &*other).await,
        };
        other.close().await;
        merged
    })?;
    let is_whole = answer.left_out.is_empty() && answer.unreadable.is_none();
    match arguments.output_format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            for study in &answer.left_out {
                let LeftOutStudy {
                    study,
                    problem,
                    reason,
                } = study;
                eprintln!("skipped: study {study} of {problem}: {reason}");
            }
            tell_unreadable(&answer.unreadable);
            print(&text(&answer))?;
        }
    }
    Ok(match is_whole {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}

async fn into_database(arguments: &DbMergeArguments, other: &dyn Store) -> anyhow::Result<Answer> {
    // A missing database is created, but not by a dry run.
    let into = match arguments.dry_run {
        true => arguments.database.open_existing().await?,
        false => arguments.database.open().await?,
    };
    let mut taker = IntoRecords {
        records: &*into,
        only_try: arguments.dry_run,
    };
    let merged = all(arguments, other, &into.name(), &mut taker).await;
    into.close().await;
    merged
}

async fn into_service(
    arguments: &DbMergeArguments,
    other: &dyn Store,
    client: Client,
) -> anyhow::Result<Answer> {
    let into = client.server().to_owned();
    let only_try = arguments.dry_run;
    let mut taker = Remote { client, only_try };
    all(arguments, other, &into, &mut taker).await
}

async fn all(
    arguments: &DbMergeArguments,
    other: &dyn Store,
    into: &str,
    taker: &mut impl PortionImporter,
) -> anyhow::Result<Answer> {
    // indicatif hides the bar if standard error is no terminal.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // A portion may take seconds; the moving bar shows that the merge is alive.
    bar.enable_steady_tick(Duration::from_millis(200));
    let merged = merge(other, taker, |merged| bar.set_message(so_far(merged))).await;
    bar.finish_and_clear();
    let merged = merged?;
    let left_out = merged.left_out.into_iter().map(|study| LeftOutStudy {
        study: study.study,
        problem: study.problem,
        reason: study.reason,
    });
    Ok(Answer {
        other: other.name(),
        into: into.to_owned(),
        dry_run: arguments.dry_run,
        studies: merged.studies,
        new_studies: merged.new_studies,
        trials: merged.trials,
        added: merged.added,
        replaced: merged.replaced,
        finals: merged.finals,
        left_out: left_out.collect(),
        unreadable: merged.unreadable,
    })
}

fn so_far(merged: &MergeSummary) -> String {
    let (studies, trials) = (merged.studies, merged.trials);
    format!("{studies} studies, {trials} trials")
}

fn text(merged: &Answer) -> String {
    let takes = match merged.dry_run {
        true => "would include",
        false => "includes",
    };
    format!(
        "{} {takes} {}\n\
         new studies {} of {}\n\
         new trials  {} of {}, and {} that replace trials with a later end\n\
         new finals  {}\n",
        merged.into,
        merged.other,
        merged.new_studies,
        merged.studies,
        merged.added,
        merged.trials,
        merged.replaced,
        merged.finals
    )
}

/// The importer of a service, and whether it only tries.
struct Remote {
    client: Client,
    only_try: bool,
}

#[async_trait]
impl PortionImporter for Remote {
    /// Sends a portion. Blocks this thread, which has nothing else to do.
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError> {
        let taken = self.client.import(portion, self.only_try);
        taken.map_err(|error| match &error {
            // 409: a process works on the study. 413 and 422: this study is too large or invalid.
            // The others can still be imported.
            ClientError::Refused {
                status: 409 | 413 | 422,
                ..
            } => ImportError::Study(error.to_string()),
            _ => ImportError::All(error.into()),
        })
    }
}
