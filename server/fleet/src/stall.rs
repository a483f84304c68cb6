//! Stalls: no agent reports a trial for long, although agents are present and a study wants
//! trials.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Time without a trial after which a service reports a stall. An agent reports trials within
/// seconds of their ends, and builds a batch of kernels before its first. A batch of slow kernels
/// takes minutes.
pub const STALL: Duration = Duration::from_mins(10);

/// The clock of the time since the last trial while batches wait for present agents.
#[derive(Default)]
pub(crate) struct StallClock(Mutex<Option<Instant>>);

impl StallClock {
    /// Locks the time. Nothing panics or waits under this lock.
    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restarts when a replica has stored a trial.
    pub(crate) fn restart(&self) {
        // Without a waiting batch there is no time to restart.
        if let Some(since) = &mut *self.since() {
            *since = Instant::now();
        }
    }

    /// Continues if batches wait for present agents, and stops if not.
    pub(crate) fn observe(&self, is_waiting: bool) {
        let mut since = self.since();
        *since = is_waiting.then(|| since.unwrap_or_else(Instant::now));
    }

    /// Returns the time without a trial; zero while nothing waits.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since().map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::StallClock;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn time_counts_while_work_waits() {
        let clock = StallClock::default();
        advance(MINUTE).await;
        assert_eq!(clock.elapsed(), Duration::ZERO, "nothing waits");
        clock.restart();
        clock.observe(true);
        assert_eq!(clock.elapsed(), Duration::ZERO, "it begins to wait");
        advance(MINUTE).await;
        clock.observe(true);
        assert_eq!(clock.elapsed(), MINUTE);
        clock.restart();
        advance(2 * MINUTE).await;
        assert_eq!(clock.elapsed(), 2 * MINUTE, "since the last trial");
        clock.observe(false);
        assert_eq!(clock.elapsed(), Duration::ZERO, "no agent is there");
        advance(MINUTE).await;
        clock.observe(true);
        assert_eq!(clock.elapsed(), Duration::ZERO, "an agent comes");
    }
}
