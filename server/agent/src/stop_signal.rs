//! The stop signal of an agent.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A signal that stops an agent.
#[derive(Debug, Default)]
pub struct StopSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    /// Stops the agent.
    pub fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Returns true if the agent is to stop.
    pub fn is_set(&self) -> bool {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `most`, or until the agent is to stop.
    pub(crate) fn wait(&self, most: Duration) {
        let is_set = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        // A condition variable may wake without a signal, so the flag decides.
        let waited = self
            .changed
            .wait_timeout_while(is_set, most, |is_set| !*is_set);
        drop(waited);
    }
}
