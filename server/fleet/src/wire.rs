//! What an agent and the service say to each other, as JSON.
//!
//! The agent asks, the service answers; so an agent needs no address of its own.

use serde::{Deserialize, Serialize};
use tuner::{Batch, BatchId, News, Offer};

/// An agent asks for work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Its name, for people.
    pub agent: String,
    /// What the devices that are free can be asked for.
    pub offers: Vec<Offer>,
    /// Seconds that it waits for work; the service may answer sooner.
    pub wait_s: u32,
}

/// Work for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// By which it is spoken of; whoever has it has the lease.
    pub token: String,
    /// What is to be done.
    pub batch: Batch,
    /// Seconds after which somebody else gets the work, where nothing was heard of the lease.
    pub patience_s: u32,
}

/// The holder of a lease is still at it, or will not do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Of the lease.
    pub token: String,
    /// What it is of.
    pub batch: BatchId,
}

/// The holder of a lease tells what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tell {
    /// Of the lease.
    pub token: String,
    /// What it is of.
    pub batch: Batch,
    /// What there is to say, in order. It may be said twice.
    pub news: Vec<News>,
}

/// What the holder of a lease hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Whether anybody wants to hear more of it; if not, the rest need not be done.
    pub is_wanted: bool,
}
