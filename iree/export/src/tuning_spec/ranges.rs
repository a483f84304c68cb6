//! Ranges: configurations for the shapes between tuned ones, tried on samples before a spec has
//! them.
//!
//! In a family, each problem and the next in the order of their shapes bound a range. The ranges
//! of a grid of shapes leave nothing out between the least and the largest. Both problems give it
//! configurations, each in the order of their own ranking. A spec has a range if each of its
//! samples is correct, and if no range before it has all of its shapes.
//!
//! This module tries nothing. A caller with a device asks for the [next](Ranges::next) sample,
//! and [reports](Ranges::tell) its outcome.

use std::collections::{BTreeMap, BTreeSet};

use configgen::{Configuration, Generator, Pipeline, Problem, Range};
use store::{
    ANOTHER_INDEX, Catalogue, KnownStudy, ProblemSelection, Provenance, Status, StoreError,
};

use super::choice::{Choice, provenance_text};
use super::versions::only_compiler;
use super::{ExportError, SpecSelection, best_of_each, is_reached, unsplit_fallback};
use lookup::family;
use lookup::{Merit, is_served};
use lookup::{Ranking, all_rankings};

/// The limit of configurations of a tuned problem in the plan of a range.
const PER_PROBLEM: usize = 4;

/// The ranges that a spec may have, in their order there.
#[derive(Debug, Default)]
pub struct Ranges(Vec<RangePlan>);

/// A configuration for a range, with its state there.
#[derive(Debug)]
struct RangePlan {
    range: Range,
    configuration: Configuration,
    /// The provenance of the configuration's time, and of the verdicts on its samples.
    made: Provenance,
    /// The source of the configuration, for people.
    said: String,
    samples: Vec<Sample>,
}

#[derive(Debug)]
struct Sample {
    problem: Problem,
    /// The verdict; `None` before a trial.
    status: Option<Status>,
}

/// A sample without a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSample {
    /// The problem.
    pub problem: Problem,
    /// The configuration to try.
    pub configuration: Configuration,
    /// The device of the configuration's time.
    pub device: String,
}

/// A range that goes into the spec.
#[derive(Debug)]
pub(super) struct RangeEntry<'a> {
    pub(super) range: &'a Range,
    pub(super) pipeline: Pipeline,
    pub(super) provenance: String,
}

/// Plans the ranges between the selected problems. Samples with an earlier trial of the same
/// provenance have its verdict.
///
/// # Errors
///
/// [`ExportError`]. A selection without ranges is no error.
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
    // Called for its error only: a spec is for one compiler, so samples of several are useless.
    only_compiler(&rankings, wanted)?;
    let best = best_of_each(&rankings, wanted.ties);
    // iree-compile's default is better for these shapes, and stays.
    let left_out = best
        .iter()
        .filter(|it| Choice::of(it, wanted.ties).is_none());
    let left_out: Vec<&Problem> = left_out.map(|ranking| &ranking.problem).collect();
    let mut families: BTreeMap<String, Vec<&Ranking>> = BTreeMap::new();
    for &ranking in &best {
        // Within a family, the order of problems is that of their shapes.
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
        // Stable: of two equal ranks, that of the lesser problem goes first.
        planned.sort_by_key(|(place, _)| *place);
        let planned = planned.into_iter().map(|(_, planned)| planned);
        let planned = planned.filter(|it| !left_out.iter().any(|problem| it.range.has(problem)));
        ranges.0.extend(planned);
    }
    remember(catalogue, wanted, &mut ranges).await?;
    Ok(ranges)
}

/// Plans the best configurations of a ranking, each for the shapes up to another problem's.
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
        // A split takes a file of its own, so a matcher of a range cannot apply it.
        ranked.configuration.knobs.split == 1 && merit.is_some_and(gains)
    });
    let planned = better.filter_map(move |ranked| {
        let (problem, configuration) = (&ranking.problem, &ranked.configuration);
        // The rules may have changed since the trial, so the configuration may be illegal now.
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

/// Gives the samples with an earlier trial their verdicts.
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
            // A trial of another provenance may have run another kernel.
            let is_of = |study: &&KnownStudy| {
                study.problem == sample.problem && study.provenance == planned.made
            };
            let of: Vec<_> = studies.rows.iter().filter(is_of).map(|it| it.id).collect();
            if of.is_empty() {
                continue;
            }
            let trials = catalogue.trials_with(&of, &planned.configuration).await?;
            // A later trial corrects an earlier one.
            let latest = trials.rows.iter().max_by_key(|known| known.recorded);
            sample.status = latest.map(|known| known.trial.outcome.status());
        }
    }
    Ok(())
}

impl Ranges {
    /// Returns the next sample to try, or `None` if all is decided. Skips ranges with a failed
    /// sample, and ranges that would match nothing.
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

    /// Stores the verdict of a sample's trial.
    pub fn tell(&mut self, tried: &PendingSample, status: Status) {
        // Adjacent ranges have corners in common.
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

    /// Counts the samples that may still need a trial.
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
        // A set, because adjacent ranges share corners, and a corner is tried once.
        untried.collect::<BTreeSet<_>>().len()
    }

    /// Returns the devices of the planned configurations.
    pub fn devices(&self) -> BTreeSet<&str> {
        self.0.iter().map(|it| it.made.device.as_str()).collect()
    }

    /// Removes the configurations of a device that can try nothing.
    pub fn leave_out(&mut self, device: &str) {
        self.0.retain(|planned| planned.made.device != device);
    }

    /// Iterates over the ranges with only correct samples, in order. Skips a range if one before
    /// it has all of its shapes.
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

    /// Returns whether a trial of one of its samples would decide something.
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

    /// Returns the provenance of a range with only correct samples.
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
