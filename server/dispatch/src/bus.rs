//! The bus: messages to all replicas of a service.

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;

use crate::Queue;

/// Messages kept for a slow subscriber.
pub(crate) const WORDS: usize = 4096;

/// A bus between replicas. No replica may depend on a message: an absent one misses it, and a
/// slow one misses some.
#[async_trait]
pub trait Bus: Send + Sync {
    /// Publishes a message to all subscribers in this replica and the others.
    async fn publish(&self, word: Bytes);

    /// Subscribes to the messages from now on. Messages of one replica come in their order.
    fn subscribe(&self) -> broadcast::Receiver<Bytes>;
}

/// A broker: the queue and the bus that the replicas of a service share beside their database.
pub trait Broker: Queue + Bus {}

impl<T: Queue + Bus> Broker for T {}
