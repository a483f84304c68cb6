//! Ranges: for shapes between tuned ones, the configurations of these, each tried on samples before a spec has it.
//!
//! Of problems that differ in their sizes alone, each and the next in the order of their shapes bound a range; of a grid of
//! shapes these ranges leave nothing out between the least and the largest. Both give it configurations, those that are best by
//! themselves first. A range is written if each of its samples is right, and if none before it has all of its shapes.
//!
//! Nothing is tried here: who has a device asks for the [next](Ranges::next) sample, and [tells](Ranges::tell) what came of it.

use std::collections::{BTreeMap, BTreeSet};

use configgen::{Configuration, Generator, Pipeline, Problem, Range};
use store::{
    ANOTHER_INDEX, Catalogue, KnownStudy, ProblemSelection, Provenance, Status, StoreError,
};

use super::choice::{Choice, provenance_text};
use super::versions::only_compiler;
use super::{ExportError, SpecSelection, best_of_each, is_reached, unsplit_fallback};
use crate::merit::{Merit, is_served};
use crate::neighbour::family;
use crate::ranking::{Ranking, all_rankings};

/// Configurations of a tuned problem that are planned for a range, at most.
const PER_PROBLEM: usize = 4;

/// Ranges that a spec may have, in the order in which it would have them.
#[derive(Debug, Default)]
pub struct Ranges(Vec<RangePlan>);

/// A configuration for a range, and what is known of it there.
#[derive(Debug)]
struct RangePlan {
    range: Range,
    configuration: Configuration,
    /// What made its time, and what makes the verdicts on its samples.
    made: Provenance,
    /// Where it comes from, for people.
    said: String,
    samples: Vec<Sample>,
}

#[derive(Debug)]
struct Sample {
    problem: Problem,
    /// None where it was not tried.
    status: Option<Status>,
}

/// A sample that is to be tried.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSample {
    /// The problem.
    pub problem: Problem,
    /// What it is tried with.
    pub configuration: Configuration,
    /// The device of which the configuration's time is.
    pub device: String,
}

/// A range that is written.
#[derive(Debug)]
pub(super) struct RangeEntry<'a> {
    pub(super) range: &'a Range,
    pub(super) pipeline: Pipeline,
    pub(super) provenance: String,
}

/// The ranges between what is wanted. Samples that were tried, with all else as it was, have their verdicts.
///
/// # Errors
///
/// See [`ExportError`]. That there is none is no error.
pub async fn ranges(
    catalogue: &dyn Catalogue,
    wanted: &SpecSelection<'_>,
) -> Result<Ranges, ExportError> {
    let mut rankings = all_rankings(catalogue, wanted.ties, unsplit_fallback::DEPTH)
        .await?
        .rows;
    rankings.retain(|ranking| {
        wanted.means(ranking) && wanted.takes(ranking) && is_reached(&ranking.problem)
    });
    only_compiler(&rankings, wanted)?;
    let best = best_of_each(&rankings, wanted.ties);
    // What iree-compile does there unasked is better, and stays.
    let left_out = best
        .iter()
        .filter(|it| Choice::of(it, wanted.ties).is_none());
    let left_out: Vec<&Problem> = left_out.map(|ranking| &ranking.problem).collect();
    let mut families: BTreeMap<String, Vec<&Ranking>> = BTreeMap::new();
    for &ranking in &best {
        // Within a family the order of problems is that of their shapes.
        families
            .entry(family(&ranking.problem))
            .or_default()
            .push(ranking);
    }
    let mut ranges = Ranges::default();
    for pair in families.values().flat_map(|family| family.windows(2)) {
        let [one, other] = pair else { continue };
        let mut planned: Vec<(usize, RangePlan)> = Vec::new();
        for (ranking, far) in [(one, other), (other, one)] {
            planned.extend(plans(ranking, &far.problem, wanted).enumerate());
        }
        // Stable: of two of one place the lesser problem's goes first.
        planned.sort_by_key(|(place, _)| *place);
        let planned = planned.into_iter().map(|(_, planned)| planned);
        let planned = planned.filter(|it| !left_out.iter().any(|problem| it.range.has(problem)));
        ranges.0.extend(planned);
    }
    remember(catalogue, wanted, &mut ranges).await?;
    Ok(ranges)
}

/// The best configurations of a ranking, each for its shapes as far as another problem's.
fn plans<'a>(
    ranking: &'a Ranking,
    far: &'a Problem,
    wanted: &'a SpecSelection<'_>,
) -> impl Iterator<Item = RangePlan> + 'a {
    let generator = Generator::IREE;
    let merit = move |trial| Merit::of(trial, generator, wanted.ties);
    let unasked = ranking.default.as_ref().and_then(merit);
    let better = ranking.best.iter().filter(move |ranked| {
        let merit = merit(&ranked.trial);
        let gains = |merit: Merit| unasked.is_none_or(|it| merit.compare(&it).is_lt());
        ranked.configuration.knobs.split == 1 && merit.is_some_and(gains)
    });
    let planned = better.filter_map(move |ranked| {
        let (problem, configuration) = (&ranking.problem, &ranked.configuration);
        // What is legal may have been less when it was tuned.
        let range = Range::between(problem, far, wanted.target, configuration).ok()??;
        let samples = range.samples().into_iter().map(|problem| Sample {
            problem,
            status: None,
        });
        Some(RangePlan {
            samples: samples.collect(),
            configuration: configuration.clone(),
            made: ranking.provenance.clone(),
            said: format!("as {problem}: {}", provenance_text(ranking, ranked)),
            range,
        })
    });
    planned.take(PER_PROBLEM)
}

/// Gives samples that were tried their verdicts.
async fn remember(
    catalogue: &dyn Catalogue,
    wanted: &SpecSelection<'_>,
    ranges: &mut Ranges,
) -> Result<(), StoreError> {
    let samples = ranges.0.iter().flat_map(|planned| &planned.samples);
    let problems: BTreeSet<Problem> = samples.map(|sample| sample.problem.clone()).collect();
    let problems: Vec<Problem> = problems.into_iter().collect();
    let studies = catalogue
        .studies(ProblemSelection::These(&problems), Some(wanted.target))
        .await?;
    for planned in &mut ranges.0 {
        for sample in &mut planned.samples {
            let is_of = |study: &&KnownStudy| {
                study.problem == sample.problem && study.provenance == planned.made
            };
            let of: Vec<_> = studies.rows.iter().filter(is_of).map(|it| it.id).collect();
            if of.is_empty() {
                continue;
            }
            let trials = catalogue.trials_with(&of, &planned.configuration).await?;
            let latest = trials.rows.iter().max_by_key(|known| known.recorded);
            sample.status = latest.map(|known| known.trial.outcome.status());
        }
    }
    Ok(())
}

impl Ranges {
    /// The sample that has to be tried next; none where all is decided. No other is asked for of a range of which one failed, nor of
    /// one that nothing would match.
    pub fn next(&self) -> Option<PendingSample> {
        let mut open = (self.0.iter().enumerate()).filter(|(place, _)| self.is_open(*place));
        let (_, planned) = open.next()?;
        let mut samples = planned.samples.iter();
        let sample = samples.find(|sample| sample.status.is_none())?;
        Some(PendingSample {
            problem: sample.problem.clone(),
            configuration: planned.configuration.clone(),
            device: planned.made.device.clone(),
        })
    }

    /// What came of a sample: the verdict of its trial.
    pub fn tell(&mut self, tried: &PendingSample, status: Status) {
        // Ranges that meet have corners in common.
        for planned in &mut self.0 {
            if (&planned.configuration, &planned.made.device)
                != (&tried.configuration, &tried.device)
            {
                continue;
            }
            let samples = planned.samples.iter_mut();
            for sample in samples.filter(|sample| sample.problem == tried.problem) {
                sample.status = Some(status);
            }
        }
    }

    /// Samples that may have to be tried yet.
    pub fn open(&self) -> usize {
        let open = (self.0.iter().enumerate()).filter(|(place, _)| self.is_open(*place));
        let untried = open.flat_map(|(_, planned)| {
            let untried = planned.samples.iter().filter(|it| it.status.is_none());
            untried.map(|sample| {
                (
                    &sample.problem,
                    &planned.configuration,
                    &planned.made.device,
                )
            })
        });
        untried.collect::<BTreeSet<_>>().len()
    }

    /// The devices that made what is planned.
    pub fn devices(&self) -> BTreeSet<&str> {
        self.0.iter().map(|it| it.made.device.as_str()).collect()
    }

    /// Leaves out what was made on a device, on which nothing can be tried.
    pub fn leave_out(&mut self, device: &str) {
        self.0.retain(|planned| planned.made.device != device);
    }

    /// Those that every sample holds, in order; none of which one before has all shapes.
    pub(super) fn written(&self) -> impl Iterator<Item = RangeEntry<'_>> {
        let holding = self.0.iter().enumerate();
        let holding =
            holding.filter(|(place, planned)| planned.holds() && !self.is_covered(*place));
        holding.map(|(_, planned)| RangeEntry {
            range: &planned.range,
            pipeline: Pipeline::VectorDistribute(planned.configuration.clone()),
            provenance: planned.provenance(),
        })
    }

    /// Whether there is a sample of it that would decide something.
    fn is_open(&self, place: usize) -> bool {
        let planned = &self.0[place];
        !planned.fails() && !planned.holds() && !self.is_covered(place)
    }

    fn is_covered(&self, place: usize) -> bool {
        let (before, planned) = (&self.0[..place], &self.0[place]);
        let mut before = before.iter().filter(|before| before.holds());
        before.any(|before| before.range.covers(&planned.range))
    }
}

impl RangePlan {
    fn fails(&self) -> bool {
        let mut verdicts = self.samples.iter().filter_map(|sample| sample.status);
        verdicts.any(|status| !is_served(status, Generator::IREE))
    }

    fn holds(&self) -> bool {
        !self.fails() && self.samples.iter().all(|sample| sample.status.is_some())
    }

    /// Of one that holds.
    fn provenance(&self) -> String {
        let of = |status: Status| {
            let samples = self.samples.iter();
            let samples = samples.filter(|sample| sample.status == Some(status));
            let sizes = samples.map(|sample| {
                let sizes = sample.problem.shape.sizes().iter().map(u32::to_string);
                sizes.collect::<Vec<_>>().join("x")
            });
            sizes.collect::<Vec<_>>().join(", ")
        };
        let verdicts = [("right", Status::Right), (ANOTHER_INDEX, Status::Tie)];
        let verdicts = verdicts.map(|(verdict, status)| (verdict, of(status)));
        let verdicts = verdicts.iter().filter(|(_, sizes)| !sizes.is_empty());
        verdicts.fold(self.said.clone(), |said, (verdict, sizes)| {
            format!("{said}; {verdict}: {sizes}")
        })
    }
}
