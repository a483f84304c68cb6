//! Messages between an agent and the service, as JSON.
//!
//! The agent asks and the service answers, so an agent needs no address of its own.

use configgen::Target;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tuner::{Batch, BatchEventKind, BatchId, DriftStatus, Offer, Toolchain};

use crate::keys::SignedKernels;

/// An agent's request for a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseRequest {
    /// Its name, for people.
    pub agent: String,
    /// The offers of its free devices.
    pub offers: Vec<Offer>,
    /// The conditions of its devices.
    #[serde(default)]
    pub devices: Vec<Condition>,
    /// Longest wait for a batch, in seconds; the service may answer sooner.
    pub wait_s: u32,
}

/// The condition of an agent's device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its number among the agent's devices.
    pub device: u32,
    /// The last drift status of its control kernel. None for a device whose times repeat exactly,
    /// and before its first batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<DriftStatus>,
    /// Its quarantine, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

impl Condition {
    /// Returns true if it gets no batches.
    pub fn is_left_alone(&self) -> bool {
        self.quarantine.is_some()
    }
}

/// A time in which a device gets no batches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// The reason.
    pub reason: String,
    /// Seconds that remain.
    pub left_s: u32,
}

/// A batch for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// The token of the lease. Its bearer holds the lease.
    pub token: String,
    /// The batch.
    pub batch: Batch,
    /// Its kernels, if a build agent built them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<SignedKernels>,
    /// Seconds without a sign of its holder, after which another agent gets the batch.
    pub patience_s: u32,
}

/// A reference to a lease, with which its holder renews it or gives it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseReference {
    /// The token of the lease.
    pub token: String,
    /// The batch of the lease.
    pub batch: BatchId,
}

/// Results of a lease from its holder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseReport {
    /// The token of the lease.
    pub token: String,
    /// The batch of the lease.
    pub batch: Batch,
    /// The events, in order. An agent may repeat them.
    pub news: Vec<BatchEventKind>,
}

/// The answer to the holder of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseReply {
    /// False if no director wants more results, so that the holder can stop.
    pub is_wanted: bool,
}

/// An agent's request for a batch to build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildRequest {
    /// Its name, for people.
    pub agent: String,
    /// Its toolchains.
    pub builds: Vec<Toolchain>,
    /// Longest wait for a batch, in seconds; the service may answer sooner.
    pub wait_s: u32,
}

/// A batch for an agent to build, which another agent will try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildLease {
    /// The token of the lease. Its bearer holds the lease.
    pub token: String,
    /// The batch.
    pub batch: Batch,
    /// The toolchain.
    pub toolchain: Toolchain,
    /// The instruction set.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// Seconds without a sign of its holder, after which the device's agent builds the batch.
    pub patience_s: u32,
}

/// The kernels of a build lease, from its holder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltKernels {
    /// The token of the lease.
    pub token: String,
    /// The batch of the lease.
    pub batch: Batch,
    /// Its kernels, a [`tuner::Pack`] as text; none if the build failed.
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
