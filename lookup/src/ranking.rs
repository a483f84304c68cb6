//! Rankings: which configurations are the fastest, kept apart by everything that makes times incomparable.

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
/// Where a problem has numbers of one device, generator and clock with several provenances, those of the study that was
/// opened last count: a time that an older compiler or driver gave is history once the newer one has been tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What is computed.
    pub problem: Problem,
    /// What made the numbers.
    pub provenance: Provenance,
    /// Least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// The untuned configuration, whatever its verdict; none where no study has come to it yet.
    pub default: Option<Trial>,
    /// The fastest configurations, fastest first, each once; at least one. Those that give another index on ties are behind
    /// all others, unless any index will do ([`Ties`]). Where finals decided, what they decided for is
    /// before all others of its verdict: a search's times are not taken in turn. Of a configuration that was tried several
    /// times, its latest trial counts: its fastest would reward noise.
    pub best: Vec<RankingEntry>,
}

/// A place in a [`Ranking`]: a trial that [may be served](is_served), and what only such a trial has for certain.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingEntry {
    /// The study that it is of.
    pub study: StudyId,
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
        let served = is_served(trial.outcome.status(), self.provenance.generator);
        let timing = trial.outcome.timing().filter(|_| served)?;
        Some(timing.time_us)
    }

    /// How many times faster than the untuned configuration the fastest one is.
    pub fn speedup(&self) -> Option<f64> {
        Some(self.default_time_us()? / self.best.first()?.timing.time_us)
    }

    /// Whether what the generator does unasked, which no configuration says, gives the index that is wanted, and all configurations
    /// that are known another one: then none of them is to be used.
    pub fn is_best_unasked(&self, ties: Ties) -> bool {
        let best = self.best.first().map(|it| it.trial.outcome.status());
        let default = self.default.as_ref();
        best.is_some_and(|status| is_behind(status, ties))
            && default.is_some_and(|it| {
                it.configuration.is_none() && it.outcome.status() == Status::Right
            })
    }

    /// Which of two rankings of one problem and target is taken first: one whose best is right before one whose best gives
    /// another index on ties, unless any index will do; then measured before modelled, then the one with the fastest.
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

/// The rankings of a problem, on one target or on all, each with at most `depth` configurations, in the order of
/// [`Ranking::is_taken_before`]. Empty where no trial may be served.
///
/// # Errors
///
/// What reading the catalogue returns. Rows that cannot be read are left out.
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

/// The rankings of everything, each with at most `depth` configurations: measured before modelled, then by problem
/// and target, then in the order of [`Ranking::is_taken_before`].
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

/// What each of these studies has found by itself, with at most `depth` configurations: none where no trial may be served.
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

/// Trials by the study that they are of.
pub(crate) type ByStudy = HashMap<StudyId, Vec<KnownTrial>>;

/// The rankings of what is known of `studies`, in no order.
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

/// The rankings of studies in these groups, each with the last study of its group.
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
    let defaults = catalogue.defaults(&all).await?;
    unreadable.join(defaults.unreadable);
    let finals = catalogue.finals(&all).await?;
    unreadable.join(finals.unreadable);
    let mut rankings = Vec::new();
    for group in groups(studies, &fastest) {
        let Some(newest) = group.last() else { continue };
        let is_of_group = |id: StudyId| group.iter().any(|study| study.id == id);
        let default = defaults.rows.iter().filter(|it| is_of_group(it.study));
        let default = default.max_by_key(|it| it.recorded);
        let mut finals = finals.rows.iter().filter(|it| is_of_group(it.study));
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

/// Of each of these studies the `depth` fastest trials with this verdict. Out is one whose configuration has a later trial:
/// one whose latest trial was wrong is not served.
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
        for study in &of {
            served.remove(study);
        }
        for known in read.trials.into_iter().filter(|known| !known.has_later) {
            served.entry(known.study).or_default().push(known);
        }
        unreadable.join(read.unreadable);
        // What is out, or cannot be read, took places of others.
        let places = |study: &StudyId| served.get(study).map_or(0, Vec::len);
        of = read.more;
        of.retain(|study| places(study) < depth as usize);
        limit = limit.saturating_mul(8);
    }
    Ok(served)
}

/// Whether finals of a study decide what is best: the study has had no trial since, and the winner's configuration no later
/// one. Finals among all decide among the right ones, too, where a right one won.
fn decide(held: &KnownFinals, study: &KnownStudy, ties: Ties) -> bool {
    let status = held.winner.trial.outcome.status();
    let generator = study.provenance.generator;
    let same_race = held.finals.ties == ties
        || !is_served(Status::Tie, generator)
        || (ties == Ties::Fold && status == Status::Right);
    !held.went_on && !held.winner.has_later && is_served(status, generator) && same_race
}

/// The studies grouped into rankings, where they have something to serve; of each group those with the provenance of the one
/// that has and was opened last.
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
        // Also those with nothing to serve: their defaults were tried.
        group.retain(|study| study.provenance == newest);
        Some(group)
    });
    newest.collect()
}

/// The fastest, `depth` in all: first those that are not put behind, and of these the winner of finals; equally fast ones
/// in the order in which the study came to them.
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
