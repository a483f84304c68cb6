//! A queue in NATS JetStream, for a fleet.
//!
//! A work-queue stream keeps what was put, on disk; a durable pull consumer for each lane of a line gives it out, counts the
//! deliveries, delivers again and forgets what is done. Nothing of this is done here. What is: calls that go on asking while
//! NATS is away, waiting for what is put, and takers that leave without taking anything along.

mod calls;
mod names;
mod notices;
mod settings;
mod taker;
mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::PublishMessage;
use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep_until};

use crate::queue::LONGEST;
use crate::{Bus, Delivery, Fault, Lane, Line, Queue, QueueError, Receipt, Work};
use calls::Calls;
use notices::Notices;
pub use settings::Settings;
use taker::Taker;
use words::Words;

/// A queue in JetStream.
pub struct JetStream {
    calls: Calls,
    notices: Notices,
    words: Words,
    patience: Duration,
}

impl JetStream {
    /// Connects, and makes the stream where it is not there yet.
    ///
    /// # Errors
    ///
    /// `Settings` where an address or a file cannot be used, `Denied`, `Silent` where nobody answers within the limit, and
    /// `Refused` where NATS has no JetStream or keeps something else under the name of the stream.
    pub async fn connect(settings: &Settings) -> Result<Self, QueueError> {
        let calls = Calls::connect(settings).await?;
        calls.insist(|| calls.prepare(&[])).await?;
        let notices = Notices::listen(calls.client()).await;
        let words = Words::listen(calls.client()).await;
        Ok(Self {
            notices: notices.map_err(|fault| calls.error(fault))?,
            words: words.map_err(|fault| calls.error(fault))?,
            calls,
            patience: settings.patience,
        })
    }

    /// Tells the engine what becomes of a delivery, and waits until it has said that it knows.
    async fn tell(&self, receipt: &Receipt, what: AckKind) -> Result<(), QueueError> {
        let consumer = names::consumer_of(receipt);
        let consumer = consumer.ok_or_else(|| self.calls.error(Fault::Receipt))?;
        self.calls
            .insist(|| self.calls.request(receipt.as_str(), consumer, what))
            .await
    }
}

#[async_trait]
impl Queue for JetStream {
    async fn put(&self, work: Work) -> Result<(), QueueError> {
        let subject = names::subject(&work.line, work.lane);
        let publish = PublishMessage::build()
            .message_id(names::message_id(&work))
            .payload(work.payload);
        self.calls
            .insist(|| self.calls.publish(&subject, &publish))
            .await?;
        self.notices.tell(&work.line).await;
        Ok(())
    }

    async fn next(&self, lines: &[Line], wait: Duration) -> Result<Option<Delivery>, QueueError> {
        let deadline = Instant::now() + wait.min(LONGEST);
        let lanes = Lane::ALL.into_iter();
        let lanes = lanes.flat_map(|lane| lines.iter().map(move |line| (line, lane)));
        let lanes: Vec<(&Line, Lane)> = lanes.collect();
        let bells = self.notices.bells(lines);
        loop {
            let found = self.calls.insist(|| async {
                let stream = self.calls.prepare(&lanes).await?;
                Taker::new(&self.calls).await?.take(stream, &lanes).await
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

    async fn stay(&self, receipt: &Receipt) -> Result<(), QueueError> {
        self.tell(receipt, AckKind::Progress).await
    }

    async fn done(&self, receipt: &Receipt) -> Result<(), QueueError> {
        self.tell(receipt, AckKind::Ack).await
    }

    async fn give_back(&self, receipt: &Receipt, after: Duration) -> Result<(), QueueError> {
        let after = Some(after.min(LONGEST)).filter(|after| !after.is_zero());
        self.tell(receipt, AckKind::Nak(after)).await
    }

    async fn count(&self) -> Result<BTreeMap<Line, u64>, QueueError> {
        self.calls.insist(|| self.calls.count()).await
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

#[async_trait]
impl Bus for JetStream {
    async fn say(&self, word: Bytes) {
        self.words.say(word).await;
    }

    fn listen(&self) -> broadcast::Receiver<Bytes> {
        self.words.heard()
    }
}
