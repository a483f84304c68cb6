//! Agents: who has been heard of lately, and what they offer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use configgen::{Generator, Target};
use dispatch::Topic;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tuner::{Offer, Toolchain};

use crate::study_request::build_topic;
use crate::wire::Condition;

/// Time after which an agent that says nothing counts as gone. An agent that waits for work asks several times within it,
/// and one that works says so.
pub(crate) const PRESENCE: Duration = Duration::from_secs(60);

/// Time between two words to the other replicas that an agent is there.
pub(crate) const TOLD: Duration = Duration::from_secs(15);

/// Agents that are remembered at most: names come from outside.
const MOST: usize = 10_000;

/// Bytes of names and offers that are remembered at most; an agent with a device has about a thousand. All of them are
/// listed in one answer.
const BYTES: usize = 16 << 20;

/// Devices of one agent of which it is known how they are, at most.
const DEVICES: usize = 256;

/// Characters that are kept of why a device is left alone.
const REASON: usize = 500;

/// What an agent can be asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentCapabilities {
    /// Its devices, with what builds kernels for them.
    pub offers: Vec<Offer>,
    /// What it builds kernels with for the devices of others.
    #[serde(default)]
    pub builds: Vec<Toolchain>,
    /// How its devices are, by their numbers.
    #[serde(default)]
    pub devices: Vec<Condition>,
}

impl AgentCapabilities {
    /// Whether there is a device that is not left alone, as far as is known.
    fn is_fit(&self) -> bool {
        self.devices.is_empty() || !self.devices.iter().all(Condition::is_left_alone)
    }

    /// Whether others need not hear at once of what changed from this to that.
    fn is_like(&self, other: &AgentCapabilities) -> bool {
        let left_alone = |offered: &AgentCapabilities| -> Vec<u32> {
            let devices = offered.devices.iter().filter(|it| it.is_left_alone());
            devices.map(|device| device.device).collect()
        };
        self.offers == other.offers
            && self.builds == other.builds
            && left_alone(self) == left_alone(other)
    }

    /// What was known of other devices stays.
    fn with_devices_of(mut self, known: &[Condition]) -> AgentCapabilities {
        let mut devices: BTreeMap<u32, Condition> = BTreeMap::new();
        for device in known.iter().chain(&self.devices) {
            if devices.len() < DEVICES || devices.contains_key(&device.device) {
                devices.insert(device.device, device.clone());
            }
        }
        let mut devices: Vec<Condition> = devices.into_values().collect();
        for quarantine in devices.iter_mut().filter_map(|it| it.quarantine.as_mut()) {
            if let Some((end, _)) = quarantine.reason.char_indices().nth(REASON) {
                quarantine.reason.truncate(end);
            }
        }
        self.devices = devices;
        self
    }
}

/// Lines that one who builds waits for at most: a queue looks into each of them.
const LINES: usize = 64;

/// What is to be done about an agent that asks.
pub(crate) struct Arrival {
    /// Whether the other replicas are to hear of it.
    pub(crate) is_to_be_told: bool,
    /// Whether it offers something that nobody did.
    pub(crate) is_new: bool,
}

struct AgentSighting {
    offered: AgentCapabilities,
    /// Bytes of its name and of what it offers, as JSON.
    bytes: usize,
    at: Instant,
    /// When the other replicas heard of it from this one.
    told: Option<Instant>,
}

impl AgentSighting {
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
pub(crate) struct AgentRegistry(Mutex<BTreeMap<String, AgentSighting>>);

impl AgentRegistry {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, AgentSighting>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, agent| agent.at.elapsed() < PRESENCE);
        seen
    }

    /// An agent asks for work of these kinds.
    pub(crate) fn asked(&self, name: &str, offered: &AgentCapabilities) -> Arrival {
        let mut seen = self.seen();
        let is_new = is_new(&seen, offered);
        note(&mut seen, name, offered);
        Arrival {
            is_to_be_told: seen.get_mut(name).is_some_and(AgentSighting::is_to_be_told),
            is_new,
        }
    }

    /// Another replica has heard of an agent; whether it offers something that nobody did.
    pub(crate) fn heard(&self, name: &str, offered: &AgentCapabilities) -> bool {
        let mut seen = self.seen();
        let is_new = is_new(&seen, offered);
        note(&mut seen, name, offered);
        is_new
    }

    /// An agent works; what it offers, where the other replicas are to hear of it. Of its devices another may know more.
    pub(crate) fn worked(&self, name: &str) -> Option<AgentCapabilities> {
        let mut seen = self.seen();
        let agent = seen.get_mut(name)?;
        agent.at = Instant::now();
        agent.is_to_be_told().then(|| AgentCapabilities {
            devices: Vec::new(),
            ..agent.offered.clone()
        })
    }

    /// Those that asked this replica lately.
    pub(crate) fn own(&self) -> Vec<(String, AgentCapabilities)> {
        let seen = self.seen();
        let own = seen.iter().filter(|(_, agent)| agent.told.is_some());
        own.map(|(name, agent)| (name.clone(), agent.offered.clone()))
            .collect()
    }

    /// How many offer this, and have a device that is not left alone.
    pub(crate) fn offering(&self, offer: &Offer) -> usize {
        let seen = self.seen();
        let offering = |agent: &&AgentSighting| agent.offered.offers.contains(offer);
        seen.values()
            .filter(|agent| offering(agent) && agent.offered.is_fit())
            .count()
    }

    /// Whether any lends a device that is not left alone.
    pub(crate) fn is_any_fit(&self) -> bool {
        let lends =
            |agent: &AgentSighting| !agent.offered.offers.is_empty() && agent.offered.is_fit();
        self.seen().values().any(lends)
    }

    /// How many build kernels with this for the devices of others.
    pub(crate) fn building(&self, toolchain: &Toolchain) -> usize {
        let seen = self.seen();
        seen.values()
            .filter(|agent| agent.offered.builds.contains(toolchain))
            .count()
    }

    /// Where work waits that can be built with one of these, for the devices that are there.
    pub(crate) fn lines_to_build(&self, toolchains: &[Toolchain]) -> Vec<Topic> {
        let seen = self.seen();
        let offers = seen.values().flat_map(|agent| &agent.offered.offers);
        let is_built = |offer: &&Offer| toolchains.contains(&Toolchain::from(&offer.provenance));
        let lines: BTreeSet<Topic> = offers.filter(is_built).map(build_topic).collect();
        lines.into_iter().take(LINES).collect()
    }

    /// An offer for a target, device and generator: of several the one that most agents make.
    pub(crate) fn offer(
        &self,
        target: &Target,
        device: Option<&str>,
        generator: Generator,
    ) -> Option<Offer> {
        let seen = self.seen();
        let all = seen.values().flat_map(|agent| &agent.offered.offers);
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

    /// All of them: name, what it can be asked for, and the time since it was last heard of.
    pub(crate) fn present(&self) -> Vec<(String, AgentCapabilities, Duration)> {
        let seen = self.seen();
        let present = seen.iter();
        let present = present.map(|(name, agent)| {
            let silent = agent.at.elapsed();
            (name.clone(), agent.offered.clone(), silent)
        });
        present.collect()
    }
}

/// Whether this offers something that nobody does who is there.
fn is_new(seen: &BTreeMap<String, AgentSighting>, offered: &AgentCapabilities) -> bool {
    let is_known = |offer: &Offer| {
        let mut known = seen.values().flat_map(|agent| &agent.offered.offers);
        known.any(|one| one == offer)
    };
    !offered.offers.iter().all(is_known)
}

/// Notes that an agent is there. One that offers something else than before is told anew.
fn note(seen: &mut BTreeMap<String, AgentSighting>, name: &str, offered: &AgentCapabilities) {
    if seen.len() >= MOST && !seen.contains_key(name) {
        return;
    }
    let at = Instant::now();
    let known = seen.get(name);
    let devices = known.map_or(&[][..], |agent| &agent.offered.devices);
    let offered = offered.clone().with_devices_of(devices);
    let written = serde_json::to_vec(&offered).expect("its keys are text");
    let bytes = name.len() + written.len();
    let others = seen.iter().filter(|(other, _)| *other != name);
    let others: usize = others.map(|(_, agent)| agent.bytes).sum();
    if others + bytes > BYTES {
        return;
    }
    let told = known.filter(|agent| agent.offered.is_like(&offered));
    let told = told.and_then(|agent| agent.told);
    let agent = AgentSighting {
        offered,
        bytes,
        at,
        told,
    };
    seen.insert(name.to_owned(), agent);
}
