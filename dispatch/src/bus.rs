//! A word to all replicas of a service.

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;

use crate::Queue;

/// Words that are kept for a listener who is slow.
pub(crate) const WORDS: usize = 4096;

/// What replicas say to each other. Nothing may depend on a word: who is away has missed it, and who is slow misses some.
#[async_trait]
pub trait Bus: Send + Sync {
    /// Tells all who listen, in this replica and in the others.
    async fn publish(&self, word: Bytes);

    /// What is said from now on. The words of one replica come in their order.
    fn subscribe(&self) -> broadcast::Receiver<Bytes>;
}

/// What replicas of a service share beside their database: work, and words.
pub trait Broker: Queue + Bus {}

impl<T: Queue + Bus> Broker for T {}
