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
    fn wish(&self) -> Option<Wish> {
        Some(Wish {
            problem: self.problem.clone(),
            target: self.target?,
            device: self.device.clone(),
            generator: self.generator,
        })
    }

    /// Those of the rankings that may answer.
    fn admitted<'a>(&self, rankings: &'a [Ranking]) -> Vec<&'a Ranking> {
        let admitted = rankings.iter();
        let admitted =
            admitted.filter(|it| self.admits(&it.provenance.device, it.provenance.generator));
        admitted.collect()
    }

    fn admits(&self, device: &str, generator: Generator) -> bool {
        self.device.as_deref().is_none_or(|wanted| wanted == device)
            && self.generator.is_none_or(|wanted| wanted == generator)
    }
}

/// Answers `request` from `catalogue`. A miss is noted there as a wish, so that it can be tuned, if it names a target.
///
/// # Errors
///
/// What reading the catalogue returns. That a wish cannot be noted is no error, nor are rows that this build cannot read: the
/// answer says so.
pub async fn answer(catalogue: &dyn Catalogue, request: &Request) -> Result<Answer, StoreError> {
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
    if targets.len() > 1 {
        let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
        return Ok(Answer::None(Miss {
            problem: problem.clone(),
            target: None,
            reason: format!("{problem} was tuned for {targets}; say for which it is asked"),
            wished: false,
            unreadable,
        }));
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
    let wished = match request.wish() {
        Some(wish) => catalogue.record_wish(&wish).await.unwrap_or(false),
        None => false,
    };
    Ok(Answer::None(Miss {
        problem: problem.clone(),
        target: *target,
        reason: reason(request, &coverage.rows),
        wished,
        unreadable,
    }))
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
        let request = Request {
            device: wish.device.clone(),
            generator: wish.generator,
            ..Request::new(wish.problem.clone(), wish.target)
        };
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

/// Why nothing of `coverage`, all that was tried of the problem, answers the request.
fn reason(request: &Request, coverage: &[Coverage]) -> String {
    let problem = &request.problem;
    let is_here = |known: &&Coverage| request.target.is_none_or(|target| known.target == target);
    let (here, elsewhere): (Vec<&Coverage>, Vec<&Coverage>) = coverage.iter().partition(is_here);
    let targets = |coverage: &[&Coverage]| names(coverage, |known| known.target.to_string());
    let admitted: Vec<&Coverage> = here
        .iter()
        .copied()
        .filter(|known| request.admits(&known.device, known.generator))
        .collect();
    if !admitted.is_empty() {
        let (target, known) = (targets(&admitted), verdicts(&admitted));
        return format!("{problem} was tried on {target}, and no configuration is served: {known}");
    }
    if !here.is_empty() {
        let target = targets(&here);
        let known = names(&here, |known| {
            format!("{} by {}", known.device, known.generator)
        });
        return format!("{problem} was tuned for {target}, but only on {known}");
    }
    let Some(target) = request.target else {
        return format!("{problem} was never tuned; `wavetune tune '{problem}'` does it");
    };
    if !elsewhere.is_empty() {
        let known = targets(&elsewhere);
        return format!("{problem} was never tuned for {target}, only for {known}");
    }
    let generator = request.generator.unwrap_or_default();
    match advice::tune(problem, target, request.device.as_deref(), generator) {
        Ok(command) => format!("{problem} was never tuned; `{command}` does it"),
        Err(reason) => format!("{problem} was never tuned; {reason}"),
    }
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

fn names(coverage: &[&Coverage], name: impl Fn(&Coverage) -> String) -> String {
    let names: BTreeSet<String> = coverage.iter().map(|known| name(known)).collect();
    names.into_iter().collect::<Vec<String>>().join(", ")
}
