//! Agents: who has been heard of lately, and what they offer.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use configgen::{Generator, Target};
use tokio::time::Instant;
use tuner::Offer;

/// Time after which an agent that says nothing counts as gone. An agent that waits for work asks several times within it,
/// and one that works says so.
const PRESENCE: Duration = Duration::from_secs(60);

/// Time between two words to the other replicas that an agent is there.
const TOLD: Duration = Duration::from_secs(15);

/// Agents that are remembered at most: names come from outside.
const MOST: usize = 10_000;

/// An agent that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Present {
    /// Its name.
    pub name: String,
    /// What it offers.
    pub offers: Vec<Offer>,
    /// Time since it was last heard of.
    pub silent: Duration,
}

struct Seen {
    offers: Vec<Offer>,
    at: Instant,
    /// When the other replicas heard of it from this one.
    told: Option<Instant>,
}

impl Seen {
    /// Whether the others are to hear of it now.
    fn is_to_be_told(&mut self) -> bool {
        let is_due = self.told.is_none_or(|told| told.elapsed() >= TOLD);
        if is_due {
            self.told = Some(Instant::now());
        }
        is_due
    }
}

/// Who is there.
#[derive(Default)]
pub(crate) struct Agents(Mutex<BTreeMap<String, Seen>>);

impl Agents {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, agent| agent.at.elapsed() < PRESENCE);
        seen
    }

    /// An agent asks for work of these kinds; whether the other replicas are to hear of it.
    pub(crate) fn asked(&self, name: &str, offers: &[Offer]) -> bool {
        let mut seen = self.seen();
        note(&mut seen, name, offers);
        seen.get_mut(name).is_some_and(Seen::is_to_be_told)
    }

    /// Another replica has heard of an agent.
    pub(crate) fn heard(&self, name: &str, offers: &[Offer]) {
        note(&mut self.seen(), name, offers);
    }

    /// An agent works; what it offers, where the other replicas are to hear of it.
    pub(crate) fn worked(&self, name: &str) -> Option<Vec<Offer>> {
        let mut seen = self.seen();
        let agent = seen.get_mut(name)?;
        agent.at = Instant::now();
        agent.is_to_be_told().then(|| agent.offers.clone())
    }

    /// Those that asked this replica lately.
    pub(crate) fn own(&self) -> Vec<(String, Vec<Offer>)> {
        let seen = self.seen();
        let own = seen.iter().filter(|(_, agent)| agent.told.is_some());
        own.map(|(name, agent)| (name.clone(), agent.offers.clone()))
            .collect()
    }

    /// How many offer this.
    pub(crate) fn offering(&self, offer: &Offer) -> usize {
        let seen = self.seen();
        seen.values()
            .filter(|agent| agent.offers.contains(offer))
            .count()
    }

    /// An offer for a target, device and generator: of several the one that most agents make.
    pub(crate) fn offer(
        &self,
        target: &Target,
        device: Option<&str>,
        generator: Generator,
    ) -> Option<Offer> {
        let seen = self.seen();
        let all = seen.values().flat_map(|agent| &agent.offers);
        let fits = |offer: &&Offer| {
            let made = &offer.provenance;
            made.target == target
                && made.generator == generator
                && device.is_none_or(|device| made.device == device)
        };
        let mut counts: Vec<(&Offer, usize)> = Vec::new();
        for offer in all.filter(fits) {
            match counts.iter_mut().find(|(known, _)| *known == offer) {
                Some((_, count)) => *count += 1,
                None => counts.push((offer, 1)),
            }
        }
        let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map(|(offer, _)| offer.clone())
    }

    /// All of them.
    pub(crate) fn present(&self) -> Vec<Present> {
        let seen = self.seen();
        let present = seen.iter().map(|(name, agent)| Present {
            name: name.clone(),
            offers: agent.offers.clone(),
            silent: agent.at.elapsed(),
        });
        present.collect()
    }
}

/// Notes that an agent is there. One that offers something else than before is told anew.
fn note(seen: &mut BTreeMap<String, Seen>, name: &str, offers: &[Offer]) {
    if seen.len() >= MOST && !seen.contains_key(name) {
        return;
    }
    let at = Instant::now();
    let told = seen.get(name).filter(|agent| agent.offers == offers);
    let told = told.and_then(|agent| agent.told);
    let offers = offers.to_vec();
    seen.insert(name.to_owned(), Seen { offers, at, told });
}
