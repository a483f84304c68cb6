//! Reports: the results of a study so far, computed from its trials.

use answers::tune::SearchEnd;
use bench_harness::Clock;
use bench_harness::timing::{Entrant, Finals};
use configgen::{Configuration, Generator, Problem, Target};
use lookup::Merit;
use store::{Role, Status, StudyKey, Ties, Trial, TrialOutcome};

/// The number of trials per verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TuneCounts {
    /// All trials.
    pub total: u64,
    /// Trials with exactly the reference's results.
    pub right: u64,
    /// Trials with correct values, but another tie-break.
    pub tie: u64,
    /// Trials with wrong results.
    pub wrong: u64,
    /// Trials without a verdict: not compiled, or not run to the end.
    pub failed: u64,
    /// Trials that were timed and, being slow, not verified.
    pub timed: u64,
}

/// A summary of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The configuration. `None` if the default is not one.
    pub configuration: Option<Configuration>,
    /// The verdict.
    pub status: Status,
    /// The time in microseconds. `None` unless the results are correct.
    pub time_us: Option<f64>,
    /// The reason of a failure, or the differing index.
    pub message: Option<String>,
}

/// The results of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The study's key in the store.
    pub study: StudyKey,
    /// The problem that the kernels compute.
    pub problem: Problem,
    /// The target.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// The generator of the kernels.
    pub generator: Generator,
    /// The clock of the times.
    pub clock: Clock,
    /// The name of the strategy.
    pub strategy: &'static str,
    /// The number of configurations in the space.
    pub space: u64,
    /// The number of trials per verdict.
    pub counts: TuneCounts,
    /// The number of trials that this run has not made: an earlier run or another process made
    /// them.
    pub resumed: u64,
    /// The default.
    pub default: Option<Summary>,
    /// The wanted tie-break.
    pub ties: Ties,
    /// The fastest servable trial, the earliest among equals. If the wanted tie-break is the
    /// reference's, correct trials precede those with another tie-break.
    ///
    /// After finals, it is their winner, which is the default if no kernel is significantly
    /// faster. It is also a default without a configuration, if that is correct and all
    /// configurations have another tie-break.
    pub best: Option<Summary>,
    /// The fastest trial with another tie-break, if it is faster than `best` and `best` has the
    /// wanted one.
    pub faster_tie: Option<Summary>,
    /// The finals. `None` on a device whose times repeat exactly, or without anything to compare.
    pub finals: Option<FinalsOutcome>,
    /// The number of rows on which every kernel was verified: all of the problem, unless it has
    /// very many.
    pub checked_rows: u64,
    /// The least modelled time of any kernel, in microseconds.
    pub bound_us: f64,
    /// The time of the compulsory bytes at the data sheet's DRAM peak, in microseconds, without
    /// launch and latency.
    pub dram_peak_us: f64,
    /// The reason that the search ended.
    pub end: SearchEnd,
}

/// The end of the finals.
#[derive(Debug, Clone, PartialEq)]
pub enum FinalsOutcome {
    /// The finals have a result.
    Held {
        /// The measurements.
        finals: Finals,
        /// The entrant to use. This is the finals' winner. If the winning default has another
        /// tie-break than the wanted one, it is the first finalist instead.
        winner: Entrant,
    },
    /// A kernel that was correct before is not correct any more, for this reason.
    Abandoned(String),
}

impl Report {
    /// Returns the best time's speedup over the default. `None` if either is missing or has no
    /// time.
    pub fn speedup(&self) -> Option<f64> {
        if let Some(FinalsOutcome::Held { finals, winner }) = &self.finals {
            return Some(match winner {
                Entrant::Finalist(_) => finals.comparison.speedup,
                Entrant::Default => 1.0,
            });
        }
        Some(self.default.as_ref()?.time_us? / self.best.as_ref()?.time_us?)
    }
}

impl TuneCounts {
    /// Counts one more trial.
    pub(crate) fn add(&mut self, status: Status) {
        self.total += 1;
        match status {
            Status::Right => self.right += 1,
            Status::Tie => self.tie += 1,
            Status::Wrong => self.wrong += 1,
            Status::Failed => self.failed += 1,
            Status::Timed => self.timed += 1,
        }
    }
}

/// The counts, the default and the best of a study's trials.
#[derive(Debug)]
pub(crate) struct StudyTally {
    pub(crate) generator: Generator,
    pub(crate) ties: Ties,
    pub(crate) counts: TuneCounts,
    pub(crate) default: Option<Summary>,
    best: Option<ServableTrial>,
    /// The fastest trial with another tie-break.
    tie: Option<ServableTrial>,
}

/// A trial that the lookup may serve.
#[derive(Debug)]
struct ServableTrial {
    score: Merit,
    ordinal: u32,
    summary: Summary,
}

impl ServableTrial {
    fn is_better_than(&self, other: Option<&ServableTrial>) -> bool {
        other.is_none_or(|other| {
            let by_score = self.score.compare(&other.score);
            // The ordinal makes the best independent of the order in which trials arrive.
            by_score.then(self.ordinal.cmp(&other.ordinal)).is_lt()
        })
    }
}

/// The result of a [`StudyTally`].
pub(crate) struct TallyResult {
    pub(crate) counts: TuneCounts,
    pub(crate) default: Option<Summary>,
    pub(crate) best: Option<Summary>,
    pub(crate) tie: Option<Summary>,
}

impl StudyTally {
    /// Creates the tally of a study without trials.
    pub(crate) fn new(generator: Generator, ties: Ties) -> StudyTally {
        StudyTally {
            generator,
            ties,
            counts: TuneCounts::default(),
            default: None,
            best: None,
            tie: None,
        }
    }

    /// Adds a trial. The order of the calls does not matter.
    pub(crate) fn add(&mut self, trial: &Trial) {
        self.counts.add(trial.outcome.status());
        if trial.role == Role::Default {
            self.default = Some(summary(trial));
        }
        let score = Merit::of(trial, self.generator, self.ties);
        // IREE's default may be another pipeline, which is no configuration and cannot be served.
        let Some(score) = score.filter(|_| trial.configuration.is_some()) else {
            return;
        };
        let place = || ServableTrial {
            score,
            ordinal: trial.ordinal,
            summary: summary(trial),
        };
        let is_tie = trial.outcome.status() == Status::Tie;
        if is_tie && place().is_better_than(self.tie.as_ref()) {
            self.tie = Some(place());
        }
        if place().is_better_than(self.best.as_ref()) {
            self.best = Some(place());
        }
    }

    /// Returns the best so far. If all configurations have another tie-break, it is the default,
    /// provided that this is correct and no configuration.
    fn best(&self) -> Option<&Summary> {
        let best = self.best.as_ref()?;
        let unasked = self
            .default
            .as_ref()
            .filter(|default| default.configuration.is_none() && default.status == Status::Right);
        Some(match unasked {
            Some(unasked) if best.score.is_behind => unasked,
            _ => &best.summary,
        })
    }

    /// Returns the time of the best in microseconds.
    pub(crate) fn best_us(&self) -> Option<f64> {
        self.best()?.time_us
    }

    pub(crate) fn end(self) -> TallyResult {
        TallyResult {
            counts: self.counts,
            best: self.best().cloned(),
            default: self.default,
            tie: self.tie.map(|place| place.summary),
        }
    }
}

/// Returns the trial with another tie-break, if it is faster than the best and the best has the
/// wanted one.
pub(crate) fn faster_tie(best: Option<&Summary>, tie: Option<Summary>) -> Option<Summary> {
    let best = best.filter(|best| best.status == Status::Right)?;
    tie.filter(|tie| tie.time_us < best.time_us)
}

pub(crate) fn summary(trial: &Trial) -> Summary {
    let outcome: &TrialOutcome = &trial.outcome;
    Summary {
        configuration: trial.configuration.clone(),
        status: outcome.status(),
        time_us: outcome.timing().map(|timing| timing.time_us),
        message: outcome.message().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use configgen::{Space, Target};
    use store::Timing;

    use super::*;

    /// Checks the best of trials with these times, in any order of arrival.
    #[track_caller]
    fn check(times_us: &[f64], best: u32) {
        let problem: Problem = "argmax:4x[100]xf32".parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let space = Space::new(&problem, target, Generator::NATIVE);
        let trial = |(ordinal, &time_us): (u32, &f64)| Trial {
            ordinal,
            role: Role::Candidate,
            configuration: space.nth(ordinal.into()),
            outcome: TrialOutcome::Right(Timing {
                time_us,
                samples_us: vec![time_us],
                protocol: None,
            }),
            error: None,
            input_seed: 0,
            compile_ms: None,
            started: SystemTime::UNIX_EPOCH,
            ended: SystemTime::UNIX_EPOCH,
        };
        let mut trials: Vec<Trial> = (0..).zip(times_us).map(trial).collect();
        for _ in 0..2 {
            let mut standing = StudyTally::new(Generator::NATIVE, Ties::Fold);
            for trial in &trials {
                standing.add(trial);
            }
            let ended = standing.end();
            assert_eq!(ended.counts.right, times_us.len() as u64);
            let found = ended.best.and_then(|summary| summary.configuration);
            assert_eq!(found, space.nth(best.into()), "{times_us:?}");
            trials.reverse();
        }
    }

    /// Checks that a correct default without a configuration is the best if all configurations
    /// have another tie-break.
    #[test]
    fn a_default_that_is_right_goes_before_ties() {
        let target = Target::named("gfx942").unwrap();
        let space = Space::new(
            &"argmax:4x[100]xf32".parse().unwrap(),
            target,
            Generator::IREE,
        );
        let timing = |time_us| Timing {
            time_us,
            samples_us: vec![time_us],
            protocol: None,
        };
        let trial = |role, configuration, outcome| Trial {
            ordinal: 0,
            role,
            configuration,
            outcome,
            error: None,
            input_seed: 0,
            compile_ms: None,
            started: SystemTime::UNIX_EPOCH,
            ended: SystemTime::UNIX_EPOCH,
        };
        let default = |outcome| trial(Role::Default, None, outcome);
        let tie = |index| {
            let outcome = TrialOutcome::Tie(timing(2.0), String::new());
            trial(Role::Candidate, space.nth(index), outcome)
        };
        let right = trial(
            Role::Candidate,
            space.nth(1),
            TrialOutcome::Right(timing(30.0)),
        );
        let check = |ties, trials: &[&Trial], expected: Option<f64>| {
            let mut standing = StudyTally::new(Generator::IREE, ties);
            trials.iter().for_each(|trial| standing.add(trial));
            assert_eq!(standing.best_us(), expected);
            assert_eq!(standing.end().best.and_then(|best| best.time_us), expected);
        };
        let unasked = default(TrialOutcome::Right(timing(20.0)));
        check(Ties::Fold, &[&unasked, &tie(0)], Some(20.0));
        check(Ties::Any, &[&unasked, &tie(0)], Some(2.0));
        check(Ties::Fold, &[&unasked, &tie(0), &right], Some(30.0));
        check(Ties::Fold, &[&unasked], None);
        let also_tie = TrialOutcome::Tie(timing(20.0), String::new());
        check(Ties::Fold, &[&default(also_tie), &tie(0)], Some(2.0));
    }

    #[test]
    fn the_earliest_of_the_fastest_is_the_best() {
        check(&[3.0, 2.0, 4.0], 1);
        check(&[3.0, 2.0, 2.0, 2.0, 3.0], 1);
        check(&[2.0, 2.0], 0);
    }
}
