//! A queue in the memory of this process, for one machine.
//!
//! What waits is lost with the process: who puts it in knows from the database what is to be done, and puts it in again.

mod shelves;
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
use crate::{Bus, Delivery, Fault, Line, Queue, QueueError, Receipt, Work};
use shelves::Shelves;

/// A queue in memory.
pub struct Memory {
    patience: Duration,
    /// A receipt of another process is none of this one.
    life: u64,
    shelves: Mutex<Shelves>,
    /// Something can be taken that could not be before, or sooner.
    changed: Notify,
    words: broadcast::Sender<Bytes>,
}

impl Memory {
    /// An empty queue, where who has work may be silent for `patience`, and where a name counts for `window` after it was put.
    pub fn new(patience: Duration, window: Duration) -> Self {
        Self {
            patience: patience.min(LONGEST),
            life: rand::random(),
            shelves: Mutex::new(Shelves::new(window.min(LONGEST))),
            changed: Notify::new(),
            words: broadcast::Sender::new(WORDS),
        }
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        // No step of a shelf can leave it half changed.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the work that the receipt is for.
    fn number(&self, receipt: &Receipt) -> Result<u64, QueueError> {
        let numbers = receipt.as_str().split_once('-');
        let numbers = numbers
            .and_then(|(life, number)| Some((life.parse::<u64>().ok()?, number.parse().ok()?)));
        match numbers {
            Some((life, number)) if life == self.life && self.shelves().gave(number) => Ok(number),
            _ => Err(QueueError {
                queue: "in memory".to_owned(),
                fault: Fault::Receipt,
            }),
        }
    }

    fn take(&self, lines: &[Line]) -> Option<Delivery> {
        let taken = self.shelves().take(lines, Instant::now(), self.patience)?;
        Some(Delivery {
            payload: taken.payload,
            receipt: Receipt::new(format!("{}-{}", self.life, taken.number)),
            deliveries: taken.deliveries,
        })
    }
}

#[async_trait]
impl Queue for Memory {
    async fn put(&self, work: Work) -> Result<(), QueueError> {
        self.shelves().put(work, Instant::now());
        self.changed.notify_waiters();
        Ok(())
    }

    async fn next(&self, lines: &[Line], wait: Duration) -> Result<Option<Delivery>, QueueError> {
        let deadline = Instant::now() + wait.min(LONGEST);
        loop {
            // Listens before it looks, or it would miss what is put between.
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

    async fn stay(&self, receipt: &Receipt) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        let now = Instant::now();
        self.shelves().hold(number, now, self.patience);
        Ok(())
    }

    async fn done(&self, receipt: &Receipt) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        self.shelves().remove(number);
        Ok(())
    }

    async fn give_back(&self, receipt: &Receipt, after: Duration) -> Result<(), QueueError> {
        let number = self.number(receipt)?;
        self.shelves()
            .hold(number, Instant::now(), after.min(LONGEST));
        self.changed.notify_waiters();
        Ok(())
    }

    async fn count(&self) -> Result<BTreeMap<Line, u64>, QueueError> {
        Ok(self.shelves().count())
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

#[async_trait]
impl Bus for Memory {
    async fn say(&self, word: Bytes) {
        // Nobody may listen.
        self.words.send(word).ok();
    }

    fn listen(&self) -> broadcast::Receiver<Bytes> {
        self.words.subscribe()
    }
}
