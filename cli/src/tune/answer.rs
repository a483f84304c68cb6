//! The answer of `wavetune tune`: as JSON for programs, as text for people.

use bench_harness::timing::Entrant;
use configgen::{Configuration, Generator, Problem};
use serde::Serialize;
use store::{ANOTHER_INDEX, Status, Ties};
use tuner::{Final, Plan, Report, Summary, TuneError};

use crate::output::short;

/// The answer for one problem.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    problem: &'a Problem,
    target: &'a str,
    device: &'a str,
    generator: Generator,
    clock: &'a str,
    strategy: &'a str,
    seed: u64,
    /// Configurations in the space.
    space: u64,
    trials: Trials,
    default: Option<Entry<'a>>,
    ties: Ties,
    best: Option<Entry<'a>>,
    /// What is faster than the best, which is right, and gives another index on ties.
    #[serde(skip_serializing_if = "Option::is_none")]
    faster_tie: Option<Entry<'a>>,
    speedup: Option<f64>,
    /// What samples of the best few and the default, taken in turn, say; only on devices whose times vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    finals: Option<Finals<'a>>,
    /// Rows that every kernel was verified on; of very many only some.
    checked_rows: u64,
    /// The least time that the model gives any kernel, and what the compulsory bytes take at the DRAM peak alone.
    bound_us: f64,
    dram_peak_us: f64,
    seconds: f64,
}

/// Trials by how they ended; of them, `resumed` were made by an earlier run, or meanwhile by another process.
#[derive(Serialize)]
struct Trials {
    total: u64,
    right: u64,
    tie: u64,
    wrong: u64,
    failed: u64,
    resumed: u64,
}

/// How finals ended.
#[derive(Serialize)]
#[serde(untagged)]
enum Finals<'a> {
    Held {
        /// Of the fastest but the default over the default, with its interval.
        speedup: f64,
        low: f64,
        high: f64,
        pairs: usize,
        /// Whether the default's place is taken.
        faster: bool,
    },
    Abandoned {
        reason: &'a str,
    },
}

impl Finals<'_> {
    fn of(finals: &Final) -> Finals<'_> {
        match finals {
            Final::Abandoned(reason) => Finals::Abandoned { reason },
            Final::Held { finals, winner } => Finals::Held {
                speedup: finals.comparison.speedup,
                low: finals.comparison.interval.low,
                high: finals.comparison.interval.high,
                pairs: finals.comparison.pairs(),
                faster: *winner != Entrant::Default,
            },
        }
    }
}

/// One configuration and what it did.
#[derive(Serialize)]
struct Entry<'a> {
    /// None where the default is none, as with IREE's fallback pipeline.
    configuration: Option<&'a Configuration>,
    status: Status,
    time_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// The answer for a problem that is not taken: by the generator, or because it is too large to be verified.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    problem: &'a Problem,
    generator: Generator,
    /// The rule of the generator that it breaks.
    rule: Option<&'a str>,
    message: &'a str,
    best: Option<()>,
}

pub(super) fn refusal<'a>(
    plan: &'a Plan,
    generator: Generator,
    message: &'a str,
    error: &'a TuneError,
) -> Refusal<'a> {
    let rule = match error {
        TuneError::Problem { rejection, .. } => Some(rejection.rule),
        _ => None,
    };
    Refusal {
        problem: &plan.problem,
        generator,
        rule,
        message,
        best: None,
    }
}

pub(super) fn answer<'a>(report: &'a Report, seed: u64, seconds: f64) -> Answer<'a> {
    let counts = report.counts;
    Answer {
        problem: &report.problem,
        target: report.target.name,
        device: &report.device,
        generator: report.generator,
        clock: report.clock.name(),
        strategy: report.strategy,
        seed,
        space: report.space,
        trials: Trials {
            total: counts.total,
            right: counts.right,
            tie: counts.tie,
            wrong: counts.wrong,
            failed: counts.failed,
            resumed: report.resumed,
        },
        default: report.default.as_ref().map(entry),
        ties: report.ties,
        best: report.best.as_ref().map(entry),
        faster_tie: report.faster_tie.as_ref().map(entry),
        speedup: report.speedup(),
        finals: report.finals.as_ref().map(Finals::of),
        checked_rows: report.checked_rows,
        bound_us: report.bound_us,
        dram_peak_us: report.dram_peak_us,
        seconds,
    }
}

fn entry(summary: &Summary) -> Entry<'_> {
    Entry {
        configuration: summary.configuration.as_ref(),
        status: summary.status,
        time_us: summary.time_us,
        message: summary.message.as_deref(),
    }
}

/// The answer for a person.
pub(super) fn text(report: &Report, kept_in: &str, seconds: f64) -> String {
    let counts = report.counts;
    // The default may lie outside of the space, as it does where IREE falls back to another pipeline.
    let default = match counts.total > report.space {
        true => "the default and ",
        false => "",
    };
    let mut text = format!(
        "{} on {}, {} kernels, {} trials of {default}a space of {} ({})\n",
        report.problem,
        report.device,
        report.generator,
        counts.total,
        report.space,
        report.strategy
    );
    for (name, summary) in [("default", &report.default), ("best", &report.best)] {
        text += &match summary {
            Some(summary) => format!("  {name:<8} {}\n", line(summary)),
            None => format!("  {name:<8} no configuration is right\n"),
        };
    }
    if let Some(tie) = &report.faster_tie {
        text += &format!("  {:<8} {}; with --ties any\n", "faster", line(tie));
    }
    let speedup = match &report.finals {
        Some(Final::Held { finals, winner }) if *winner == finals.winner() => {
            Some(format!("{finals}, "))
        }
        // The default is behind, whatever its time.
        Some(Final::Held { finals, .. }) => {
            let (speedup, interval) = (finals.comparison.speedup, finals.comparison.interval);
            let (low, high) = (interval.low, interval.high);
            Some(format!(
                "{speedup:.3}x over the default ({low:.3} to {high:.3}), "
            ))
        }
        Some(Final::Abandoned(reason)) => Some(format!("no finals: {reason}, ")),
        None => report
            .speedup()
            .map(|factor| format!("{factor:.2} times the default's speed, ")),
    };
    text += &format!(
        "  {}bound {:.2} µs, DRAM peak {:.2} µs; all times {}\n",
        speedup.unwrap_or_default(),
        report.bound_us,
        report.dram_peak_us,
        report.clock
    );
    text += &format!(
        "  {} right, {} tie index differs, {} wrong, {} failed",
        counts.right, counts.tie, counts.wrong, counts.failed
    );
    if report.checked_rows < report.problem.shape.rows() {
        text += &format!(", each on {} of the rows", report.checked_rows);
    }
    if report.resumed > 0 {
        text += &format!(
            "; {} of them from an earlier run or another process",
            report.resumed
        );
    }
    text + &format!("\n  {seconds:.1} s, kept in {kept_in}\n")
}

fn line(summary: &Summary) -> String {
    let time = summary.time_us.map(|us| format!("{us:>9.2} µs  "));
    let configuration = summary.configuration.as_ref().map(short);
    let message = match summary.status {
        Status::Right => String::new(),
        Status::Tie => format!("  [{ANOTHER_INDEX}{}]", reason(summary)),
        status => format!("  [{}{}]", status.name(), reason(summary)),
    };
    format!(
        "{}{}{message}",
        time.unwrap_or_default(),
        configuration
            .as_deref()
            .unwrap_or("the generator's fallback")
    )
}

fn reason(summary: &Summary) -> String {
    summary
        .message
        .as_ref()
        .map(|message| format!(": {message}"))
        .unwrap_or_default()
}
