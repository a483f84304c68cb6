//! Regressions: problems that were faster before an update of a compiler, a driver or a
//! generator.
//!
//! A comparison takes the best of two consecutive provenances on one device, if their times are
//! comparable. They have the same clock, the same way of timing and the same inputs; modelled
//! times also the same model. Numbers that the database assigns decide which is newer. A small
//! study may have found a slower best with the same kernels, so an answer says whether both
//! configurations are equal.

use std::collections::{BTreeMap, HashMap};

use answers::regressions::{Regression as Answer, Version};
use configgen::{Clock, Problem};
use store::{
    Catalogue, KnownStudy, ProblemSelection, Provenance, Readable, StoreError, StudyId, Ties,
};

use crate::ranking::{ByStudy, Ranking, RankingEntry, ranked_in};

/// A function that returns an interval of the median of samples, or `None` for too few.
pub type MedianInterval = fn(&[f64]) -> Option<(f64, f64)>;

/// A problem with a slower best than before.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The problem.
    pub problem: Problem,
    /// The former best.
    pub before: RegressionSide,
    /// The present best.
    pub after: RegressionSide,
    /// The present time as a multiple of the former.
    pub factor: f64,
    /// The interval of the factor; a point if times repeat exactly.
    pub interval: (f64, f64),
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionSide {
    /// The fastest configuration.
    pub best: RankingEntry,
    /// The provenance of its time.
    pub provenance: Provenance,
}

/// Returns the problems that became slower, the worst first. The whole interval of the factor is
/// above 1.
///
/// # Errors
///
/// Any error of reading the catalogue. The result leaves unreadable rows out.
pub async fn regressions(
    catalogue: &dyn Catalogue,
    median: MedianInterval,
) -> Result<Readable<Regression>, StoreError> {
    let studies = catalogue.studies(ProblemSelection::All, None).await?;
    let opened: HashMap<StudyId, i64> = studies.rows.iter().map(|it| (it.id, it.opened)).collect();
    let found = ranked_in(catalogue, studies, Ties::default(), 1, each_provenance).await?;
    let mut lines: BTreeMap<_, Vec<(i64, Ranking)>> = BTreeMap::new();
    for (study, ranking) in found.rows {
        let opened = opened.get(&study).copied().unwrap_or_default();
        let line = line(&ranking.problem, &ranking.provenance);
        lines.entry(line).or_default().push((opened, ranking));
    }
    let mut regressions = Vec::new();
    for mut line in lines.into_values() {
        // A ranking without a configuration has no time to compare.
        line.retain(|(_, ranking)| !ranking.best.is_empty());
        line.sort_by_key(|(opened, _)| *opened);
        let pairs = line.windows(2);
        regressions.extend(pairs.filter_map(|pair| compared(&pair[0].1, &pair[1].1, median)));
    }
    regressions.retain(|one| one.interval.0 > 1.0);
    regressions.sort_by(|one, other| {
        // Equal factors are in the order of their texts, so that every call lists them alike.
        let by_least = other.interval.0.total_cmp(&one.interval.0);
        by_least.then_with(|| one.problem.to_string().cmp(&other.problem.to_string()))
    });
    Ok(Readable {
        rows: regressions,
        unreadable: found.unreadable,
    })
}

/// Returns the key that comparable rankings share.
fn line(problem: &Problem, made: &Provenance) -> (String, Vec<String>) {
    let same = [
        made.target.name.to_owned(),
        made.device.clone(),
        made.part
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        made.generator.name().to_owned(),
        made.clock.name().to_owned(),
        made.timing_line(),
        match made.clock {
            Clock::Modelled => made.model.clone(),
            Clock::Measured => String::new(),
        },
    ];
    (problem.to_string(), same.to_vec())
}

/// Groups the studies of each problem by provenance, in the order of their opening.
fn each_provenance(mut studies: Vec<KnownStudy>, _: &ByStudy) -> Vec<Vec<KnownStudy>> {
    studies.sort_by_key(|study| study.opened);
    let mut groups: BTreeMap<String, Vec<Vec<KnownStudy>>> = BTreeMap::new();
    for study in studies {
        let of_problem = groups.entry(study.problem.to_string()).or_default();
        let same = |group: &&mut Vec<KnownStudy>| group[0].provenance == study.provenance;
        match of_problem.iter_mut().find(same) {
            Some(group) => group.push(study),
            None => of_problem.push(vec![study]),
        }
    }
    groups.into_values().flatten().collect()
}

/// Compares the best of two rankings; `None` if the samples are too few.
fn compared(before: &Ranking, after: &Ranking, median: MedianInterval) -> Option<Regression> {
    let (old, new) = (before.best.first()?, after.best.first()?);
    let interval = match after.provenance.clock {
        Clock::Modelled => {
            let factor = new.timing.time_us / old.timing.time_us;
            (factor, factor)
        }
        Clock::Measured => {
            let (old, new) = (
                median(&old.timing.samples_us)?,
                median(&new.timing.samples_us)?,
            );
            // The least and the largest ratio that both intervals permit.
            (new.0 / old.1, new.1 / old.0)
        }
    };
    let side = |best: &RankingEntry, ranking: &Ranking| RegressionSide {
        best: best.clone(),
        provenance: ranking.provenance.clone(),
    };
    Some(Regression {
        problem: after.problem.clone(),
        before: side(old, before),
        after: side(new, after),
        factor: new.timing.time_us / old.timing.time_us,
        interval,
    })
}

/// Converts a regression to its serialized form.
pub fn regression(found: &Regression) -> Answer {
    let made = &found.after.provenance;
    Answer {
        problem: found.problem.clone(),
        target: made.target.name,
        device: made.device.clone(),
        generator: made.generator,
        clock: made.clock,
        factor: found.factor,
        low: found.interval.0,
        high: found.interval.1,
        same_configuration: found.before.best.configuration == found.after.best.configuration,
        before: version(&found.before),
        after: version(&found.after),
    }
}

fn version(side: &RegressionSide) -> Version {
    let made = &side.provenance;
    Version {
        driver: made.driver_line(),
        compiler: made.compiler.clone(),
        compiler_version: made.compiler_line(),
        generator_version: made.generator_line(),
        time_us: side.best.timing.time_us,
        samples: side.best.timing.samples_us.len(),
        configuration: side.best.configuration.clone(),
        when: answers::time(side.best.trial.ended),
    }
}
