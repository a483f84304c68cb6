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

    /// An agent asks for work of these kinds.
    pub(crate) fn asked(&self, name: &str, offers: &[Offer]) {
        let mut seen = self.seen();
        if seen.len() < MOST || seen.contains_key(name) {
            let (offers, at) = (offers.to_vec(), Instant::now());
            seen.insert(name.to_owned(), Seen { offers, at });
        }
    }

    /// An agent works.
    pub(crate) fn worked(&self, name: &str) {
        if let Some(agent) = self.seen().get_mut(name) {
            agent.at = Instant::now();
        }
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
