//! Rankings: the fastest configurations, separated by everything that makes times incomparable.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::slice;

use configgen::{Configuration, Problem, Target};
use store::{
    Catalogue, KnownFinals, KnownStudy, KnownTrial, ProblemSelection, Provenance, Readable, Status,
    StoreError, StudyId, Ties, Timing, Trial, Unreadable,
};

use crate::merit::{is_behind, is_served};

/// The fastest configurations of one problem, all of one provenance.
///
/// A problem may have trials of one device, generator and clock with several provenances. Then
/// the provenance of the study that was opened last counts: times of an older compiler or driver
/// are history.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The problem.
    pub problem: Problem,
    /// The provenance of the numbers.
    pub provenance: Provenance,
    /// The least time in microseconds that any kernel needs; none if the device has no published
    /// figures.
    pub bound_us: Option<f64>,
    /// The trial of the untuned configuration, with any verdict; none if no study has tried it
    /// yet.
    pub default: Option<Trial>,
    /// The fastest configurations, fastest first, each once. Empty only in a ranking of
    /// [`of_studies`].
    ///
    /// Those with another tie-break rank behind all others, unless any index is acceptable
    /// ([`Ties`]). The winner of finals ranks before all others of its verdict, because finals
    /// measure alternately and a search does not. If a configuration was tried several times, its
    /// latest trial counts: the fastest would reward noise.
    pub best: Vec<RankingEntry>,
}

/// An entry of a [`Ranking`]: a trial that [may be served](is_served), with the fields that only
/// such a trial has for certain.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingEntry {
    /// The study of the trial.
    pub study: StudyId,
    /// The configuration.
    pub configuration: Configuration,
    /// The timing.
    pub timing: Timing,
    /// The trial.
    pub trial: Trial,
}

impl Ranking {
    /// Returns the untuned configuration's time in microseconds; `None` if it was not tried or
    /// may not be served.
    pub fn default_time_us(&self) -> Option<f64> {
        let trial = self.default.as_ref()?;
        let served = is_served(trial.outcome.status(), self.provenance.generator);
        let timing = trial.outcome.timing().filter(|_| served)?;
        Some(timing.time_us)
    }

    /// Returns the speedup of the fastest configuration against the untuned one, as a ratio of
    /// their times.
    pub fn speedup(&self) -> Option<f64> {
        Some(self.default_time_us()? / self.best.first()?.timing.time_us)
    }

    /// Returns whether only the generator's default, which no configuration describes, has the
    /// requested tie-break. Then none of the configurations may be used.
    pub fn is_best_unasked(&self, ties: Ties) -> bool {
        let best = self.best.first().map(|it| it.trial.outcome.status());
        let default = self.default.as_ref();
        best.is_some_and(|status| is_behind(status, ties))
            && default.is_some_and(|it| {
                it.configuration.is_none() && it.outcome.status() == Status::Right
            })
    }

    /// Compares two rankings of one problem and target; the preferred is less.
    ///
    /// A ranking with a correct best precedes one with another tie-break, unless any index is
    /// acceptable. Then measured precedes modelled, and then the faster best precedes.
    pub fn compare_rankings(&self, other: &Ranking, ties: Ties) -> Ordering {
        let place = |it: &Ranking| {
            let best = it.best.first();
            let behind = best.is_some_and(|it| is_behind(it.trial.outcome.status(), ties));
            let time_us = best.map_or(f64::INFINITY, |it| it.timing.time_us);
            ((behind, it.provenance.clock), time_us)
        };
        let (one, other) = (place(self), place(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    }
}

/// Returns the rankings of a problem, on one target or on all, each with at most `depth`
/// configurations, in the order of [`Ranking::compare_rankings`]. Returns none if no trial may be
/// served.
///
/// # Errors
///
/// Any error of reading the catalogue. The result leaves unreadable rows out.
pub async fn rankings(
    catalogue: &dyn Catalogue,
    problem: &Problem,
    target: Option<&Target>,
    ties: Ties,
    depth: u32,
) -> Result<Readable<Ranking>, StoreError> {
    let studies = catalogue
        .studies(ProblemSelection::These(slice::from_ref(problem)), target)
        .await?;
    let mut found = rank(catalogue, studies, ties, depth).await?;
    (found.rows).sort_by(|one, other| one.compare_rankings(other, ties));
    Ok(found)
}

/// Returns the rankings of all problems, each with at most `depth` configurations. Measured ones
/// precede modelled ones; then they are in the order of problem, target and
/// [`Ranking::compare_rankings`].
///
/// # Errors
///
/// As [`rankings`].
pub async fn all_rankings(
    catalogue: &dyn Catalogue,
    ties: Ties,
    depth: u32,
) -> Result<Readable<Ranking>, StoreError> {
    let studies = catalogue.studies(ProblemSelection::All, None).await?;
    let mut found = rank(catalogue, studies, ties, depth).await?;
    found.rows.sort_by(|one, other| {
        let place = |it: &Ranking| {
            let made = &it.provenance;
            (made.clock, it.problem.clone(), made.target.name)
        };
        (place(one).cmp(&place(other))).then_with(|| one.compare_rankings(other, ties))
    });
    Ok(found)
}

/// Returns the ranking of each of these studies alone, with at most `depth` configurations. A
/// ranking is empty if no trial of the study may be served.
///
/// # Errors
///
/// As [`rankings`].
pub async fn of_studies(
    catalogue: &dyn Catalogue,
    studies: &[KnownStudy],
    ties: Ties,
    depth: u32,
) -> Result<Readable<(StudyId, Ranking)>, StoreError> {
    let studies = Readable {
        rows: studies.to_vec(),
        unreadable: Unreadable::default(),
    };
    let alone = |studies: Vec<KnownStudy>, _: &ByStudy| {
        let studies = studies.into_iter();
        studies.map(|study| vec![study]).collect()
    };
    ranked_in(catalogue, studies, ties, depth, alone).await
}

/// The trials by study.
pub(crate) type ByStudy = HashMap<StudyId, Vec<KnownTrial>>;

/// Returns the rankings of `studies`, in no order.
pub(crate) async fn rank(
    catalogue: &dyn Catalogue,
    studies: Readable<KnownStudy>,
    ties: Ties,
    depth: u32,
) -> Result<Readable<Ranking>, StoreError> {
    let found = ranked_in(catalogue, studies, ties, depth, newest_provenance).await?;
    let rows = found.rows.into_iter();
    Ok(Readable {
        rows: rows.map(|(_, ranking)| ranking).collect(),
        unreadable: found.unreadable,
    })
}

/// Returns the rankings of these groups of studies, each with the last study of its group.
pub(crate) async fn ranked_in(
    catalogue: &dyn Catalogue,
    studies: Readable<KnownStudy>,
    ties: Ties,
    depth: u32,
    groups: impl FnOnce(Vec<KnownStudy>, &ByStudy) -> Vec<Vec<KnownStudy>>,
) -> Result<Readable<(StudyId, Ranking)>, StoreError> {
    let Readable {
        rows: studies,
        mut unreadable,
    } = studies;
    if studies.is_empty() {
        return Ok(Readable {
            rows: Vec::new(),
            unreadable,
        });
    }
    let mut fastest = ByStudy::new();
    // A generator decides which verdicts it may serve, so each verdict has a query of its own.
    for status in Status::ALL {
        let served = studies.iter();
        let served = served.filter(|study| is_served(status, study.provenance.generator));
        let served: Vec<StudyId> = served.map(|study| study.id).collect();
        let found = fastest_served(catalogue, served, status, depth, &mut unreadable).await?;
        for (study, trials) in found {
            fastest.entry(study).or_default().extend(trials);
        }
    }
    let all: Vec<StudyId> = studies.iter().map(|study| study.id).collect();
    // Studies without a configuration to serve may still have a time of the default.
    let defaults = catalogue.defaults(&all).await?;
    unreadable.join(defaults.unreadable);
    let finals = catalogue.finals(&all).await?;
    unreadable.join(finals.unreadable);
    let mut rankings = Vec::new();
    for group in groups(studies, &fastest) {
        let Some(newest) = group.last() else { continue };
        let is_of_group = |id: StudyId| group.iter().any(|study| study.id == id);
        let default = defaults.rows.iter().filter(|it| is_of_group(it.study));
        // The latest trial counts, as it does for configurations.
        let default = default.max_by_key(|it| it.recorded);
        let mut finals = finals.rows.iter().filter(|it| is_of_group(it.study));
        // Finals come latest last.
        let winner = finals.rfind(|it| decide(it, newest, ties));
        let known = group.iter().filter_map(|study| fastest.remove(&study.id));
        let winner = winner.map(|finals| finals.winner.clone());
        let ranking = Ranking {
            best: ranked(known.flatten().collect(), winner, ties, depth as usize),
            default: default.map(|known| known.trial.clone()),
            bound_us: newest.bound_us,
            problem: newest.problem.clone(),
            provenance: newest.provenance.clone(),
        };
        rankings.push((newest.id, ranking));
    }
    Ok(Readable {
        rows: rankings,
        unreadable,
    })
}

/// Returns the `depth` fastest trials of each study with this verdict. Excludes a trial if its
/// configuration has a later one, because the later may be incorrect.
async fn fastest_served(
    catalogue: &dyn Catalogue,
    mut of: Vec<StudyId>,
    status: Status,
    depth: u32,
    unreadable: &mut Unreadable,
) -> Result<ByStudy, StoreError> {
    let mut served = ByStudy::new();
    let mut limit = depth;
    while !of.is_empty() {
        let read = catalogue.fastest(&of, status, limit).await?;
        // The new reading, with a larger limit, contains the trials of the old one.
        for study in &of {
            served.remove(study);
        }
        for known in read.trials.into_iter().filter(|known| !known.has_later) {
            served.entry(known.study).or_default().push(known);
        }
        unreadable.join(read.unreadable);
        // Excluded and unreadable trials used up places of the limit.
        let places = |study: &StudyId| served.get(study).map_or(0, Vec::len);
        of = read.more;
        of.retain(|study| places(study) < depth as usize);
        // A large factor keeps the number of queries small, even if many trials have a later one.
        limit = limit.saturating_mul(8);
    }
    Ok(served)
}

/// Returns whether the finals of a study decide the ranking: the study has no more trials, and
/// the winner's configuration no later one. Finals for any index also decide among correct
/// trials, if a correct one won.
fn decide(held: &KnownFinals, study: &KnownStudy, ties: Ties) -> bool {
    let status = held.winner.trial.outcome.status();
    let generator = study.provenance.generator;
    let same_race = held.finals.ties == ties
        || !is_served(Status::Tie, generator)
        || (ties == Ties::Fold && status == Status::Right);
    !held.went_on && !held.winner.has_later && is_served(status, generator) && same_race
}

/// Groups the studies that have a trial to serve into rankings. Each group keeps the provenance
/// of its last opened study with such a trial.
fn newest_provenance(mut studies: Vec<KnownStudy>, served: &ByStudy) -> Vec<Vec<KnownStudy>> {
    studies.sort_by_key(|study| study.opened);
    let mut groups: BTreeMap<_, Vec<KnownStudy>> = BTreeMap::new();
    for study in studies {
        let made = &study.provenance;
        let key = (
            study.problem.to_string(),
            made.target.name,
            made.device.clone(),
            made.generator.name(),
            made.clock,
        );
        groups.entry(key).or_default().push(study);
    }
    let newest = groups.into_values().filter_map(|mut group| {
        let is_served = |study: &&KnownStudy| served.contains_key(&study.id);
        let newest = group.iter().rfind(is_served)?.provenance.clone();
        // Also those without a trial to serve, because they tried the default.
        group.retain(|study| study.provenance == newest);
        Some(group)
    });
    newest.collect()
}

/// Returns the `depth` fastest configurations: correct ones first, and among these the winner of
/// finals. Equally fast ones are in the study's order.
fn ranked(
    trials: Vec<KnownTrial>,
    winner: Option<KnownTrial>,
    ties: Ties,
    depth: usize,
) -> Vec<RankingEntry> {
    let place = |KnownTrial { study, trial, .. }: KnownTrial| {
        let configuration = trial.configuration.clone()?;
        let timing = trial.outcome.timing()?.clone();
        Some(RankingEntry {
            study,
            configuration,
            timing,
            trial,
        })
    };
    let mut ranked: Vec<RankingEntry> = trials.into_iter().filter_map(place).collect();
    ranked.sort_by(|a, b| {
        let by_time = a.timing.time_us.total_cmp(&b.timing.time_us);
        by_time.then(a.trial.ordinal.cmp(&b.trial.ordinal))
    });
    if let Some(winner) = winner.and_then(place) {
        ranked.retain(|other| other.configuration != winner.configuration);
        ranked.insert(0, winner);
    }
    // Stable: within each verdict the order stays.
    ranked.sort_by_key(|it| is_behind(it.trial.outcome.status(), ties));
    ranked.truncate(depth);
    ranked
}
