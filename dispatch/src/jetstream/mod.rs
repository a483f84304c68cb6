//! A queue in NATS JetStream, for a fleet.
//!
//! A work-queue stream keeps what was put, on disk; a durable pull consumer for each lane of a line gives it out, counts the
//! deliveries, delivers again and forgets what is done. Nothing of this is done here. What is: calls that go on asking while
//! NATS is away, waiting for what is put, and takers that leave without taking anything along.

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

/// A queue in JetStream.
pub struct JetStream {
    calls: NatsClient,
    notices: PutNotices,
    words: BusSubject,
    patience: Duration,
}

impl JetStream {
    /// Connects, and makes the stream where it is not there yet.
    ///
    /// # Errors
    ///
    /// `Settings` where an address or a file cannot be used, `Denied`, `Silent` where nobody answers within the limit, and
    /// `Refused` where NATS has no JetStream or keeps something else under the name of the stream.
    pub async fn connect(settings: &JetStreamSettings) -> Result<Self, QueueError> {
        let calls = NatsClient::connect(settings).await?;
        calls.retry(|| calls.prepare(&[])).await?;
        let notices = PutNotices::listen(calls.client()).await;
        let words = BusSubject::listen(calls.client()).await;
        Ok(Self {
            notices: notices.map_err(|fault| calls.error(fault))?,
            words: words.map_err(|fault| calls.error(fault))?,
            calls,
            patience: settings.patience,
        })
    }

    /// Tells the engine what becomes of a delivery, and waits until it has said that it knows.
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
                // There may be more.
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
