//! A study that is under way: what its director, its agents and those who watch it share.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use store::Study;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tuner::{Candidate, Event};

use crate::events::Board;
use crate::order::Order;

/// A study that is under way.
pub(crate) struct Active {
    pub(crate) order: Order,
    /// The name under which its director takes what it gives out: one that begins again has another, so that its work is
    /// told from that of before.
    pub(crate) owner: String,
    /// When its director has opened it.
    pub(crate) study: OnceLock<Study>,
    pub(crate) board: Arc<Board>,
    told: mpsc::UnboundedSender<Event>,
    /// The trials that have ended, as far as agents of this service made them.
    ended: Mutex<HashSet<u32>>,
    /// Why agents could not do what has this digest, the last reason of each.
    failures: Mutex<HashMap<String, String>>,
    pub(crate) director: OnceLock<AbortHandle>,
}

/// Nothing under these locks panics or waits.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Active {
    /// A study whose director will hear what is told here.
    pub(crate) fn new(
        order: Order,
        opened: Option<Study>,
        told: mpsc::UnboundedSender<Event>,
    ) -> Arc<Active> {
        let owner = tuner::owner();
        Arc::new(Active {
            order,
            board: Board::new(&owner),
            owner,
            study: opened.map_or_else(OnceLock::new, OnceLock::from),
            told,
            ended: Mutex::default(),
            failures: Mutex::default(),
            director: OnceLock::new(),
        })
    }

    /// Those of the candidates that have not ended.
    pub(crate) fn missing(&self, candidates: &[Candidate]) -> Vec<Candidate> {
        let ended = lock(&self.ended);
        let is_missing = |one: &&Candidate| !ended.contains(&one.ordinal);
        candidates.iter().filter(is_missing).cloned().collect()
    }

    pub(crate) fn has_ended(&self, ordinal: u32) {
        lock(&self.ended).insert(ordinal);
    }

    /// An agent could not do what has this digest.
    pub(crate) fn failed(&self, digest: String, reason: String) {
        lock(&self.failures).insert(digest, reason);
    }

    /// Why what has this digest was given up after so many leases.
    pub(crate) fn reason(&self, digest: &str, leases: u64) -> String {
        match lock(&self.failures).get(digest) {
            Some(reason) => format!("given up after {leases} leases; {reason}"),
            None => {
                format!("given up after {leases} leases, none of which was heard of to its end")
            }
        }
    }

    /// Tells the director.
    pub(crate) fn tell(&self, event: Event) {
        // It hears nothing any more when it has ended.
        self.told.send(event).ok();
    }
}
