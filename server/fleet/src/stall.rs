//! Stalls: no trial is told for long although agents are there and a study wants trials.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Time without a trial after which a service reports a stall. An agent tells trials within seconds of their ends, and builds
/// a batch of kernels before its first; a batch of slow kernels takes minutes.
pub const STALL: Duration = Duration::from_mins(10);

/// Measures the time since the last trial while work waits for agents that are there.
#[derive(Default)]
pub(crate) struct StallClock(Mutex<Option<Instant>>);

impl StallClock {
    /// Nothing under this lock panics or waits.
    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restarts at a trial that some replica stored.
    pub(crate) fn restart(&self) {
        if let Some(since) = &mut *self.since() {
            *since = Instant::now();
        }
    }

    /// Goes on if work waits for agents that are there, and stops if not.
    pub(crate) fn observe(&self, is_waiting: bool) {
        let mut since = self.since();
        *since = is_waiting.then(|| since.unwrap_or_else(Instant::now));
    }

    /// Time without a trial; zero while nothing waits.
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
