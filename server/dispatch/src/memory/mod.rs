//! A queue in the memory of this process, for one machine.
//!
//! The items are lost with the process. The caller knows from its database the items that are
//! still to do, and puts them again.

mod queue_state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::{Notify, broadcast};
use tokio::time::{Instant, sleep_until};

use crate::bus::WORDS;
use crate::queue::LONGEST;
use crate::{AckHandle, Bus, Delivery, Queue, QueueError, QueueFault, QueueItem, Topic};
use queue_state::QueueState;

/// A broker in memory.
pub struct MemoryBroker {
    patience: Duration,
    /// Tells the ack handles of this process from those of another.
    life: u64,
    shelves: Mutex<QueueState>,
    /// Wakes waiters when an item becomes available, or will do so sooner.
    changed: Notify,
    words: broadcast::Sender<Bytes>,
}

impl MemoryBroker {
    /// Creates an empty queue. A holder of a delivery may be silent for `patience`, and the
    /// duplicate window is `window`.
    pub fn new(patience: Duration, window: Duration) -> Self {
        Self {
            patience: patience.min(LONGEST),
            life: rand::random(),
            shelves: Mutex::new(QueueState::new(window.min(LONGEST))),
            changed: Notify::new(),
            words: broadcast::Sender::new(WORDS),
        }
    }

    fn shelves(&self) -> MutexGuard<'_, QueueState> {
        // No step of the state can leave it half changed, so a poisoned lock is still consistent.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the item of an ack handle.
    fn number(&self, receipt: &AckHandle) -> Result<u64, QueueError> {
        let numbers = receipt.as_str().split_once('-');
        let numbers = numbers
            .and_then(|(life, number)| Some((life.parse::<u64>().ok()?, number.parse().ok()?)));
        match numbers {
            Some((life, number)) if life == self.life && self.shelves().gave(number) => Ok(number),
            _ => Err(QueueError {
                queue: "in memory".to_owned(),
                fault: QueueFault::Receipt,
            }),
        }
    }

    fn take(&self, lines: &[Topic]) -> Option<Delivery> {
        let taken = self.shelves().take(lines, Instant::now(), self.patience)?;
        Some(Delivery {
            payload: taken.payload,
            ack_handle: AckHandle::new(format!("{}-{}", self.life, taken.number)),
            deliveries: taken.deliveries,
        })
    }
}

#[async_trait]
impl Queue for MemoryBroker {
    async fn put(&self, work: QueueItem) -> Result<(), QueueError> {
        self.shelves().put(work, Instant::now());
        self.changed.notify_waiters();
        Ok(())
    }

    async fn next(&self, lines: &[Topic], wait: Duration) -> Result<Option<Delivery>, QueueError> {
        let deadline = Instant::now() + wait.min(LONGEST);
        loop {
            // Registers before it looks, or it would miss an item that is put in between.
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let delivery = self.take(lines);
            if delivery.is_some() || Instant::now() >= deadline {
                return Ok(delivery);
            }
            let next_return = self.shelves().next_return();
            let until = next_return.map_or(deadline, |instant| instant.min(deadline));
            tokio::select! {
                () = changed => {}
                () = sleep_until(until) => {}
            }
        }
    }

    async fn renew(&self, receipt: &AckHandle) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        let now = Instant::now();
        self.shelves().hold(number, now, self.patience);
        Ok(())
    }

    async fn acknowledge(&self, receipt: &AckHandle) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        self.shelves().remove(number);
        Ok(())
    }

    async fn give_back(&self, receipt: &AckHandle, after: Duration) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        self.shelves()
            .hold(number, Instant::now(), after.min(LONGEST));
        self.changed.notify_waiters();
        Ok(())
    }

    async fn count(&self) -> Result<BTreeMap<Topic, u64>, QueueError> {
        Ok(self.shelves().count())
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

#[async_trait]
impl Bus for MemoryBroker {
    async fn publish(&self, word: Bytes) {
        // Fails without subscribers, which is no error.
        self.words.send(word).ok();
    }

    fn subscribe(&self) -> broadcast::Receiver<Bytes> {
        self.words.subscribe()
    }
}
