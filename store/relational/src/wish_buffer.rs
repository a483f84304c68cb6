//! The buffer of wishes that are not written yet.
//!
//! A write takes milliseconds, and any client can cause one. The buffer therefore collects wishes
//! in memory, and writes them together at most once a second.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use store::Wish;

use crate::row;

/// The limit of stored wishes. Any client can wish, so the table needs a limit; it keeps the
/// latest, so that nobody can fill it for good.
pub const MAX_WISHES: i64 = 10_000;

/// The limit of buffered wishes. The buffer notes no further ones until they are written.
const PENDING: usize = 1000;

/// The least time between two writes.
const PAUSE: Duration = Duration::from_secs(1);

/// The limit of a device's name in bytes. The buffer ignores a longer name, and one with a NUL.
const DEVICE: usize = 200;

/// A wish as the database stores it; an empty device or generator means any.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct WishKey {
    /// The canonical text of the problem.
    pub problem: String,
    /// The ISA's name.
    pub target: &'static str,
    /// The device's name.
    pub device: String,
    /// The generator's name.
    pub generator: &'static str,
}

impl WishKey {
    /// Returns the key of a wish.
    pub fn new(wish: &Wish) -> Self {
        WishKey {
            problem: wish.problem.to_string(),
            target: wish.target.name,
            device: wish.device.clone().unwrap_or_default(),
            generator: wish.generator.map_or("", |generator| generator.name()),
        }
    }
}

/// The frequency and times of one wish.
#[derive(Debug, Clone, Copy, Serialize)]
struct WishTally {
    count: i64,
    first_ms: i64,
    last_ms: i64,
}

impl WishTally {
    fn add(&mut self, other: WishTally) {
        self.count += other.count;
        self.first_ms = self.first_ms.min(other.first_ms);
        self.last_ms = self.last_ms.max(other.last_ms);
    }
}

/// A buffer of wishes that are not written yet.
#[derive(Debug, Default)]
pub struct WishBuffer {
    state: Mutex<WishBufferState>,
}

#[derive(Debug, Default)]
struct WishBufferState {
    wishes: HashMap<WishKey, WishTally>,
    /// The time of the last batch.
    taken: Option<Instant>,
    /// True if the last write failed.
    failed: bool,
}

/// The effect of noting a wish.
pub enum WishDisposition {
    /// The wish is not noted.
    No,
    /// The wish is in the buffer, and the last write succeeded.
    Waits,
    /// The wish is in the buffer, and a write is due.
    Due,
}

impl WishBuffer {
    fn state(&self) -> MutexGuard<'_, WishBufferState> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a wish, asked now.
    pub fn note(&self, wish: &Wish) -> WishDisposition {
        let now = row::millis(SystemTime::now());
        let asked = WishTally {
            count: 1,
            first_ms: now,
            last_ms: now,
        };
        let key = WishKey::new(wish);
        if key.device.len() > DEVICE || key.device.contains('\0') {
            return WishDisposition::No;
        }
        let mut state = self.state();
        // After a failed write no client triggers another, because it may wait long for a lock.
        let due = !state.failed && state.taken.is_none_or(|taken| taken.elapsed() >= PAUSE);
        let full = state.wishes.len() >= PENDING;
        match state.wishes.get_mut(&key) {
            Some(known) => known.add(asked),
            // If a write is due, it empties the buffer, and the wish still fits.
            None if full && !due => return WishDisposition::No,
            None => drop(state.wishes.insert(key, asked)),
        }
        match due {
            true => WishDisposition::Due,
            // The wish stays in memory, but nobody may rely on it while writes fail.
            false if state.failed => WishDisposition::No,
            false => WishDisposition::Waits,
        }
    }

    /// Takes all buffered wishes as a batch to write.
    pub fn take(&self) -> WishBatch<'_> {
        let mut state = self.state();
        state.taken = Some(Instant::now());
        WishBatch {
            pending: self,
            wishes: std::mem::take(&mut state.wishes),
        }
    }
}

/// A batch of wishes that are being written. Returns to the buffer when dropped, unless
/// [`written`](WishBatch::written) was called.
pub struct WishBatch<'a> {
    pending: &'a WishBuffer,
    wishes: HashMap<WishKey, WishTally>,
}

#[derive(Serialize)]
struct WishEntry<'a> {
    #[serde(flatten)]
    key: &'a WishKey,
    #[serde(flatten)]
    asked: &'a WishTally,
}

impl WishBatch<'_> {
    /// Returns whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.wishes.is_empty()
    }

    /// Returns a JSON array with an object for each wish. Its keys are the columns' names.
    pub fn json(&self) -> String {
        let entries = self
            .wishes
            .iter()
            .map(|(key, asked)| WishEntry { key, asked });
        let entries: Vec<WishEntry<'_>> = entries.collect();
        serde_json::to_string(&entries).expect("every key is a string")
    }

    /// Marks the batch as written.
    pub fn written(mut self) {
        self.wishes.clear();
        self.pending.state().failed = false;
    }
}

impl Drop for WishBatch<'_> {
    fn drop(&mut self) {
        if self.wishes.is_empty() {
            return;
        }
        let mut state = self.pending.state();
        state.failed = true;
        for (key, asked) in self.wishes.drain() {
            // Clients may have asked the same question while the write was failing.
            let known = state.wishes.entry(key);
            known.and_modify(|known| known.add(asked)).or_insert(asked);
        }
    }
}
