//! Rankings: which configurations are the fastest, kept apart by everything that makes times incomparable.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use configgen::{Configuration, Generator, Problem, Target};

use crate::row::{StudyRow, TrialRow};
use crate::{Clock, Provenance, Status, Ties, Timing, Trial, Unreadable};

/// The fastest configurations of one problem on one device, by one generator and one clock, all of one provenance.
///
/// Where there are numbers of several provenances, those of the study that was opened last count: a time that an older
/// compiler or driver gave is history once the newer one has been tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
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
    /// What else made the numbers.
    pub provenance: Provenance,
    /// Least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// The untuned configuration, whatever its verdict; none where no study has come to it yet.
    pub default: Option<Trial>,
    /// The fastest configurations, fastest first, each once; at least one. Those that give another index on ties are behind
    /// all others, unless any index will do ([`Ties`]). Where finals decided, what they decided for is
    /// before all others of its verdict: a search's times are not taken in turn. Of a configuration that was tried several
    /// times, its latest trial counts: its fastest would reward noise.
    pub best: Vec<Ranked>,
}

/// A place in a [`Ranking`]: a trial that [may be served](Status::is_served), and what only such a trial has for certain.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its configuration.
    pub configuration: Configuration,
    /// Its timing.
    pub timing: Timing,
    /// The trial.
    pub trial: Trial,
}

impl Ranking {
    /// The untuned configuration's time in microseconds; none where it is not there or not right.
    pub fn default_time_us(&self) -> Option<f64> {
        let trial = self.default.as_ref()?;
        let served = trial.outcome.status().is_served(self.generator);
        let timing = trial.outcome.timing().filter(|_| served)?;
        Some(timing.time_us)
    }

    /// How many times faster than the untuned configuration the fastest one is.
    pub fn speedup(&self) -> Option<f64> {
        Some(self.default_time_us()? / self.best.first()?.timing.time_us)
    }

    /// Which of two rankings of one problem and target is taken first: one whose best is right before one whose best gives
    /// another index on ties, unless any index will do; then measured before modelled, then the one with the fastest.
    pub fn is_taken_before(&self, other: &Ranking, ties: Ties) -> Ordering {
        let place = |it: &Ranking| {
            let best = it.best.first();
            let is_behind = best.is_some_and(|it| ties.puts_behind(it.trial.outcome.status()));
            let time_us = best.map_or(f64::INFINITY, |it| it.timing.time_us);
            ((is_behind, it.clock), time_us)
        };
        let (one, other) = (place(self), place(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    }
}

/// How many trials a problem has, up to a limit: what is known of it where there is no ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// The verdict that is counted.
    pub status: Status,
    /// Trials with this verdict; from [`Coverage::COUNTED`] on there may be more.
    pub trials: u64,
}

impl Coverage {
    /// Trials of a study with one verdict that are counted at most.
    pub const COUNTED: u64 = 1000;
}

/// Trials by the study that they are of.
pub(crate) type ByStudy = HashMap<i64, Vec<Trial>>;

/// The trials of these rows that can be read.
pub(crate) fn by_study(rows: Vec<TrialRow>, unreadable: &mut Unreadable) -> ByStudy {
    let mut by_study = ByStudy::new();
    for row in rows {
        let study = row.study_id;
        if let Some(trial) = unreadable.note(row.trial()) {
            by_study.entry(study).or_default().push(trial);
        }
    }
    by_study
}

/// The fastest trials of some studies.
pub(crate) struct Fastest {
    trials: ByStudy,
    /// Of each study the rows that were read, whether they could be or not.
    rows: HashMap<i64, usize>,
    unreadable: Unreadable,
}

impl Fastest {
    pub(crate) fn read(rows: Vec<TrialRow>) -> Fastest {
        let mut counts = HashMap::new();
        for row in &rows {
            *counts.entry(row.study_id).or_default() += 1;
        }
        let mut unreadable = Unreadable::default();
        Fastest {
            trials: by_study(rows, &mut unreadable),
            rows: counts,
            unreadable,
        }
    }

    /// Whether rows that cannot be read take places of others: a study has fewer than `depth` trials among its `limit`
    /// fastest rows, and may have more rows.
    pub(crate) fn hides_others(&self, limit: u32, depth: u32) -> bool {
        self.rows.iter().any(|(study, &rows)| {
            let read = self.trials.get(study).map_or(0, Vec::len);
            read < depth as usize && rows >= limit as usize
        })
    }

    /// The trials of both.
    pub(crate) fn join(mut self, other: Fastest, unreadable: &mut Unreadable) -> ByStudy {
        for (study, trials) in other.trials {
            self.trials.entry(study).or_default().extend(trials);
        }
        unreadable.join(self.unreadable);
        unreadable.join(other.unreadable);
        self.trials
    }
}

/// What the database holds of some studies.
pub(crate) struct Known {
    /// The fastest trials of each that may be served.
    pub(crate) fastest: ByStudy,
    /// Their default trials.
    pub(crate) defaults: ByStudy,
    /// The generators that a row may name.
    pub(crate) generators: &'static [Generator],
    /// The trials that finals decided for, each with its study, the latest last.
    pub(crate) winners: Vec<(i64, Trial)>,
}

/// Rankings of what is known of `studies`, in no order; studies that cannot be read are noted.
pub(crate) fn rank(
    studies: Vec<StudyRow>,
    mut known: Known,
    ties: Ties,
    depth: usize,
    unreadable: &mut Unreadable,
) -> Vec<Ranking> {
    let mut rankings = Vec::new();
    for group in newest_provenance(studies, &known.fastest) {
        let Some(newest) = group.last() else { continue };
        let Some(key) = unreadable.note(newest.key(known.generators)) else {
            continue;
        };
        let default = take(&mut known.defaults, &group);
        let winner = take_last(&mut known.winners, &group);
        rankings.push(Ranking {
            problem: key.problem,
            target: key.target,
            device: key.device,
            generator: key.generator,
            clock: key.clock,
            provenance: newest.provenance(),
            bound_us: newest.bound_us,
            default: default.into_iter().max_by_key(|trial| trial.ended),
            best: ranked(take(&mut known.fastest, &group), winner, ties, depth),
        });
    }
    rankings
}

/// The trials of a group of studies.
fn take(trials: &mut ByStudy, group: &[StudyRow]) -> Vec<Trial> {
    let trials = group.iter().filter_map(|study| trials.remove(&study.id));
    trials.flatten().collect()
}

/// The last trial of a group of studies, whichever of them it is of.
fn take_last(trials: &mut Vec<(i64, Trial)>, group: &[StudyRow]) -> Option<Trial> {
    let is_of_group = |study: i64| group.iter().any(|one| one.id == study);
    let place = trials.iter().rposition(|(study, _)| is_of_group(*study))?;
    Some(trials.remove(place).1)
}

/// The studies grouped into rankings, where they have something to serve; of each group those with the provenance of the one
/// that has and was opened last.
fn newest_provenance(mut studies: Vec<StudyRow>, served: &ByStudy) -> Vec<Vec<StudyRow>> {
    studies.sort_by_key(|study| (study.opened_ms, study.id));
    let mut groups: BTreeMap<[String; 5], Vec<StudyRow>> = BTreeMap::new();
    for study in studies {
        let key = [
            &study.problem,
            &study.target,
            &study.device,
            &study.generator,
            &study.clock,
        ];
        groups
            .entry(key.map(String::clone))
            .or_default()
            .push(study);
    }
    let newest = groups.into_values().filter_map(|mut group| {
        let is_served = |study: &&StudyRow| served.contains_key(&study.id);
        let newest = group.iter().rfind(is_served)?.provenance();
        // Also those with nothing to serve: their defaults were tried.
        group.retain(|study| study.provenance() == newest);
        Some(group)
    });
    newest.collect()
}

/// The fastest, `depth` in all: first those that are not put behind, and of these the winner of finals; equally fast ones
/// in the order in which the study came to them.
fn ranked(trials: Vec<Trial>, winner: Option<Trial>, ties: Ties, depth: usize) -> Vec<Ranked> {
    let place = |trial: Trial| {
        let configuration = trial.configuration.clone()?;
        let timing = trial.outcome.timing()?.clone();
        Some(Ranked {
            configuration,
            timing,
            trial,
        })
    };
    let mut ranked: Vec<Ranked> = trials.into_iter().filter_map(place).collect();
    ranked.sort_by(|a, b| {
        let by_time = a.timing.time_us.total_cmp(&b.timing.time_us);
        by_time.then(a.trial.ordinal.cmp(&b.trial.ordinal))
    });
    if let Some(winner) = winner.and_then(place) {
        ranked.retain(|other| other.configuration != winner.configuration);
        ranked.insert(0, winner);
    }
    // Stable: within each verdict the order stays.
    ranked.sort_by_key(|it| ties.puts_behind(it.trial.outcome.status()));
    ranked.truncate(depth);
    ranked
}
