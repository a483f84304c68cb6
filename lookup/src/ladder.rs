//! The ladder: which of what is known answers a request. Its rungs, best first:
//!
//! 1. `exact`: the problem itself was tuned for the target.
//! 2. `none`.
//!
//! Where several devices or generators have tuned the problem, a configuration that is right goes before one that gives
//! another index on ties, unless any index will do; then a measured time goes before a modelled one, and among times of
//! one clock the fastest goes first. A caller who can use only one device's or one generator's says so in the request. One
//! who leaves the target open is answered where the problem was tuned for one alone.

use std::collections::BTreeSet;

use configgen::{Generator, Problem, Target};
use store::{Catalogue, Coverage, Readable, Status, StoreError, Ties, Wish, Wished};

use crate::advice;
use crate::answer::{Answer, Miss, found};
use crate::ranking::{Ranking, rankings};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The problem.
    pub problem: Problem,
    /// The ISA; none for the one that the problem was tuned for.
    pub target: Option<&'static Target>,
    /// Only configurations that were tuned on the device with this name.
    pub device: Option<String>,
    /// Only configurations of this generator.
    pub generator: Option<Generator>,
    /// Which index is wanted where elements tie.
    pub ties: Ties,
}

impl Request {
    /// Asks for whatever device's and generator's is best, with the fold's index on ties.
    pub fn new(problem: Problem, target: &'static Target) -> Self {
        Request {
            problem,
            target: Some(target),
            device: None,
            generator: None,
            ties: Ties::default(),
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
    fn means(&self, place: &Place<'_>) -> bool {
        self.target.is_none_or(|target| place.target == target)
            && self.admits(place.device, place.generator)
    }

    pub(crate) fn admits(&self, device: &str, generator: Generator) -> bool {
        self.device.as_deref().is_none_or(|wanted| wanted == device)
            && self.generator.is_none_or(|wanted| wanted == generator)
    }
}

impl From<&Wish> for Request {
    fn from(wish: &Wish) -> Self {
        Request {
            device: wish.device.clone(),
            generator: wish.generator,
            ..Request::new(wish.problem.clone(), wish.target)
        }
    }
}

/// Answers `request` from `catalogue`. A miss is noted there as a wish, so that it can be tuned, if it names a target.
///
/// # Errors
///
/// What reading the catalogue returns. That a wish cannot be noted is no error, nor are rows that this build cannot read: the
/// answer says so.
pub async fn answer(catalogue: &dyn Catalogue, request: &Request) -> Result<Answer, StoreError> {
    let mut answer = look(catalogue, request).await?;
    note(catalogue, request, &mut answer).await;
    Ok(answer)
}

/// Notes in the catalogue that nothing was found, where nothing was, and in the answer that it is noted. Tells whether it is.
pub async fn note(catalogue: &dyn Catalogue, request: &Request, answer: &mut Answer) -> bool {
    if let (Answer::None(miss), Some(wish)) = (answer, request.wish()) {
        miss.wished = catalogue.record_wish(&wish).await.unwrap_or(false);
        return miss.wished;
    }
    false
}

/// Answers `request` from `catalogue`, and notes nothing.
///
/// # Errors
///
/// As [`answer`].
pub async fn look(catalogue: &dyn Catalogue, request: &Request) -> Result<Answer, StoreError> {
    let Request {
        problem, target, ..
    } = request;
    let known = rankings(catalogue, problem, *target, request.ties, 1).await?;
    let mut unreadable = known.unreadable;
    let admitted = request.admitted(&known.rows);
    let targets: BTreeSet<&str> = admitted
        .iter()
        .map(|it| it.provenance.target.name)
        .collect();
    let miss = |reason: String, unreadable| {
        Answer::None(Miss {
            problem: problem.clone(),
            target: *target,
            reason,
            wished: false,
            unreadable,
        })
    };
    if targets.len() > 1 {
        let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
        let reason = format!("{problem} was tuned for {targets}; say for which it is asked");
        return Ok(miss(reason, unreadable));
    }
    let first = admitted.first().copied();
    if let Some((ranking, ranked)) =
        first.and_then(|ranking| Some((ranking, ranking.best.first()?)))
    {
        let found = found(ranking, ranked, unreadable);
        return Ok(Answer::Exact(Box::new(found)));
    }
    let coverage = catalogue.coverage(problem).await?;
    unreadable.join(coverage.unreadable);
    Ok(miss(reason(request, &coverage.rows), unreadable))
}

/// The wishes that nothing answers yet, those asked most first. Wishes that were fulfilled are taken off the catalogue's list,
/// if it can be written.
///
/// # Errors
///
/// What reading the catalogue returns.
pub async fn open_wishes(catalogue: &dyn Catalogue) -> Result<Readable<Wished>, StoreError> {
    let mut wishes = catalogue.wishes().await?;
    let mut open = Vec::new();
    for wished in wishes.rows {
        let wish = &wished.wish;
        let request = Request::from(wish);
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

/// Where a problem was tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) target: &'static Target,
    pub(crate) device: &'a str,
    pub(crate) generator: Generator,
}

impl<'a> From<&'a Coverage> for Place<'a> {
    fn from(known: &'a Coverage) -> Self {
        Place {
            target: known.target,
            device: &known.device,
            generator: known.generator,
        }
    }
}

/// Why nothing of `coverage`, all that was tried of the problem, answers the request.
fn reason(request: &Request, coverage: &[Coverage]) -> String {
    let places: Vec<Place<'_>> = coverage.iter().map(Place::from).collect();
    missing(request, &places).unwrap_or_else(|| {
        let tried = coverage.iter().zip(&places);
        let tried = tried.filter(|(_, place)| request.means(place));
        let tried: Vec<&Coverage> = tried.map(|(known, _)| known).collect();
        let target = names(&tried, |known| known.target.to_string());
        let (problem, known) = (&request.problem, verdicts(&tried));
        format!("{problem} was tried on {target}, and no configuration is served: {known}")
    })
}

/// Why these places, all where the problem was tried, do not answer the request; none where one of them is meant.
pub(crate) fn missing(request: &Request, places: &[Place<'_>]) -> Option<String> {
    if places.iter().any(|place| request.means(place)) {
        return None;
    }
    let problem = &request.problem;
    let is_here = |place: &&Place<'_>| request.target.is_none_or(|it| place.target == it);
    let (here, elsewhere): (Vec<Place<'_>>, Vec<Place<'_>>) =
        places.iter().copied().partition(|place| is_here(&place));
    let targets = |places: &[Place<'_>]| names(places, |place| place.target.to_string());
    if !here.is_empty() {
        let target = targets(&here);
        let known = names(&here, |it| format!("{} by {}", it.device, it.generator));
        return Some(format!(
            "{problem} was tuned for {target}, but only on {known}"
        ));
    }
    let Some(target) = request.target else {
        return Some(format!(
            "{problem} was never tuned; `wavetune tune '{problem}'` does it"
        ));
    };
    if !elsewhere.is_empty() {
        let known = targets(&elsewhere);
        return Some(format!(
            "{problem} was never tuned for {target}, only for {known}"
        ));
    }
    let generator = request.generator.unwrap_or_default();
    let advice = advice::tune(problem, target, request.device.as_deref(), generator);
    Some(match advice {
        Ok(command) => format!("{problem} was never tuned; `{command}` does it"),
        Err(reason) => format!("{problem} was never tuned; {reason}"),
    })
}

fn verdicts(coverage: &[&Coverage]) -> String {
    let count = |status: Status| {
        let of_status = coverage.iter().filter(|known| known.status == status);
        (
            of_status.map(|known| known.trials).sum::<u64>(),
            status.name(),
        )
    };
    let counts = Status::ALL.map(count).into_iter().filter(|&(n, _)| n > 0);
    let counts = counts.map(|(n, name)| match n < Coverage::COUNTED {
        true => format!("{n} {name}"),
        false => format!("{} or more {name}", Coverage::COUNTED),
    });
    let counts: Vec<String> = counts.collect();
    counts.join(", ")
}

fn names<T>(of: &[T], name: impl Fn(&T) -> String) -> String {
    let names: BTreeSet<String> = of.iter().map(name).collect();
    names.into_iter().collect::<Vec<String>>().join(", ")
}
