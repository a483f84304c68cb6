//! The ladder: which of what is known answers a request. Its rungs, best first:
//!
//! 1. `exact`: the problem itself was tuned for the target.
//! 2. `none`.
//!
//! Where several devices or generators have tuned the problem, a measured time goes before a modelled one, and among
//! times of one clock the fastest goes first. A caller who can use only one device's or one generator's says so in the
//! request.

use std::collections::BTreeSet;

use configgen::{Generator, Problem, Target};
use store::{Coverage, Status, Store, StoreError, Wish, Wishes};

use crate::answer::{Answer, Found, Miss};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The problem.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// Only configurations that were tuned on the device with this name.
    pub device: Option<String>,
    /// Only configurations of this generator.
    pub generator: Option<Generator>,
}

impl Request {
    /// Asks for whatever device's and generator's is best.
    pub fn new(problem: Problem, target: &'static Target) -> Self {
        Request {
            problem,
            target,
            device: None,
            generator: None,
        }
    }

    /// The question as it is noted where nothing answers it.
    fn wish(&self) -> Wish {
        Wish {
            problem: self.problem.clone(),
            target: self.target,
            device: self.device.clone(),
            generator: self.generator,
        }
    }

    fn admits(&self, device: &str, generator: Generator) -> bool {
        self.device.as_deref().is_none_or(|wanted| wanted == device)
            && self.generator.is_none_or(|wanted| wanted == generator)
    }
}

/// Answers `request` from `store`. A miss is noted there as a wish, so that it can be tuned.
///
/// # Errors
///
/// What reading the store returns. That a wish cannot be noted is no error: the miss says so.
pub async fn answer(store: &Store, request: &Request) -> Result<Answer, StoreError> {
    if let Some(found) = found(store, request).await? {
        return Ok(Answer::Exact(Box::new(found)));
    }
    let coverage = store.coverage(&request.problem).await?;
    let wished = store.record_wish(&request.wish()).await;
    Ok(Answer::None(Miss {
        problem: request.problem.clone(),
        target: request.target,
        reason: reason(request, &coverage),
        wished: wished.unwrap_or(false),
    }))
}

async fn found(store: &Store, request: &Request) -> Result<Option<Found>, StoreError> {
    let rankings = store.rankings(&request.problem, request.target, 1).await?;
    let mut admitted = rankings
        .iter()
        .filter(|ranking| request.admits(&ranking.device, ranking.generator));
    let first = admitted.next();
    let first = first.and_then(|ranking| Some((ranking, ranking.best.first()?)));
    Ok(first.map(|(ranking, ranked)| Found::new(ranking, ranked)))
}

/// The wishes that nothing answers yet, those asked most first. Wishes that were fulfilled are taken off the store's list,
/// if it can be written.
///
/// # Errors
///
/// What reading the store returns.
pub async fn open_wishes(store: &Store) -> Result<Wishes, StoreError> {
    let Wishes { wishes, unreadable } = store.wishes().await?;
    let mut open = Wishes {
        wishes: Vec::new(),
        unreadable,
    };
    for wished in wishes {
        let wish = wished.wish.clone();
        let request = Request {
            problem: wish.problem,
            target: wish.target,
            device: wish.device,
            generator: wish.generator,
        };
        match found(store, &request).await {
            // One that cannot be taken off now is not shown either.
            Ok(Some(_)) => store.end_wish(&wished.wish).await.unwrap_or_default(),
            Ok(None) | Err(StoreError::Value { .. }) => open.wishes.push(wished),
            Err(error) => return Err(error),
        }
    }
    Ok(open)
}

/// Why nothing of `coverage`, all that was tried of the problem, answers the request.
fn reason(request: &Request, coverage: &[Coverage]) -> String {
    let Request {
        problem, target, ..
    } = request;
    let (here, elsewhere): (Vec<&Coverage>, Vec<&Coverage>) =
        coverage.iter().partition(|known| known.target == *target);
    let admitted: Vec<&Coverage> = here
        .iter()
        .copied()
        .filter(|known| request.admits(&known.device, known.generator))
        .collect();
    if !admitted.is_empty() {
        let known = verdicts(&admitted);
        return format!("{problem} was tried on {target}, and no configuration is served: {known}");
    }
    if !here.is_empty() {
        let known = names(&here, |known| {
            format!("{} by {}", known.device, known.generator)
        });
        return format!("{problem} was tuned for {target}, but only on {known}");
    }
    if !elsewhere.is_empty() {
        let known = names(&elsewhere, |known| known.target.to_string());
        return format!("{problem} was never tuned for {target}, only for {known}");
    }
    format!("{problem} was never tuned; `wavetune tune '{problem}'` does it")
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
