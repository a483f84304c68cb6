//! What an agent and the service say to each other, as JSON.
//!
//! The agent asks, the service answers; so an agent needs no address of its own.

use configgen::Target;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tuner::{Batch, BatchEventKind, BatchId, DriftStatus, Offer, Toolchain};

use crate::keys::SignedKernels;

/// An agent asks for work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseRequest {
    /// Its name, for people.
    pub agent: String,
    /// What the devices that are free can be asked for.
    pub offers: Vec<Offer>,
    /// How they are.
    #[serde(default)]
    pub devices: Vec<Condition>,
    /// Seconds that it waits for work; the service may answer sooner.
    pub wait_s: u32,
}

/// How a device of an agent is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its number among the agent's devices.
    pub device: u32,
    /// What its control kernel told last; none of a device whose times repeat exactly, and before its first batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<DriftStatus>,
    /// Why it is left alone; none where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

impl Condition {
    /// Whether it is to get no work.
    pub fn is_left_alone(&self) -> bool {
        self.quarantine.is_some()
    }
}

/// A device is left alone for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// Why.
    pub reason: String,
    /// Seconds that are left of it.
    pub left_s: u32,
}

/// Work for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// By which it is spoken of; whoever has it has the lease.
    pub token: String,
    /// What is to be done.
    pub batch: Batch,
    /// What was built of it elsewhere, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<SignedKernels>,
    /// Seconds after which somebody else gets the work, where nothing was heard of the lease.
    pub patience_s: u32,
}

/// The holder of a lease is still at it, or will not do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseReference {
    /// Of the lease.
    pub token: String,
    /// What it is of.
    pub batch: BatchId,
}

/// The holder of a lease tells what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseReport {
    /// Of the lease.
    pub token: String,
    /// What it is of.
    pub batch: Batch,
    /// What there is to say, in order. It may be said twice.
    pub news: Vec<BatchEventKind>,
}

/// What the holder of a lease hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseReply {
    /// Whether anybody wants to hear more of it; if not, the rest need not be done.
    pub is_wanted: bool,
}

/// An agent without a device asks for something to build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildRequest {
    /// Its name, for people.
    pub agent: String,
    /// What it builds with.
    pub builds: Vec<Toolchain>,
    /// Seconds that it waits for something; the service may answer sooner.
    pub wait_s: u32,
}

/// A batch for an agent to build, which another agent will try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildLease {
    /// By which it is spoken of; whoever has it has the lease.
    pub token: String,
    /// What is to be built.
    pub batch: Batch,
    /// By what.
    pub toolchain: Toolchain,
    /// For which instruction set.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// Seconds after which the device's agent builds it, where nothing was heard of the lease.
    pub patience_s: u32,
}

/// The holder of a batch to build hands in what it has built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltKernels {
    /// Of the lease.
    pub token: String,
    /// What it is of.
    pub batch: Batch,
    /// Its kernels, a [`tuner::Pack`] in writing; none where they could not be built.
    pub kernels: Option<String>,
}

pub(crate) fn name_of<S: Serializer>(target: &&'static Target, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(target.name)
}

pub(crate) fn target_named<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<&'static Target, D::Error> {
    let name = String::deserialize(from)?;
    Target::named(&name).ok_or_else(|| serde::de::Error::custom("an unknown target"))
}
