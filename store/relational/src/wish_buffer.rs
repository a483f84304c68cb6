//! Wishes that wait to be written.
//!
//! A write takes milliseconds and everyone who asks can cause one, so wishes are collected in memory and written together,
//! at most once a second.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use store::Wish;

use crate::row;

/// Wishes that are kept. Anyone who can reach the server can wish, so there has to be an end to it; what was asked last is
/// kept, so that nobody can fill it for good.
pub const MAX_WISHES: i64 = 10_000;

/// Wishes that wait to be written at most; further ones are not noted until they are.
const PENDING: usize = 1000;

/// Time between two writes.
const PAUSE: Duration = Duration::from_secs(1);

/// Bytes of a device's name. A longer one is none, nor is one that no database can hold.
const DEVICE: usize = 200;

/// A wish as it stands in the database; an empty device or generator is any.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct WishKey {
    /// Canonical text.
    pub problem: String,
    /// The ISA's name.
    pub target: &'static str,
    /// The device's name.
    pub device: String,
    /// The generator's name.
    pub generator: &'static str,
}

impl WishKey {
    /// That of a wish.
    pub fn new(wish: &Wish) -> Self {
        WishKey {
            problem: wish.problem.to_string(),
            target: wish.target.name,
            device: wish.device.clone().unwrap_or_default(),
            generator: wish.generator.map_or("", |generator| generator.name()),
        }
    }
}

/// How often and when one wish was wished.
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

/// Wishes that are not written yet.
#[derive(Debug, Default)]
pub struct WishBuffer {
    state: Mutex<WishBufferState>,
}

#[derive(Debug, Default)]
struct WishBufferState {
    wishes: HashMap<WishKey, WishTally>,
    /// When they were last taken to be written.
    taken: Option<Instant>,
    /// Whether the last write failed.
    failed: bool,
}

/// What becomes of a wish.
pub enum WishDisposition {
    /// It is not noted.
    No,
    /// It waits to be written, and the writes before succeeded.
    Waits,
    /// It waits, and now is the time to write.
    Due,
}

impl WishBuffer {
    fn state(&self) -> MutexGuard<'_, WishBufferState> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that `wish` was asked for now.
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
        // After a write that failed nobody who asks waits for another: it may wait long for a lock.
        let due = !state.failed && state.taken.is_none_or(|taken| taken.elapsed() >= PAUSE);
        let full = state.wishes.len() >= PENDING;
        match state.wishes.get_mut(&key) {
            Some(known) => known.add(asked),
            None if full && !due => return WishDisposition::No,
            None => drop(state.wishes.insert(key, asked)),
        }
        match due {
            true => WishDisposition::Due,
            false if state.failed => WishDisposition::No,
            false => WishDisposition::Waits,
        }
    }

    /// Takes what waits, to be written.
    pub fn take(&self) -> WishBatch<'_> {
        let mut state = self.state();
        state.taken = Some(Instant::now());
        WishBatch {
            pending: self,
            wishes: std::mem::take(&mut state.wishes),
        }
    }
}

/// Wishes that are being written. What is not [`written`](Batch::written) when this is dropped waits again.
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
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.wishes.is_empty()
    }

    /// A JSON array with an object for each wish, whose keys are the columns' names.
    pub fn json(&self) -> String {
        let entries = self
            .wishes
            .iter()
            .map(|(key, asked)| WishEntry { key, asked });
        let entries: Vec<WishEntry<'_>> = entries.collect();
        serde_json::to_string(&entries).expect("every key is a string")
    }

    /// They are written, and wait no more.
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
            let known = state.wishes.entry(key);
            known.and_modify(|known| known.add(asked)).or_insert(asked);
        }
    }
}
