//! The ladder: which of what is known answers a request. Its rungs, best first:
//!
//! 1. `exact`: the problem itself was tuned for the target, on the device that is insisted on, or on any.
//! 2. `sibling`: on another device of the target than the one that is insisted on. Both run the same instructions.
//! 3. `neighbour`: a problem was tuned that differs in its sizes alone, and not by much ([`alike`](crate::alike)). Its configuration
//!    is fitted to the shape, and legal for it.
//! 4. `default`: what the generator does when it is given no configuration.
//!
//! Below them there is no answer. A request says how far down it goes. What stands below `exact` says what was tuned, and
//! nothing of times of what was asked for; and why each rung before has no answer.
//!
//! Where several devices or generators have tuned the problem, a configuration that is right goes before one that gives
//! another index on ties, unless any index will do; then a measured time goes before a modelled one, and among times of
//! one clock the fastest goes first. Where all configurations give another index and what the generator does unasked, by none of them,
//! gives the one that is wanted, there is no answer but that. A caller who can use only one generator's says so in the request. One
//! who leaves the target open is answered where the problem was tuned for one alone.

mod earlier_verdict;
mod fallback;
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
pub(crate) use reason::{ContextRef, missing, unasked};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupRequest {
    /// The problem.
    pub problem: Problem,
    /// The ISA; none for the one that the problem was tuned for.
    pub target: Option<&'static Target>,
    /// The device that it is for, by its name; none for any of the target.
    pub device: Option<String>,
    /// Only configurations of this generator.
    pub generator: Option<Generator>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
    /// The lowest rung that may answer.
    pub at_least: Rung,
}

impl LookupRequest {
    /// Asks for whatever device's and generator's is best, with the fold's index on ties, where this very problem was tuned.
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

    /// The question as it is noted where nothing answers it; none where it names no target.
    pub fn wish(&self) -> Option<Wish> {
        Some(Wish {
            problem: self.problem.clone(),
            target: self.target?,
            device: self.device.clone(),
            generator: self.generator,
        })
    }

    /// Those of the rankings that may answer.
    pub(crate) fn admitted<'a>(&self, rankings: &'a [Ranking]) -> Vec<&'a Ranking> {
        let admitted = rankings.iter();
        let admitted =
            admitted.filter(|it| self.admits(&it.provenance.device, it.provenance.generator));
        admitted.collect()
    }

    /// Whether what was tried here may answer.
    fn means(&self, place: &ContextRef<'_>) -> bool {
        self.target.is_none_or(|target| place.target == target)
            && self.admits(place.device, place.generator)
    }

    /// Whether kernels of this generator will do.
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

/// Answers `request` from `catalogue`. Where the answer is not exact, that is noted there as a wish, so that it can be tuned, if the
/// request names a target.
///
/// # Errors
///
/// What reading the catalogue returns. That a wish cannot be noted is no error, nor are rows that this build cannot read: the
/// answer says so.
pub async fn answer(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<LookupAnswer, StoreError> {
    let mut answer = look(catalogue, request).await?;
    note(catalogue, request, &mut answer).await;
    Ok(answer)
}

/// Notes in the catalogue that there is no exact answer, where there is none, and in the answer that it is noted. Tells whether it
/// is.
pub async fn note(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
    answer: &mut LookupAnswer,
) -> bool {
    if let (Some(wished), Some(wish)) = (answer.wished_mut(), request.wish()) {
        *wished = catalogue.record_wish(&wish).await.unwrap_or(false);
        return *wished;
    }
    false
}

/// Answers `request` from `catalogue`, and notes nothing.
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
    let mut unreadable = known.unreadable;
    let admitted = request.admitted(&known.rows);
    let targets: BTreeSet<&str> = admitted
        .iter()
        .map(|it| it.provenance.target.name)
        .collect();
    if targets.len() > 1 {
        let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
        let reason = format!("{problem} was tuned for {targets}; say for which it is asked");
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
    let coverage = catalogue.coverage(problem).await?;
    unreadable.join(coverage.unreadable);
    let reason = reason::reason(request, &coverage.rows);
    let siblings = known.rows.iter();
    let siblings = siblings.filter_map(|ranking| DeviceAnswer::new(ranking, request.ties));
    let siblings: Vec<DeviceAnswer> = siblings.collect();
    // What lies below is read when the ladder gets there, and once.
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
        if below.asks(Rung::Default) {
            below.default();
        }
        let Some((generator, configuration)) = below.taken() else {
            return Ok(below.end(unreadable));
        };
        let configuration = configuration.clone();
        let verdict = tried.verdict(catalogue, generator, &configuration, &mut unreadable);
        match verdict.await? {
            // It is walked down again, without this one.
            Some(verdict) => refused.add(generator, configuration, verdict),
            None => return Ok(below.end(unreadable)),
        }
    }
}

/// What is known of the problem, where none of its configurations is to be used: see [`Ranking::is_best_unasked`].
///
/// # Errors
///
/// What reading the catalogue returns.
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

/// The problems that are near the one that is asked for and have something to serve, the nearest first.
async fn neighbours(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
    unreadable: &mut Unreadable,
) -> Result<Vec<(Problem, Vec<DeviceAnswer>)>, StoreError> {
    let asked = &request.problem;
    let mut like = Features::near(asked, FACTOR);
    if let Some(counts) = asked.shape.counts() {
        let others = asked.shape.rows() / u64::from(*counts.end());
        like.rows = (u64::from(*counts.start()) * others).div_ceil(FACTOR)..=*like.rows.end();
    }
    // The rows of one whose count is open are the most that it may have.
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
    // Stable: what has the same sizes stays in the order of its text.
    near.sort_by_cached_key(|(problem, _)| place(asked, problem));
    Ok(near)
}

/// The nearest first; of equally near ones the smaller.
fn place(asked: &Problem, other: &Problem) -> (Option<Distance>, Vec<u32>) {
    (distance(asked, other), other.shape.sizes().to_vec())
}

/// What a device and a generator have for a problem.
struct DeviceAnswer {
    found: FoundConfiguration,
    is_behind: bool,
}

impl DeviceAnswer {
    /// None where there is no configuration, or none is to be used.
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

/// The wishes that nothing answers yet, those asked most first. Wishes that were fulfilled are taken off the catalogue's list,
/// if it can be written.
///
/// # Errors
///
/// What reading the catalogue returns.
pub async fn open_wishes(catalogue: &dyn Catalogue) -> Result<Readable<CountedWish>, StoreError> {
    let mut wishes = catalogue.wishes().await?;
    let mut open = Vec::new();
    for wished in wishes.rows {
        let wish = &wished.wish;
        let request = LookupRequest::from(wish);
        let known = rankings(catalogue, &wish.problem, Some(wish.target), request.ties, 1);
        match request.admitted(&known.await?.rows).is_empty() {
            true => open.push(wished),
            // One that cannot be taken off now is not shown either.
            false => catalogue.end_wish(wish).await.unwrap_or_default(),
        }
    }
    wishes.rows = open;
    Ok(wishes)
}
