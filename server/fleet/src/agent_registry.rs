//! Agent registry: the agents that contacted a replica lately, and their capabilities.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use configgen::{Generator, Target};
use serde::{Deserialize, Serialize};
use server_dispatch::Topic;
use tokio::time::Instant;
use tuner::{Offer, Toolchain};

use crate::study_request::build_topic;
use crate::wire::Condition;

/// Time after which a silent agent counts as gone. An agent that waits for work asks several
/// times within it, and an agent that works renews its lease.
pub(crate) const PRESENCE: Duration = Duration::from_secs(60);

/// Time between two messages to the other replicas about the same agent.
pub(crate) const TOLD: Duration = Duration::from_secs(15);

/// Largest number of agents in the registry: their names come from outside.
const MOST: usize = 10_000;

/// Largest total size of names and capabilities, in bytes. An agent with a device has about a
/// thousand. One answer lists all of them.
const BYTES: usize = 16 << 20;

/// Largest number of devices of one agent with a known condition.
const DEVICES: usize = 256;

/// Characters kept of the reason of a quarantine.
const REASON: usize = 500;

/// The capabilities of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentCapabilities {
    /// Its devices, each with the builder of its kernels.
    pub offers: Vec<Offer>,
    /// Its toolchains, with which it builds for the devices of other agents.
    #[serde(default)]
    pub builds: Vec<Toolchain>,
    /// The conditions of its devices, by device number.
    #[serde(default)]
    pub devices: Vec<Condition>,
}

impl AgentCapabilities {
    /// Returns true unless all devices with a known condition are in quarantine.
    fn is_fit(&self) -> bool {
        self.devices.is_empty() || !self.devices.iter().all(Condition::is_left_alone)
    }

    /// Returns true if the other replicas need no message at once about a change from `self` to
    /// `other`.
    fn is_like(&self, other: &AgentCapabilities) -> bool {
        let left_alone = |offered: &AgentCapabilities| -> Vec<u32> {
            let devices = offered.devices.iter().filter(|it| it.is_left_alone());
            devices.map(|device| device.device).collect()
        };
        self.offers == other.offers
            && self.builds == other.builds
            && left_alone(self) == left_alone(other)
    }

    /// Adds the known conditions of the agent's other devices, and shortens the reasons of
    /// quarantines.
    fn with_devices_of(mut self, known: &[Condition]) -> AgentCapabilities {
        let mut devices: BTreeMap<u32, Condition> = BTreeMap::new();
        for device in known.iter().chain(&self.devices) {
            // A request lists only the free devices; the others keep their last condition.
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

/// Largest number of topics that a build agent waits for: the queue looks into each of them.
const LINES: usize = 64;

/// The consequences of an agent's request.
pub(crate) struct Arrival {
    /// True if the replica tells the others about the agent.
    pub(crate) is_to_be_told: bool,
    /// True if no other agent makes one of its offers.
    pub(crate) is_new: bool,
}

struct AgentSighting {
    offered: AgentCapabilities,
    /// Size in bytes of its name and its capabilities, as JSON.
    bytes: usize,
    at: Instant,
    /// Time of the last message about it from this replica to the others.
    told: Option<Instant>,
}

impl AgentSighting {
    /// Returns true if a message to the other replicas is due, and notes its time.
    fn is_to_be_told(&mut self) -> bool {
        let is_due = self.told.is_none_or(|told| told.elapsed() >= TOLD);
        if is_due {
            self.told = Some(Instant::now());
        }
        is_due
    }
}

/// The agents that are present, by name.
#[derive(Default)]
pub(crate) struct AgentRegistry(Mutex<BTreeMap<String, AgentSighting>>);

impl AgentRegistry {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, AgentSighting>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Every use forgets silent agents, so no task has to.
        seen.retain(|_, agent| agent.at.elapsed() < PRESENCE);
        seen
    }

    /// Notes that an agent asks this replica for work.
    pub(crate) fn asked(&self, name: &str, offered: &AgentCapabilities) -> Arrival {
        let mut seen = self.seen();
        let is_new = is_new(&seen, offered);
        note(&mut seen, name, offered);
        Arrival {
            is_to_be_told: seen.get_mut(name).is_some_and(AgentSighting::is_to_be_told),
            is_new,
        }
    }

    /// Notes an agent that contacted another replica. Returns true if it makes an offer that no
    /// other agent makes.
    pub(crate) fn heard(&self, name: &str, offered: &AgentCapabilities) -> bool {
        let mut seen = self.seen();
        let is_new = is_new(&seen, offered);
        note(&mut seen, name, offered);
        is_new
    }

    /// Notes that an agent works. Returns its capabilities if a message to the other replicas is
    /// due, without device conditions, because another replica may have newer ones.
    pub(crate) fn worked(&self, name: &str) -> Option<AgentCapabilities> {
        let mut seen = self.seen();
        let agent = seen.get_mut(name)?;
        agent.at = Instant::now();
        agent.is_to_be_told().then(|| AgentCapabilities {
            devices: Vec::new(),
            ..agent.offered.clone()
        })
    }

    /// Returns the agents that contacted this replica lately.
    pub(crate) fn own(&self) -> Vec<(String, AgentCapabilities)> {
        let seen = self.seen();
        let own = seen.iter().filter(|(_, agent)| agent.told.is_some());
        own.map(|(name, agent)| (name.clone(), agent.offered.clone()))
            .collect()
    }

    /// Returns the number of agents that make this offer and have a device outside quarantine.
    pub(crate) fn offering(&self, offer: &Offer) -> usize {
        let seen = self.seen();
        let offering = |agent: &&AgentSighting| agent.offered.offers.contains(offer);
        seen.values()
            .filter(|agent| offering(agent) && agent.offered.is_fit())
            .count()
    }

    /// Returns true if any agent lends a device outside quarantine.
    pub(crate) fn is_any_fit(&self) -> bool {
        let lends =
            |agent: &AgentSighting| !agent.offered.offers.is_empty() && agent.offered.is_fit();
        self.seen().values().any(lends)
    }

    /// Returns the number of agents that build with this toolchain for the devices of others.
    pub(crate) fn building(&self, toolchain: &Toolchain) -> usize {
        let seen = self.seen();
        seen.values()
            .filter(|agent| agent.offered.builds.contains(toolchain))
            .count()
    }

    /// Returns the build topics of present devices that one of these toolchains can serve.
    pub(crate) fn lines_to_build(&self, toolchains: &[Toolchain]) -> Vec<Topic> {
        let seen = self.seen();
        let offers = seen.values().flat_map(|agent| &agent.offered.offers);
        let is_built = |offer: &&Offer| toolchains.contains(&Toolchain::from(&offer.provenance));
        let lines: BTreeSet<Topic> = offers.filter(is_built).map(build_topic).collect();
        lines.into_iter().take(LINES).collect()
    }

    /// Returns an offer for a target, device and generator: the one that most agents make.
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
        // `rev` makes the first of several equal counts win, since `max_by_key` returns the last
        // maximum.
        let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map(|(offer, _)| offer.clone())
    }

    /// Returns every present agent: its name, its capabilities, and the time since its last
    /// contact.
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

/// Returns true if one of the offers comes from no present agent.
fn is_new(seen: &BTreeMap<String, AgentSighting>, offered: &AgentCapabilities) -> bool {
    let is_known = |offer: &Offer| {
        let mut known = seen.values().flat_map(|agent| &agent.offered.offers);
        known.any(|one| one == offer)
    };
    !offered.offers.iter().all(is_known)
}

/// Notes that an agent is present. If its capabilities changed, the next message about it is due
/// at once.
fn note(seen: &mut BTreeMap<String, AgentSighting>, name: &str, offered: &AgentCapabilities) {
    // A known agent passes: a flood of invented names must not silence the agents that work.
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
