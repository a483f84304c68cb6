//! A queue in NATS JetStream, for a fleet.
//!
//! A work-queue stream stores the items on disk. For each topic and urgency, a durable pull
//! consumer delivers them, counts deliveries, redelivers, and forgets acknowledged items. This
//! module adds retries while NATS is away, waiting for items, and pullers that give back their
//! items when they are dropped.

mod bus_subject;
mod nats_client;
mod puller;
mod put_notice;
mod settings;
mod subjects;

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::PublishMessage;
use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep_until};

use crate::queue::LONGEST;
use crate::{AckHandle, Bus, Delivery, Queue, QueueError, QueueFault, QueueItem, Topic, Urgency};
use bus_subject::BusSubject;
use nats_client::NatsClient;
use puller::Puller;
use put_notice::PutNotices;
pub use settings::JetStreamSettings;

/// A broker in JetStream.
pub struct JetStream {
    calls: NatsClient,
    notices: PutNotices,
    words: BusSubject,
    patience: Duration,
}

impl JetStream {
    /// Connects to NATS, and creates the stream unless it exists.
    ///
    /// # Errors
    ///
    /// - `Settings`: an address or a file is invalid.
    /// - `Denied`.
    /// - `Silent`: no server answers within the limit.
    /// - `Refused`: NATS has no JetStream, or another stream has the name.
    pub async fn connect(settings: &JetStreamSettings) -> Result<Self, QueueError> {
        let calls = NatsClient::connect(settings).await?;
        // A wrong setting of the stream fails here, and not at the first item.
        calls.retry(|| calls.prepare(&[])).await?;
        let notices = PutNotices::listen(calls.client(), settings.look).await;
        let words = BusSubject::listen(calls.client()).await;
        Ok(Self {
            notices: notices.map_err(|fault| calls.error(fault))?,
            words: words.map_err(|fault| calls.error(fault))?,
            calls,
            patience: settings.patience,
        })
    }

    /// Sends the acknowledgement of a delivery, and waits for JetStream's confirmation.
    async fn tell(&self, receipt: &AckHandle, what: AckKind) -> Result<(), QueueError> {
        let consumer = subjects::consumer_of(receipt);
        let consumer = consumer.ok_or_else(|| self.calls.error(QueueFault::Receipt))?;
        self.calls
            .retry(|| self.calls.request(receipt.as_str(), consumer, what))
            .await
    }
}

#[async_trait]
impl Queue for JetStream {
    async fn put(&self, work: QueueItem) -> Result<(), QueueError> {
        let subject = subjects::subject(&work.topic, work.urgency);
        let publish = PublishMessage::build()
            .message_id(subjects::message_id(&work))
            .payload(work.payload);
        self.calls
            .retry(|| self.calls.publish(&subject, &publish))
            .await?;
        self.notices.tell(&work.topic).await;
        Ok(())
    }

    async fn next(&self, lines: &[Topic], wait: Duration) -> Result<Option<Delivery>, QueueError> {
        let deadline = Instant::now() + wait.min(LONGEST);
        // Urgent items of every topic go before normal ones of any.
        let lanes = Urgency::ALL.into_iter();
        let lanes = lanes.flat_map(|lane| lines.iter().map(move |line| (line, lane)));
        let lanes: Vec<(&Topic, Urgency)> = lanes.collect();
        let bells = self.notices.bells(lines);
        loop {
            let found = self.calls.retry(|| async {
                let stream = self.calls.prepare(&lanes).await?;
                Puller::new(&self.calls).await?.take(stream, &lanes).await
            });
            if let Some((delivery, line)) = found.await? {
                // There may be more items: wake the next waiter.
                self.notices.ring(line);
                return Ok(Some(delivery));
            }
            tokio::select! {
                () = bells.ring() => {}
                () = sleep_until(deadline) => return Ok(None),
            }
        }
    }

    async fn renew(&self, receipt: &AckHandle) -> Result<(), QueueError> {
        self.tell(receipt, AckKind::Progress).await
    }

    async fn acknowledge(&self, receipt: &AckHandle) -> Result<(), QueueError> {
        self.tell(receipt, AckKind::Ack).await
    }

    async fn give_back(&self, receipt: &AckHandle, after: Duration) -> Result<(), QueueError> {
        let after = Some(after.min(LONGEST)).filter(|after| !after.is_zero());
        self.tell(receipt, AckKind::Nak(after)).await
    }

    async fn count(&self) -> Result<BTreeMap<Topic, u64>, QueueError> {
        self.calls.retry(|| self.calls.count()).await
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

#[async_trait]
impl Bus for JetStream {
    async fn publish(&self, word: Bytes) {
        self.words.publish(word).await;
    }

    fn subscribe(&self) -> broadcast::Receiver<Bytes> {
        self.words.subscribe()
    }
}
