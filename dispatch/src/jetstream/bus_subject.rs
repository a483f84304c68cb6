//! What replicas say to each other, by a subject of NATS that keeps nothing.

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::debug;

use super::nats_client::ATTEMPT;
use super::subjects;
use crate::QueueFault;
use crate::bus::WORDS;

/// The end of a replica.
pub(super) struct BusSubject {
    client: Client,
    heard: broadcast::Sender<Bytes>,
    listening: JoinHandle<()>,
}

impl BusSubject {
    /// Listens for what is said, also after the connection was lost and made anew.
    pub(super) async fn listen(client: Client) -> Result<Self, QueueFault> {
        let subscriber = client.subscribe(subjects::WORDS).await;
        let mut subscriber = subscriber.map_err(|error| QueueFault::Refused(error.to_string()))?;
        let heard = broadcast::Sender::new(WORDS);
        let words = heard.clone();
        let listening = tokio::spawn(async move {
            while let Some(word) = subscriber.next().await {
                // Nobody may listen.
                words.send(word.payload).ok();
            }
        });
        Ok(Self {
            client,
            heard,
            listening,
        })
    }

    pub(super) async fn publish(&self, word: Bytes) {
        // A NATS that is away is not waited for.
        let said = timeout(ATTEMPT, self.client.publish(subjects::WORDS, word)).await;
        if !matches!(said, Ok(Ok(()))) {
            debug!("a word was not sent");
        }
    }

    pub(super) fn subscribe(&self) -> broadcast::Receiver<Bytes> {
        self.heard.subscribe()
    }
}

impl Drop for BusSubject {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
