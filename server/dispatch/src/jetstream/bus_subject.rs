//! The bus as a NATS subject, which stores nothing.

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

/// A replica's end of the bus.
pub(super) struct BusSubject {
    client: Client,
    heard: broadcast::Sender<Bytes>,
    listening: JoinHandle<()>,
}

impl BusSubject {
    /// Subscribes to the bus. The subscription survives reconnections.
    pub(super) async fn listen(client: Client) -> Result<Self, QueueFault> {
        let subscriber = client.subscribe(subjects::WORDS).await;
        let mut subscriber = subscriber.map_err(|error| QueueFault::Refused(error.to_string()))?;
        let heard = broadcast::Sender::new(WORDS);
        let words = heard.clone();
        let listening = tokio::spawn(async move {
            while let Some(word) = subscriber.next().await {
                // Fails without subscribers, which is no error.
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
        // A message waits for no absent NATS: the bus may lose it.
        let said = timeout(ATTEMPT, self.client.publish(subjects::WORDS, word)).await;
        if !matches!(said, Ok(Ok(()))) {
            debug!("a bus message was not sent");
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
