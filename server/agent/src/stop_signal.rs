//! How an agent is told to stop.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Whether an agent is to go on.
#[derive(Debug, Default)]
pub struct StopSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    /// From now on it is to stop.
    pub fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Whether it is to stop.
    pub fn is_set(&self) -> bool {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until it is to stop.
    pub(crate) fn wait(&self, most: Duration) {
        let is_set = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(is_set, most, |is_set| !*is_set);
        drop(waited);
    }
}
