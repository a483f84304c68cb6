//! Regressions: what was faster before a compiler, a driver or a generator was replaced by a newer one.
//!
//! Compared are the best of two provenances that follow each other on one device, whose times mean the same: of one clock, and
//! where that is modelled of one model, taken in the same way from the same inputs. Which is the newer one goes by the numbers that
//! the database gives out. A study that tried little may have found a slower best with the same kernels: an answer says
//! whether both are the same configuration.

use std::collections::{BTreeMap, HashMap};

use answers::regressions::{Regression as Answer, Version};
use configgen::{Clock, Problem};
use store::{
    Catalogue, KnownStudy, ProblemSelection, Provenance, Readable, StoreError, StudyId, Ties,
};

use crate::ranking::{ByStudy, Ranking, RankingEntry, ranked_in};

/// An interval of the median of which these are samples; none where they are too few.
pub type MedianInterval = fn(&[f64]) -> Option<(f64, f64)>;

/// A problem whose best became slower.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// What is computed.
    pub problem: Problem,
    /// What was the best, and what made its number.
    pub before: RegressionSide,
    /// What is the best since.
    pub after: RegressionSide,
    /// How many times as long it takes now.
    pub factor: f64,
    /// Interval of the factor: a point where times repeat exactly.
    pub interval: (f64, f64),
}

/// One of the two that are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionSide {
    /// The fastest configuration.
    pub best: RankingEntry,
    /// What made its number.
    pub provenance: Provenance,
}

/// All problems that became slower, the worst first: those whose factor is above 1, whatever of its interval is true.
///
/// # Errors
///
/// What reading the catalogue returns. Rows that cannot be read are left out.
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
        // One with nothing to serve is no time.
        line.retain(|(_, ranking)| !ranking.best.is_empty());
        line.sort_by_key(|(opened, _)| *opened);
        let pairs = line.windows(2);
        regressions.extend(pairs.filter_map(|pair| compared(&pair[0].1, &pair[1].1, median)));
    }
    regressions.retain(|one| one.interval.0 > 1.0);
    regressions.sort_by(|one, other| {
        let by_least = other.interval.0.total_cmp(&one.interval.0);
        by_least.then_with(|| one.problem.to_string().cmp(&other.problem.to_string()))
    });
    Ok(Readable {
        rows: regressions,
        unreadable: found.unreadable,
    })
}

/// What all have that are compared with each other.
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

/// The studies of each problem grouped by their provenance, in each group those that were opened last at the end.
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

/// How the best of two compare; none where too few samples were taken to say.
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

/// A regression, for programs.
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
