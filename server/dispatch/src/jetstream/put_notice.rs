//! Put notices: they wake the replicas that wait for items of a topic.
//!
//! JetStream could store the requests of waiting pullers, and would then have requests of pullers
//! that are gone. If nats-server 2.9.10 finds no live request for a redelivery, it goes back by
//! one in its stream (`o.sseq--` in its `server/consumer.go`). It then delivers an item that
//! another puller holds. So no request waits there.
//!
//! Instead, a replica that puts an item publishes a notice, and each replica lets one of its
//! waiters look. Every 500 ms ([`JetStreamSettings::look`](super::JetStreamSettings::look)), one
//! looks without a notice, for items that come back by themselves. A waiter that finds an item
//! wakes the next one. However many wait, a consumer gets a few requests per second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::select_all;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::subjects;
use crate::{QueueFault, Topic};

/// Longest time to send a notice. The item is stored already, so no caller waits for a NATS that
/// has just gone.
const SEND: Duration = Duration::from_millis(500);

/// The waiters of this replica.
pub(super) struct PutNotices {
    waiting: Arc<TopicNotifiers>,
    client: Client,
    listening: JoinHandle<()>,
}

/// The notifier of each topic, by the topic's name in subjects.
#[derive(Default)]
struct TopicNotifiers(Mutex<HashMap<String, Arc<Notify>>>);

impl PutNotices {
    /// Subscribes to the notices of all replicas. `look` is the time between two looks without a
    /// notice, and so the longest delay of a returned or expired item.
    pub(super) async fn listen(client: Client, look: Duration) -> Result<Self, QueueFault> {
        let subscriber = client.subscribe(subjects::ALL_NOTICES).await;
        let mut subscriber = subscriber.map_err(|error| QueueFault::Refused(error.to_string()))?;
        let waiting = Arc::new(TopicNotifiers::default());
        let heard = waiting.clone();
        let listening = tokio::spawn(async move {
            // Delayed ticks do not catch up: several looks at once would find nothing new.
            let mut look = interval(look);
            look.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    Some(notice) = subscriber.next() => {
                        let line = subjects::line_of_notice(&notice.subject).unwrap_or_default();
                        heard.ring(line);
                    }
                    _ = look.tick() => heard.ring_all(),
                }
            }
        });
        Ok(Self {
            waiting,
            client,
            listening,
        })
    }

    /// Notifies all replicas of an item in a topic. A lost notice delays the item until the next
    /// look.
    pub(super) async fn tell(&self, line: &Topic) {
        let told = self.client.publish(subjects::notice(line), Bytes::new());
        if !matches!(timeout(SEND, told).await, Ok(Ok(()))) {
            self.ring(line);
        }
    }

    /// Wakes one waiter of this topic in this replica.
    pub(super) fn ring(&self, line: &Topic) {
        self.waiting.ring(&line.to_string());
    }

    /// Returns the notifiers of these topics.
    pub(super) fn bells(&self, lines: &[Topic]) -> NotifierSet {
        NotifierSet(lines.iter().map(|line| self.waiting.bell(line)).collect())
    }
}

impl Drop for PutNotices {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl TopicNotifiers {
    fn bell(&self, line: &Topic) -> Arc<Notify> {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bells.entry(line.to_string()).or_default().clone()
    }

    /// Wakes one waiter of a topic. Without a waiter, the next one that comes looks once in vain.
    fn ring(&self, line: &str) {
        let bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = bells.get(line) {
            bell.notify_one();
        }
    }

    fn ring_all(&self) {
        let bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bells.values().for_each(|bell| bell.notify_one());
    }
}

/// The notifiers that a waiter awaits.
pub(super) struct NotifierSet(Vec<Arc<Notify>>);

impl NotifierSet {
    /// Waits until one of them fires. If the woken waiter goes away before it looks, the next one
    /// is woken.
    pub(super) async fn ring(&self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        select_all(self.0.iter().map(|bell| Box::pin(bell.notified()))).await;
    }
}
