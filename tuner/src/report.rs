//! Reports: what a study has found so far, from its trials.

use bench_harness::Clock;
use bench_harness::timing::{Entrant, Finals};
use configgen::{Configuration, Generator, Problem, Target};
use lookup::Merit;
use store::{Role, Status, StudyKey, Ties, Trial, TrialOutcome};

/// How many trials ended in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TuneCounts {
    /// All of them.
    pub total: u64,
    /// Bit by bit what the fold gives.
    pub right: u64,
    /// Right value, tie index differs.
    pub tie: u64,
    /// Wrong.
    pub wrong: u64,
    /// No verdict: not compiled, or not run to the end.
    pub failed: u64,
}

/// One trial in short.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The configuration; none where the default is not one.
    pub configuration: Option<Configuration>,
    /// Its verdict.
    pub status: Status,
    /// Its time in microseconds; none unless it is right.
    pub time_us: Option<f64>,
    /// What went wrong, or which index differs.
    pub message: Option<String>,
}

/// What a study has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The study, as the store knows it.
    pub study: StudyKey,
    /// What is computed.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// Name of the strategy.
    pub strategy: &'static str,
    /// Configurations in the space.
    pub space: u64,
    /// Trials by how they ended.
    pub counts: TuneCounts,
    /// Of them, those that this run has not made: an earlier one did, or another process that works on the study.
    pub resumed: u64,
    /// The default.
    pub default: Option<Summary>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
    /// The fastest one that may be served, of those that are right if there are such and the fold's index is wanted on ties;
    /// the earliest of equals. After finals it is the one to take, which is the default where nothing is significantly
    /// faster; and so it is where the default is none of them, it is right, and they all give another index on ties.
    pub best: Option<Summary>,
    /// The fastest one that gives another index on ties, where it is faster than `best`, which does not.
    pub faster_tie: Option<Summary>,
    /// The finals; none on a device whose times repeat exactly, and where there is nothing to compare.
    pub finals: Option<FinalsOutcome>,
    /// Rows that every kernel was verified on; all of the problem's unless it has very many.
    pub checked_rows: u64,
    /// Least time that the model gives any kernel, in microseconds.
    pub bound_us: f64,
    /// Microseconds of the compulsory bytes at the DRAM peak of the data sheet: no launch, no latency.
    pub dram_peak_us: f64,
}

/// How finals ended.
#[derive(Debug, Clone, PartialEq)]
pub enum FinalsOutcome {
    /// There is an answer.
    Held {
        /// What was measured.
        finals: Finals,
        /// The entrant that is to be taken: the finals' winner, or the first of the race where that is right and the default
        /// gives another index on ties than the one that is wanted.
        winner: Entrant,
    },
    /// A kernel that was right before is not any more, for this reason.
    Abandoned(String),
}

impl Report {
    /// How many times faster than the default the best one is; none where either is missing or has no time.
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
        }
    }
}

/// Counts, default and best of a study's trials.
#[derive(Debug)]
pub(crate) struct StudyTally {
    pub(crate) generator: Generator,
    pub(crate) ties: Ties,
    pub(crate) counts: TuneCounts,
    pub(crate) default: Option<Summary>,
    best: Option<ServableTrial>,
    /// The fastest of those that give another index on ties.
    tie: Option<ServableTrial>,
}

/// A trial that may be served.
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
            by_score.then(self.ordinal.cmp(&other.ordinal)).is_lt()
        })
    }
}

/// The end of a [`Standing`].
pub(crate) struct TallyResult {
    pub(crate) counts: TuneCounts,
    pub(crate) default: Option<Summary>,
    pub(crate) best: Option<Summary>,
    pub(crate) tie: Option<Summary>,
}

impl StudyTally {
    /// Of a study without trials.
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

    /// Takes one more trial into account. The order of the calls does not matter.
    pub(crate) fn add(&mut self, trial: &Trial) {
        self.counts.add(trial.outcome.status());
        if trial.role == Role::Default {
            self.default = Some(summary(trial));
        }
        let score = Merit::of(trial, self.generator, self.ties);
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

    /// The best so far: of the configurations, but where all of them give another index on ties and the default, which is none of them,
    /// gives the one that is wanted.
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

    /// Its time, in microseconds.
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

/// What gives another index on ties, where that makes it faster than the best, which does not.
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

    /// The best of trials with these times, whatever the order in which they come.
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

    /// Where all configurations give another index on ties, a default that is none of them and right is the best.
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
