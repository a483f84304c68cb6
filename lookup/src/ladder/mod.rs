//! The ladder: the choice of an answer to a request. Its rungs, best first:
//!
//! 1. `exact`: the problem itself was tuned for the target, on the requested device, or on any.
//! 2. `sibling`: the problem was tuned on another device of the target. Both run the same
//!    instructions.
//! 3. `neighbour`: a problem that differs only in its sizes, and not by much, was tuned (module
//!    `neighbour`). Its configuration is fitted to the shape, and legal for it.
//! 4. `predicted`: the time model knows problems of this kind. Its first choice over the whole
//!    space, with the expected time.
//! 5. `default`: the untuned configuration of the generator.
//!
//! Below them there is no answer. The request names its lowest rung. An answer below `exact`
//! names the tuned problem, and says why each rung above has no answer. For the requested
//! problem it gives at most an expected time.
//!
//! A neighbour precedes a prediction, because its kernel ran and was verified on a near shape, and
//! possibly on the user's own device. The time model knows modelled times only.
//!
//! Several devices or generators may have tuned the problem. Then the order of preference is:
//!
//! - a correct configuration before one with another tie-break, unless the request accepts any
//!   index;
//! - a measured time before a modelled one;
//! - the faster before the slower.
//!
//! If every configuration has another tie-break, and only the generator's own default is correct,
//! there is no answer but that reason. A caller that can use only one generator names it in the
//! request. A request without a target has an answer if the problem was tuned for only one.

mod earlier_verdict;
mod fallback;
mod prediction_rung;
mod reason;

use std::collections::{BTreeMap, BTreeSet};

use answers::lookup::{PrintedAnswer, Rung};
use configgen::{Generator, Problem, Target};
use store::{
    Catalogue, CountedWish, Features, ProblemSelection, Readable, StoreError, Ties, Unreadable,
    Wish,
};

use crate::answer::{FoundConfiguration, LookupAnswer, found};
use crate::distance::{Distance, FACTOR, distance};
use crate::merit::is_behind;
use crate::neighbour::{BestOfDevice, RefusedConfigurations, families, family};
use crate::ranking::{Ranking, rank, rankings};

use earlier_verdict::ProblemStudies;
pub(crate) use fallback::FallbackLadder;
pub use prediction_rung::predicted_configuration;
pub(crate) use reason::{ContextRef, missing, unasked};

/// A question to the ladder.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupRequest {
    /// The problem.
    pub problem: Problem,
    /// The ISA; none for the only one that the problem was tuned for.
    pub target: Option<&'static Target>,
    /// The name of the device; none for any of the target.
    pub device: Option<String>,
    /// The generator of the configuration; none for any.
    pub generator: Option<Generator>,
    /// The tie-break.
    pub ties: Ties,
    /// The lowest rung that may answer.
    pub at_least: Rung,
}

impl LookupRequest {
    /// Creates a request for the exact problem, any device and any generator, with the fold's
    /// tie-break.
    pub fn new(problem: Problem, target: &'static Target) -> Self {
        LookupRequest {
            problem,
            target: Some(target),
            device: None,
            generator: None,
            ties: Ties::default(),
            at_least: Rung::Exact,
        }
    }

    /// Returns the request as a wish; `None` without a target.
    pub fn wish(&self) -> Option<Wish> {
        Some(Wish {
            problem: self.problem.clone(),
            target: self.target?,
            device: self.device.clone(),
            generator: self.generator,
        })
    }

    /// Returns the rankings that may answer.
    pub(crate) fn admitted<'a>(&self, rankings: &'a [Ranking]) -> Vec<&'a Ranking> {
        let admitted = rankings.iter();
        let admitted =
            admitted.filter(|it| self.admits(&it.provenance.device, it.provenance.generator));
        admitted.collect()
    }

    /// Returns whether trials of this context may answer.
    fn means(&self, place: &ContextRef<'_>) -> bool {
        self.target.is_none_or(|target| place.target == target)
            && self.admits(place.device, place.generator)
    }

    /// Returns whether kernels of this generator are acceptable.
    pub(crate) fn takes(&self, generator: Generator) -> bool {
        self.generator.is_none_or(|wanted| wanted == generator)
    }

    pub(crate) fn admits(&self, device: &str, generator: Generator) -> bool {
        self.device.as_deref().is_none_or(|wanted| wanted == device) && self.takes(generator)
    }
}

impl From<&Wish> for LookupRequest {
    fn from(wish: &Wish) -> Self {
        LookupRequest {
            device: wish.device.clone(),
            generator: wish.generator,
            ..LookupRequest::new(wish.problem.clone(), wish.target)
        }
    }
}

/// Answers `request` from `catalogue`. If the answer is not exact and the request names a target,
/// notes a wish, so that the problem can be tuned.
///
/// # Errors
///
/// Any error of reading the catalogue. The answer itself reports unreadable rows and a wish that
/// is not noted.
pub async fn answer(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<LookupAnswer, StoreError> {
    let mut answer = look(catalogue, request).await?;
    note(catalogue, request, &mut answer).await;
    Ok(answer)
}

/// Notes a wish in the catalogue if the answer is not exact, and marks the answer. Returns
/// whether the wish is noted.
pub async fn note(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
    answer: &mut LookupAnswer,
) -> bool {
    if let (Some(wished), Some(wish)) = (answer.wished_mut(), request.wish()) {
        // The answer is more important than the wish, so an error of noting it is dropped.
        *wished = catalogue.record_wish(&wish).await.unwrap_or(false);
        return *wished;
    }
    false
}

/// Answers `request` from `catalogue`, without noting a wish.
///
/// # Errors
///
/// As [`answer`].
pub async fn look(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<LookupAnswer, StoreError> {
    let LookupRequest {
        problem, target, ..
    } = request;
    let known = rankings(catalogue, problem, *target, request.ties, 1).await?;
    let unreadable = known.unreadable;
    let admitted = request.admitted(&known.rows);
    let targets: BTreeSet<&str> = admitted
        .iter()
        .map(|it| it.provenance.target.name)
        .collect();
    // Configurations of different targets are not comparable, so the caller has to choose.
    if targets.len() > 1 {
        let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
        let reason = format!("{problem} was tuned for {targets}; name one of them as the target");
        let refused = RefusedConfigurations::default();
        return Ok(FallbackLadder::new(request, &refused, reason).end(unreadable));
    }
    let first = admitted.first().copied();
    if let Some(ranking) = first.filter(|ranking| ranking.is_best_unasked(request.ties)) {
        let (made, time) = (&ranking.provenance, ranking.default_time_us());
        let reason = unasked(made.generator, time, made.clock, &made.device, "--ties any");
        let refused = RefusedConfigurations::default();
        return Ok(FallbackLadder::new(request, &refused, reason).end(unreadable));
    }
    if let Some((ranking, ranked)) =
        first.and_then(|ranking| Some((ranking, ranking.best.first()?)))
    {
        let found = found(ranking, ranked, unreadable);
        return Ok(LookupAnswer::Exact(Box::new(found)));
    }
    below_exact(catalogue, request, &known.rows, unreadable).await
}

/// Answers `request` from the rungs below the exact one, as if the problem were untuned.
///
/// # Errors
///
/// As [`answer`].
pub async fn look_below_exact(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<LookupAnswer, StoreError> {
    let (problem, target) = (&request.problem, request.target);
    let known = rankings(catalogue, problem, target, request.ties, 1).await?;
    below_exact(catalogue, request, &known.rows, known.unreadable).await
}

async fn below_exact(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
    known: &[Ranking],
    mut unreadable: Unreadable,
) -> Result<LookupAnswer, StoreError> {
    // Counting the trials takes a query of its own, which only a miss needs.
    let coverage = catalogue.coverage(&request.problem).await?;
    unreadable.join(coverage.unreadable);
    let reason = reason::reason(request, &coverage.rows);
    let siblings = known.iter();
    let siblings = siblings.filter_map(|ranking| DeviceAnswer::new(ranking, request.ties));
    let siblings: Vec<DeviceAnswer> = siblings.collect();
    // The neighbours take several queries. They are read once, when the ladder gets there.
    let mut near = None;
    let tried = ProblemStudies::of(catalogue, request).await?;
    let mut refused = RefusedConfigurations::default();
    loop {
        let mut below = FallbackLadder::new(request, &refused, reason.clone());
        if below.asks(Rung::Sibling) {
            below.sibling(siblings.iter());
        }
        if below.asks(Rung::Neighbour) {
            if near.is_none() {
                near = Some(neighbours(catalogue, request, &mut unreadable).await?);
            }
            let near = near.iter().flatten();
            below.neighbour(
                near.map(|(problem, served)| (problem.clone(), served.iter().collect())),
            );
        }
        below.untried();
        let Some((generator, configuration)) = below.taken() else {
            return Ok(below.end(unreadable));
        };
        let configuration = configuration.clone();
        let verdict = tried.verdict(catalogue, generator, &configuration, &mut unreadable);
        match verdict.await? {
            // Walk down again, without this configuration.
            Some(verdict) => refused.add(generator, configuration, verdict),
            None => return Ok(below.end(unreadable)),
        }
    }
}

/// Returns the ranking of a problem that only the generator's default solves with the requested
/// tie-break: see [`Ranking::is_best_unasked`].
///
/// # Errors
///
/// Any error of reading the catalogue.
pub async fn best_unasked(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<Option<Ranking>, StoreError> {
    let LookupRequest {
        problem, target, ..
    } = request;
    let known = rankings(catalogue, problem, *target, request.ties, 1).await?;
    let first = request.admitted(&known.rows).first().copied();
    let unasked = first.filter(|ranking| ranking.is_best_unasked(request.ties));
    Ok(unasked.cloned())
}

/// Returns the near problems with a configuration to serve, the nearest first.
async fn neighbours(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
    unreadable: &mut Unreadable,
) -> Result<Vec<(Problem, Vec<DeviceAnswer>)>, StoreError> {
    let asked = &request.problem;
    let mut like = Features::near(asked, FACTOR);
    // With an open count, `near` took its range around the largest count alone.
    if let Some(counts) = asked.shape.counts() {
        let others = asked.shape.rows() / u64::from(*counts.end());
        like.rows = (u64::from(*counts.start()) * others).div_ceil(FACTOR)..=*like.rows.end();
    }
    // The catalogue has the largest number of rows of a problem with an open count.
    if !asked.shape.is_reduced(0) {
        like.rows = *like.rows.start()..=u64::MAX;
    }
    let mut studies = catalogue
        .studies(ProblemSelection::Like(like), request.target)
        .await?;
    let families: Vec<String> = families(asked).map(|(family, _)| family).collect();
    (studies.rows).retain(|study| {
        study.problem != *asked
            && distance(asked, &study.problem).is_some()
            && families.contains(&family(&study.problem))
    });
    let mut known = rank(catalogue, studies, request.ties, 1).await?;
    unreadable.join(known.unreadable);
    (known.rows).sort_by(|one, other| one.compare_rankings(other, request.ties));
    let mut by_problem: BTreeMap<String, (Problem, Vec<DeviceAnswer>)> = BTreeMap::new();
    for ranking in &known.rows {
        let made = &ranking.provenance;
        if let (true, Some(served)) = (
            request.takes(made.generator),
            DeviceAnswer::new(ranking, request.ties),
        ) {
            let problem = &ranking.problem;
            let all = by_problem.entry(problem.to_string());
            all.or_insert_with(|| (problem.clone(), Vec::new()))
                .1
                .push(served);
        }
    }
    let mut near: Vec<(Problem, Vec<DeviceAnswer>)> = by_problem.into_values().collect();
    // Stable: problems of equal sizes stay in the order of their texts.
    near.sort_by_cached_key(|(problem, _)| place(asked, problem));
    Ok(near)
}

/// Returns the sort key of a near problem: the nearest first, and of equally near ones the
/// smaller.
fn place(asked: &Problem, other: &Problem) -> (Option<Distance>, Vec<u32>) {
    (distance(asked, other), other.shape.sizes().to_vec())
}

/// The answer of a device and a generator for a problem.
struct DeviceAnswer {
    found: FoundConfiguration,
    is_behind: bool,
}

impl DeviceAnswer {
    /// Returns the answer; `None` if the ranking has no configuration to use.
    fn new(ranking: &Ranking, ties: Ties) -> Option<DeviceAnswer> {
        let best = ranking.best.first()?;
        if ranking.is_best_unasked(ties) {
            return None;
        }
        Some(DeviceAnswer {
            found: found(ranking, best, Unreadable::default()),
            is_behind: is_behind(best.trial.outcome.status(), ties),
        })
    }
}

impl BestOfDevice for &DeviceAnswer {
    fn device(&self) -> &str {
        &self.found.provenance.device
    }

    fn generator(&self) -> Generator {
        self.found.generator
    }

    fn is_behind(&self) -> bool {
        self.is_behind
    }

    fn line(&self) -> Option<PrintedAnswer> {
        Some(PrintedAnswer::of(&LookupAnswer::Exact(Box::new(
            self.found.clone(),
        ))))
    }
}

/// Returns the wishes without an exact answer, the most frequent first. Removes fulfilled wishes
/// from the catalogue, if it can be written.
///
/// # Errors
///
/// Any error of reading the catalogue.
pub async fn open_wishes(catalogue: &dyn Catalogue) -> Result<Readable<CountedWish>, StoreError> {
    let mut wishes = catalogue.wishes().await?;
    let mut open = Vec::new();
    for wished in wishes.rows {
        let wish = &wished.wish;
        let request = LookupRequest::from(wish);
        let known = rankings(catalogue, &wish.problem, Some(wish.target), request.ties, 1);
        match request.admitted(&known.await?.rows).is_empty() {
            true => open.push(wished),
            // A fulfilled wish is not shown, even if it cannot be removed now.
            false => catalogue.end_wish(wish).await.unwrap_or_default(),
        }
    }
    wishes.rows = open;
    Ok(wishes)
}
