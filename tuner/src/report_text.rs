//! The text of reports: JSON for programs and text for people, on the command line and over HTTP
//! alike.

use answers::tune::{Finals, ProblemRefusal, Trials, TriedConfiguration, TuneOutcome, TuneResult};
use bench_harness::timing::Entrant;
use configgen::Generator;
use lookup::short;
use store::{ANOTHER_INDEX, Status};

use crate::error::TuneError;
use crate::plan::Plan;
use crate::report::{FinalsOutcome, Report, Summary};

impl Report {
    /// Returns the answer for programs. `seconds` is the duration of the study.
    pub fn answer(&self, seconds: f64) -> TuneOutcome {
        let counts = self.counts;
        TuneOutcome::Tuned(Box::new(TuneResult {
            problem: self.problem.clone(),
            target: self.target.name,
            device: self.device.clone(),
            generator: self.generator,
            clock: self.clock,
            strategy: self.strategy,
            seed: self.study.seed,
            space: self.space,
            trials: Trials {
                total: counts.total,
                right: counts.right,
                tie: counts.tie,
                wrong: counts.wrong,
                failed: counts.failed,
                timed: counts.timed,
                resumed: self.resumed,
            },
            default: self.default.as_ref().map(tried),
            ties: self.ties,
            best: self.best.as_ref().map(tried),
            faster_tie: self.faster_tie.as_ref().map(tried),
            speedup: self.speedup(),
            finals: self.finals.as_ref().map(finals),
            checked_rows: self.checked_rows,
            bound_us: self.bound_us,
            dram_peak_us: self.dram_peak_us,
            end: self.end,
            seconds,
        }))
    }

    /// Returns the text for people. `seconds` is the duration of the study, and `kept` says where
    /// it is stored.
    pub fn text(&self, seconds: f64, kept: &str) -> String {
        let counts = self.counts;
        // The default may lie outside of the space, if IREE falls back to another pipeline.
        let default = match counts.total > self.space {
            true => "the default and ",
            false => "",
        };
        let mut text = format!(
            "{} on {}, {} kernels, {} trials of {default}a space of {} ({})\n",
            self.problem, self.device, self.generator, counts.total, self.space, self.strategy
        );
        for (name, summary) in [("default", &self.default), ("best", &self.best)] {
            text += &match summary {
                Some(summary) => format!("  {name:<8} {}\n", line(summary)),
                None => format!("  {name:<8} no configuration is correct\n"),
            };
        }
        if let Some(tie) = &self.faster_tie {
            text += &format!("  {:<8} {}; with --ties any\n", "faster", line(tie));
        }
        let speedup = match &self.finals {
            Some(FinalsOutcome::Held { finals, winner }) if *winner == finals.winner() => {
                Some(format!("{finals}, "))
            }
            // The default ranks behind because of its tie-break, so its time does not decide.
            Some(FinalsOutcome::Held { finals, .. }) => {
                let (speedup, interval) = (finals.comparison.speedup, finals.comparison.interval);
                let (low, high) = (interval.low, interval.high);
                Some(format!(
                    "{speedup:.3}x over the default ({low:.3} to {high:.3}), "
                ))
            }
            Some(FinalsOutcome::Abandoned(reason)) => Some(format!("no finals: {reason}, ")),
            None => self
                .speedup()
                .map(|factor| format!("{factor:.2} times the default's speed, ")),
        };
        text += &format!(
            "  {}bound {:.2} µs, DRAM peak {:.2} µs; all times {}\n",
            speedup.unwrap_or_default(),
            self.bound_us,
            self.dram_peak_us,
            self.clock
        );
        text += &format!(
            "  {} correct, {} with another tie-break, {} wrong, {} failed",
            counts.right, counts.tie, counts.wrong, counts.failed
        );
        if counts.timed > 0 {
            text += &format!(", {} only timed", counts.timed);
        }
        if self.checked_rows < self.problem.shape.rows() {
            text += &format!(", each on {} of the rows", self.checked_rows);
        }
        if self.resumed > 0 {
            text += &format!(
                "; {} of them from an earlier run or another process",
                self.resumed
            );
        }
        let end = self.end.reason();
        text + &format!("\n  stopped because {end}\n  {seconds:.1} s, kept {kept}\n")
    }
}

fn tried(summary: &Summary) -> TriedConfiguration {
    TriedConfiguration {
        configuration: summary.configuration.clone(),
        status: summary.status,
        time_us: summary.time_us,
        message: summary.message.clone(),
    }
}

fn finals(finals: &FinalsOutcome) -> Finals {
    match finals {
        FinalsOutcome::Abandoned(reason) => Finals::Abandoned {
            reason: reason.clone(),
        },
        FinalsOutcome::Held { finals, winner } => Finals::Held {
            speedup: finals.comparison.speedup,
            low: finals.comparison.interval.low,
            high: finals.comparison.interval.high,
            pairs: finals.comparison.pairs(),
            faster: *winner != Entrant::Default,
        },
    }
}

/// Returns the answer for a problem that the generator does not support.
pub fn refusal(plan: &Plan, generator: Generator, error: &TuneError) -> TuneOutcome {
    let rule = match error {
        TuneError::Problem { rejection, .. } => Some(rejection.rule.to_owned()),
        _ => None,
    };
    TuneOutcome::Refused(ProblemRefusal {
        problem: plan.problem.clone(),
        generator,
        rule,
        message: error.to_string(),
        best: (),
    })
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
