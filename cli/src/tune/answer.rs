//! The answer of `wavetune tune`: as JSON for programs, as text for people.

use answers::tune::{Finals, Outcome, Refusal, Trials, Tried, Tuned};
use bench_harness::timing::Entrant;
use configgen::Generator;
use store::{ANOTHER_INDEX, Status};
use tuner::{Final, Plan, Report, Summary, TuneError};

use crate::output::short;

/// The answer for a problem that was tuned.
pub(super) fn answer(report: &Report, seed: u64, seconds: f64) -> Outcome {
    let counts = report.counts;
    Outcome::Tuned(Box::new(Tuned {
        problem: report.problem.clone(),
        target: report.target.name,
        device: report.device.clone(),
        generator: report.generator,
        clock: report.clock,
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
        default: report.default.as_ref().map(tried),
        ties: report.ties,
        best: report.best.as_ref().map(tried),
        faster_tie: report.faster_tie.as_ref().map(tried),
        speedup: report.speedup(),
        finals: report.finals.as_ref().map(finals),
        checked_rows: report.checked_rows,
        bound_us: report.bound_us,
        dram_peak_us: report.dram_peak_us,
        seconds,
    }))
}

fn tried(summary: &Summary) -> Tried {
    Tried {
        configuration: summary.configuration.clone(),
        status: summary.status,
        time_us: summary.time_us,
        message: summary.message.clone(),
    }
}

fn finals(finals: &Final) -> Finals {
    match finals {
        Final::Abandoned(reason) => Finals::Abandoned {
            reason: reason.clone(),
        },
        Final::Held { finals, winner } => Finals::Held {
            speedup: finals.comparison.speedup,
            low: finals.comparison.interval.low,
            high: finals.comparison.interval.high,
            pairs: finals.comparison.pairs(),
            faster: *winner != Entrant::Default,
        },
    }
}

/// The answer for a problem that is not taken.
pub(super) fn refusal(plan: &Plan, generator: Generator, error: &TuneError) -> Outcome {
    let rule = match error {
        TuneError::Problem { rejection, .. } => Some(rejection.rule),
        _ => None,
    };
    Outcome::Refused(Refusal {
        problem: plan.problem.clone(),
        generator,
        rule,
        message: error.to_string(),
        best: (),
    })
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
