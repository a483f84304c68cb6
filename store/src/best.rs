//! Rankings: which configurations are the fastest, kept apart by everything that makes times incomparable.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use configgen::{Configuration, Generator, Problem, Target};

use crate::row::{StudyRow, TrialRow};
use crate::{Clock, Provenance, Status, StoreError, Timing, Trial};

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
    /// The fastest configurations, fastest first, each once; at least one. Where finals decided, what they decided for is
    /// before all others: a search's times are not taken in turn. Of a configuration that was tried several
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

/// Rankings of what the database holds of `studies`: `fastest` are the fastest trials of each that may be served,
/// `defaults` their default trials, `winners` those that finals decided for, the latest last.
pub(crate) fn rank(
    path: &Path,
    studies: Vec<StudyRow>,
    fastest: Vec<TrialRow>,
    defaults: Vec<TrialRow>,
    winners: Vec<TrialRow>,
    depth: usize,
) -> Result<Vec<Ranking>, StoreError> {
    let mut fastest = by_study(fastest);
    let mut defaults = by_study(defaults);
    let mut winners = by_study(winners);
    let mut rankings = Vec::new();
    for group in newest_provenance(studies, &fastest) {
        let Some(newest) = group.last() else { continue };
        let key = newest.key(path)?;
        let default = take(&mut defaults, &group, path)?;
        rankings.push(Ranking {
            problem: key.problem,
            target: key.target,
            device: key.device,
            generator: key.generator,
            clock: key.clock,
            provenance: newest.provenance(),
            bound_us: newest.bound_us,
            default: default.into_iter().max_by_key(|trial| trial.ended),
            best: ranked(
                take(&mut fastest, &group, path)?,
                take(&mut winners, &group, path)?.pop(),
                depth,
            ),
        });
    }
    rankings.sort_by(in_order);
    Ok(rankings)
}

fn by_study(rows: Vec<TrialRow>) -> HashMap<i64, Vec<TrialRow>> {
    let mut by_study: HashMap<i64, Vec<TrialRow>> = HashMap::new();
    for row in rows {
        by_study.entry(row.study_id).or_default().push(row);
    }
    by_study
}

/// The trials of a group of studies.
fn take(
    rows: &mut HashMap<i64, Vec<TrialRow>>,
    group: &[StudyRow],
    path: &Path,
) -> Result<Vec<Trial>, StoreError> {
    let rows = group.iter().filter_map(|study| rows.remove(&study.id));
    rows.flatten().map(|row| row.trial(path)).collect()
}

/// The studies that have something to serve, grouped into rankings; of each group those with the provenance of the one
/// that was opened last, which is the last of them.
fn newest_provenance(
    mut studies: Vec<StudyRow>,
    served: &HashMap<i64, Vec<TrialRow>>,
) -> Vec<Vec<StudyRow>> {
    studies.retain(|study| served.contains_key(&study.id));
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
    let newest = groups.into_values().map(|mut group| {
        if let Some(newest) = group.last().map(StudyRow::provenance) {
            group.retain(|study| study.provenance() == newest);
        }
        group
    });
    newest.collect()
}

/// The winner of finals, and the fastest, `depth` in all; equally fast ones in the order in which the study came to them.
fn ranked(trials: Vec<Trial>, winner: Option<Trial>, depth: usize) -> Vec<Ranked> {
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
    ranked.truncate(depth);
    ranked
}

fn in_order(a: &Ranking, b: &Ranking) -> Ordering {
    let place = |ranking: &Ranking| (ranking.clock, ranking.problem.clone(), ranking.target.name);
    let time = |ranking: &Ranking| {
        ranking
            .best
            .first()
            .map_or(f64::INFINITY, |r| r.timing.time_us)
    };
    place(a).cmp(&place(b)).then(time(a).total_cmp(&time(b)))
}
