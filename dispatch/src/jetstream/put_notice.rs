//! Who waits for work, and is told when there may be some.
//!
//! JetStream could keep the requests of those who wait. Its consumers would then have requests of takers that are gone, and
//! nats-server 2.9.10, which finds none alive for work that is to be delivered again, goes back by one in its stream instead
//! (`o.sseq--` in its `server/consumer.go`) and delivers what is in somebody's hands. So nobody waits there. Who puts something
//! in says so, and each replica lets one of its takers look; it lets one look from time to time besides, for what comes back by
//! itself. Who finds something lets the next one look. However many wait, a consumer is asked a few times a second.

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

/// How often one looks that was told nothing: what is given back, or was not heard of, waits so long at most.
const LOOK: Duration = Duration::from_millis(500);

/// Those who wait in this replica.
pub(super) struct PutNotices {
    waiting: Arc<TopicNotifiers>,
    client: Client,
    listening: JoinHandle<()>,
}

/// The bell of each line, under the line's name in subjects.
#[derive(Default)]
struct TopicNotifiers(Mutex<HashMap<String, Arc<Notify>>>);

impl PutNotices {
    /// Listens for what others say.
    pub(super) async fn listen(client: Client) -> Result<Self, QueueFault> {
        let subscriber = client.subscribe(subjects::ALL_NOTICES).await;
        let mut subscriber = subscriber.map_err(|error| QueueFault::Refused(error.to_string()))?;
        let waiting = Arc::new(TopicNotifiers::default());
        let heard = waiting.clone();
        let listening = tokio::spawn(async move {
            let mut look = interval(LOOK);
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

    /// Tells all replicas that something was put into a line. Where it is not heard, it is found by who looks from time to time.
    pub(super) async fn tell(&self, line: &Topic) {
        let told = self.client.publish(subjects::notice(line), Bytes::new());
        // What is put is put: this waits for no NATS that has just gone.
        if !matches!(timeout(LOOK, told).await, Ok(Ok(()))) {
            self.ring(line);
        }
    }

    /// Lets one who waits for this line in this replica look.
    pub(super) fn ring(&self, line: &Topic) {
        self.waiting.ring(&line.to_string());
    }

    /// The bells of these lines.
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

    /// Where nobody waits, the next who comes looks once more for nothing.
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

/// What a taker listens to.
pub(super) struct NotifierSet(Vec<Arc<Notify>>);

impl NotifierSet {
    /// Until one of them rings. Who is called and goes away before it looks is replaced by the next.
    pub(super) async fn ring(&self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        select_all(self.0.iter().map(|bell| Box::pin(bell.notified()))).await;
    }
}
