//! `wavetune studies`: lists, shows and deletes the studies of a database.

mod cancel;
mod requeue;
mod waiting_studies;

use std::time::SystemTime;

use ::lookup::{list_studies, short};
use answers::records::{DeletedStudy, HeldFinals, StudySummary, VerdictCounts};
use clap::{Args, Subcommand};
use configgen::{ElementType, Generator, Problem, Target};
use store::{Page, Readable, StudyFilter, StudyId, Unreadable};

use crate::Exit;
use crate::confirmation::Confirmation;
use crate::database::{Database, block_on};
use crate::local_time::Zone;
use crate::output::{OutputFormat, print, print_json, tell_unreadable};
use crate::text_table::{table, text};
use crate::value_parsers::{devices, elements, generators, targets};
use crate::verbosity::note;
use waiting_studies::{waiting_studies, waiting_study, waiting_text};

/// List, show, delete, cancel or requeue studies.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct StudiesArguments {
    #[command(subcommand)]
    command: Option<StudiesCommand>,
    #[command(flatten)]
    list: StudyListArguments,
}

#[derive(Subcommand)]
enum StudiesCommand {
    /// List studies, the most recently opened first.
    ///
    /// Studies that wait for an agent come last.
    List(StudyListArguments),
    /// Show the details of a study.
    Show(StudyShowArguments),
    /// Delete studies and their trials.
    ///
    /// The command refuses a study that is in use.
    Delete(StudyDeleteArguments),
    /// Cancel studies of a service, and keep their trials.
    Cancel(cancel::StudyCancelArguments),
    /// Repeat the abandoned trials of a study.
    ///
    /// Deletes the abandoned trials, so that the next run repeats them. The command refuses a study
    /// that is in use.
    Requeue(requeue::StudyRequeueArguments),
}

#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune studies list --target gfx942")]
struct StudyListArguments {
    /// Only studies of this problem.
    #[arg(long)]
    problem: Option<Problem>,
    /// Only studies of this operation.
    ///
    /// The operation is a name, such as arg_compare.
    #[arg(long)]
    operation: Option<String>,
    /// Only studies with this element type.
    #[arg(long, value_name = "TYPE", value_parser = elements())]
    element: Option<ElementType>,
    /// Only studies for this ISA.
    #[arg(long, value_parser = targets())]
    target: Option<&'static Target>,
    /// Only studies on this device.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Only studies with this generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    /// Only studies with this strategy.
    #[arg(long)]
    strategy: Option<String>,
    /// Only studies opened at this time or later.
    ///
    /// The time is in RFC 3339, such as 2026-03-01T00:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339_weak)]
    since: Option<SystemTime>,
    /// Maximum number of studies.
    ///
    /// The limit applies separately to studies that wait for an agent.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune studies show 12")]
struct StudyShowArguments {
    /// Number of the study.
    id: i64,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune studies delete 12 13 --yes")]
struct StudyDeleteArguments {
    /// Numbers of the studies.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<i64>,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
A study that waits for an agent has a line of its own. Its JSON is that of GET \
/api/v1/studies/{id}, with its state.

Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune studies
  wavetune studies --target gfx942 --since 2026-03-01T00:00:00Z --limit 10
  wavetune studies show 12
  wavetune studies delete 12 13 --yes
  wavetune studies requeue 12
  wavetune studies cancel 12 --server http://tuner.lan:8942";

pub(crate) fn run(arguments: &StudiesArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        None => list(&arguments.list),
        Some(StudiesCommand::List(arguments)) => list(arguments),
        Some(StudiesCommand::Show(arguments)) => show(arguments),
        Some(StudiesCommand::Delete(arguments)) => delete(arguments),
        Some(StudiesCommand::Cancel(arguments)) => cancel::run(arguments),
        Some(StudiesCommand::Requeue(arguments)) => requeue::run(arguments),
    }
}

/// Studies that are read at a time.
const PAGE: u32 = 100;

fn list(arguments: &StudyListArguments) -> anyhow::Result<Exit> {
    let which = StudyFilter {
        problem: arguments.problem.clone(),
        operation: arguments.operation.clone(),
        element: arguments.element,
        target: arguments.target,
        device: arguments.device.clone(),
        generator: arguments.generator,
        strategy: arguments.strategy.clone(),
        opened_since: arguments.since,
    };
    block_on(async {
        let store = arguments.database.open_existing().await?;
        let (mut left, mut after, mut unreadable) = (arguments.limit, None, Unreadable::default());
        let zone = Zone::of(&std::io::stdout());
        let mut shown = overview(zone);
        let mut found = 0;
        loop {
            let page = Page {
                after,
                // Pages keep few studies in memory, whatever the limit is.
                limit: left.min(PAGE),
            };
            let listed = store.list_studies(&which, page).await?;
            let next = listed.next;
            let records = Readable {
                rows: listed.rows,
                unreadable: listed.unreadable,
            };
            let told = list_studies(&*store, records).await?;
            unreadable.join(told.unreadable);
            for study in told.rows {
                found += 1;
                match arguments.output_format {
                    OutputFormat::Json => print_json(&study)?,
                    OutputFormat::Text => drop(shown.add_row(row(&study, zone))),
                }
            }
            left -= page.limit;
            after = next;
            if after.is_none() || left == 0 {
                break;
            }
        }
        let limit = arguments.limit as usize;
        // One more than the limit, to know whether there are more.
        let waiting = waiting_studies(&*store, &which, limit + 1).await?;
        store.close().await;
        unreadable.join(waiting.unreadable);
        let mut waiting = waiting.rows;
        let has_more = after.is_some() || waiting.len() > limit;
        waiting.truncate(limit);
        tell_unreadable(&unreadable);
        if found == 0 && waiting.is_empty() {
            eprintln!("there is no such study");
            return Ok(Exit::NotFound);
        }
        match arguments.output_format {
            OutputFormat::Json => waiting.iter().try_for_each(print_json)?,
            OutputFormat::Text => {
                if found > 0 {
                    print(&text(&shown))?;
                }
                if !waiting.is_empty() {
                    print(&waiting_text(&waiting, zone))?;
                }
            }
        }
        if has_more {
            note!("the list is incomplete; --limit sets its length");
        }
        Ok(Exit::Found)
    })
}

fn show(arguments: &StudyShowArguments) -> anyhow::Result<Exit> {
    let zone = Zone::of(&std::io::stdout());
    block_on(async {
        let store = arguments.database.open_existing().await?;
        let found = store.find_study(StudyId(arguments.id)).await?;
        let told = list_studies(&*store, found).await?;
        // A study without trials exists only as a run.
        let waiting = match told.rows.first() {
            Some(_) => None,
            None => waiting_study(&*store, StudyId(arguments.id)).await?,
        };
        store.close().await;
        tell_unreadable(&told.unreadable);
        if let Some(run) = waiting {
            match arguments.output_format {
                OutputFormat::Json => print_json(&run)?,
                OutputFormat::Text => print(&waiting_text(&[run], zone))?,
            }
            return Ok(Exit::Found);
        }
        let Some(study) = told.rows.first() else {
            eprintln!("there is no study {}; see `wavetune studies`", arguments.id);
            return Ok(Exit::NotFound);
        };
        match arguments.output_format {
            OutputFormat::Json => print_json(study)?,
            OutputFormat::Text => print(&study_text(study, zone))?,
        }
        Ok(Exit::Found)
    })
}

fn delete(arguments: &StudyDeleteArguments) -> anyhow::Result<Exit> {
    block_on(async {
        let store = arguments.database.open_existing().await?;
        let mut exit = Exit::Found;
        for &id in &arguments.ids {
            let found = store.find_study(StudyId(id)).await?;
            let of = match found.rows.first() {
                Some(record) => format!(" of {}", record.known.problem),
                None => String::new(),
            };
            let trials: u64 = found.rows.iter().flat_map(|it| it.trials.values()).sum();
            // An unreadable study can be deleted as well.
            let is_there = !found.rows.is_empty() || !found.unreadable.is_none();
            let what = format!("delete study {id}{of} with {trials} trials");
            if is_there && !arguments.confirmation.ask(&what)? {
                eprintln!("study {id} is kept");
                exit = Exit::NotFound;
                continue;
            }
            match store.delete_study(StudyId(id)).await? {
                Some(deleted) => {
                    let (trials, finals) = (deleted.trials, deleted.finals);
                    match arguments.output_format {
                        OutputFormat::Json => print_json(&DeletedStudy { id, trials, finals })?,
                        OutputFormat::Text => print(&format!(
                            "study {id}{of} is deleted, with {trials} trials and {finals} finals\n"
                        ))?,
                    }
                }
                None => {
                    eprintln!("there is no study {id}; see `wavetune studies`");
                    exit = Exit::NotFound;
                }
            }
        }
        store.close().await;
        Ok(exit)
    })
}

fn overview(zone: Zone) -> comfy_table::Table {
    let opened = zone.heading("OPENED");
    table(&[
        ">ID",
        "PROBLEM",
        "DEVICE",
        "BY",
        ">TRIALS",
        ">BEST µs",
        ">SPEEDUP",
        &opened,
    ])
}

fn row(study: &StudySummary, zone: Zone) -> [String; 8] {
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |it| format!("{it:.2}"));
    [
        study.id.to_string(),
        study.problem.to_string(),
        study.device.clone(),
        study.generator.to_string(),
        study.trials.total.to_string(),
        number(study.best.as_ref().map(|best| best.time_us)),
        number(study.speedup),
        zone.minute(&study.last_opened),
    ]
}

/// Formats all facts of a study, a line each.
fn study_text(study: &StudySummary, zone: Zone) -> String {
    let VerdictCounts {
        total,
        right,
        tie,
        wrong,
        failed,
        timed,
    } = study.trials;
    let us = |time: f64| format!("{time:.2} µs {}", study.clock);
    let none = || "none".to_owned();
    let best = study.best.as_ref().map(|best| {
        let (time, place) = (us(best.time_us), best.ordinal);
        format!(
            "{time}, {}, trial {place}: {}",
            best.status.name(),
            short(&best.configuration)
        )
    });
    let finals = study.finals.as_ref().map(|held| {
        let HeldFinals { trials, winner, speedup, low, high, .. } = held;
        format!("after {trials} trials: trial {winner}; {speedup:.3} times the default's speed, {low:.3} to {high:.3}")
    });
    let speedup = study
        .speedup
        .map(|it| format!(", best {it:.2} times its speed"));
    let lines = [
        ("study", study.id.to_string()),
        ("problem", study.problem.to_string()),
        ("target", study.target.to_owned()),
        ("device", format!("{}, {}", study.device, study.driver)),
        (
            "compiler",
            format!("{} {}", study.compiler, study.compiler_version),
        ),
        (
            "generator",
            format!("{} {}", study.generator, study.generator_version),
        ),
        ("timing", study.timing.clone()),
        (
            "strategy",
            format!("{}, seed {}", study.strategy, study.seed),
        ),
        ("space", study.space.clone()),
        (
            "ties",
            study.ties.map_or_else(none, |ties| ties.to_string()),
        ),
        (
            "opened",
            format!(
                "{}, first {}",
                zone.rfc3339(&study.last_opened),
                zone.rfc3339(&study.first_opened)
            ),
        ),
        (
            "trials",
            format!(
                "{total}: {right} right, {tie} tie, {wrong} wrong, {failed} failed, {timed} timed"
            ),
        ),
        ("best", best.unwrap_or_else(none)),
        (
            "default",
            study.default_time_us.map_or_else(none, us) + &speedup.unwrap_or_default(),
        ),
        ("bound", study.bound_us.map_or_else(none, us)),
        ("finals", finals.unwrap_or_else(none)),
        (
            "at work",
            match study.workers.is_empty() {
                true => none(),
                false => study.workers.join(", "),
            },
        ),
    ];
    let lines = lines
        .iter()
        .map(|(name, value)| format!("{name:<10} {value}\n"));
    lines.collect()
}
