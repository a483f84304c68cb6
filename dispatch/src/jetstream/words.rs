//! What replicas say to each other, by a subject of NATS that keeps nothing.

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::debug;

use super::calls::ATTEMPT;
use super::names;
use crate::Fault;
use crate::bus::WORDS;

/// The end of a replica.
pub(super) struct Words {
    client: Client,
    heard: broadcast::Sender<Bytes>,
    listening: JoinHandle<()>,
}

impl Words {
    /// Listens for what is said, also after the connection was lost and made anew.
    pub(super) async fn listen(client: Client) -> Result<Self, Fault> {
        let subscriber = client.subscribe(names::WORDS).await;
        let mut subscriber = subscriber.map_err(|error| Fault::Refused(error.to_string()))?;
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

    pub(super) async fn say(&self, word: Bytes) {
        // A NATS that is away is not waited for.
        let said = timeout(ATTEMPT, self.client.publish(names::WORDS, word)).await;
        if !matches!(said, Ok(Ok(()))) {
            debug!("a word was not sent");
        }
    }

    pub(super) fn heard(&self) -> broadcast::Receiver<Bytes> {
        self.heard.subscribe()
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
