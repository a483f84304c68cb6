//! Computation cache: results of long, deterministic computations, a few at once.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

/// Most computations at the same time: each takes a core and memory.
const AT_ONCE: usize = 2;

/// Most results in the cache.
const MOST: usize = 8;

/// Results by the text that determines them completely.
pub(crate) struct ComputationCache<T> {
    turns: Arc<Semaphore>,
    known: Mutex<VecDeque<(String, Arc<T>)>>,
}

impl<T> Default for ComputationCache<T> {
    fn default() -> Self {
        ComputationCache {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            known: Mutex::default(),
        }
    }
}

impl<T: Send + Sync + 'static> ComputationCache<T> {
    /// Returns the result for this text, from the cache or from `work`. If the caller goes away,
    /// the computation goes on and keeps its permit until its end. Otherwise callers that go away
    /// could start any number of them.
    pub(crate) async fn of<E: Send + 'static>(
        self: &Arc<Self>,
        text: &str,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Arc<T>, E> {
        if let Some(known) = self.find(text) {
            return Ok(known);
        }
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        // Another caller may have computed it during the wait for a permit.
        if let Some(known) = self.find(text) {
            return Ok(known);
        }
        let (recall, text) = (Arc::clone(self), text.to_owned());
        // A task of its own, so that a caller that goes away does not free the permit early.
        let working = tokio::spawn(async move {
            let _turn = turn;
            let made = Arc::new(work.await?);
            recall.remember(text, Arc::clone(&made));
            Ok(made)
        });
        let made = working.await;
        made.unwrap_or_else(|error| resume_unwind(error.into_panic()))
    }

    fn find(&self, text: &str) -> Option<Arc<T>> {
        let known = self.known();
        let found = known.iter().find(|(of, _)| of == text);
        found.map(|(_, made)| Arc::clone(made))
    }

    fn remember(&self, text: String, made: Arc<T>) {
        let mut known = self.known();
        known.retain(|(of, _)| *of != text);
        known.push_back((text, made));
        if known.len() > MOST {
            known.pop_front();
        }
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<(String, Arc<T>)>> {
        // Nothing panics while it holds the lock.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    use super::*;

    /// A computation that counts its calls, and those at the same time.
    #[derive(Default)]
    struct Counted {
        begun: AtomicUsize,
        now: AtomicUsize,
        most: AtomicUsize,
    }

    async fn work(counted: Arc<Counted>, result: Result<u32, String>) -> Result<u32, String> {
        counted.begun.fetch_add(1, SeqCst);
        let now = counted.now.fetch_add(1, SeqCst) + 1;
        counted.most.fetch_max(now, SeqCst);
        tokio::time::sleep(Duration::from_millis(20)).await;
        counted.now.fetch_sub(1, SeqCst);
        result
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_are_worked_out_at_once_and_remembered() {
        let (recall, counted) = (
            Arc::new(ComputationCache::default()),
            Arc::new(Counted::default()),
        );
        let mut asked = tokio::task::JoinSet::new();
        for number in 0..12 {
            let (recall, counted) = (Arc::clone(&recall), Arc::clone(&counted));
            // Each text twice.
            let text = (number % 6).to_string();
            asked.spawn(async move {
                let made = recall.of(&text, work(counted, Ok(number % 6))).await;
                assert_eq!(*made.unwrap(), number % 6);
            });
        }
        asked.join_all().await;
        assert_eq!(counted.most.load(SeqCst), AT_ONCE);
        // Two simultaneous callers may both compute it, but no later one.
        let begun = counted.begun.load(SeqCst);
        assert!((6..=6 + AT_ONCE).contains(&begun), "{begun}");
        recall
            .of("5", work(Arc::clone(&counted), Ok(7)))
            .await
            .unwrap();
        assert_eq!(counted.begun.load(SeqCst), begun);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_is_forgotten_and_no_failure_is_remembered() {
        let (recall, counted) = (
            Arc::new(ComputationCache::default()),
            Arc::new(Counted::default()),
        );
        let of = async |text: &str, result: Result<u32, String>| {
            let made = recall.of(text, work(Arc::clone(&counted), result)).await;
            made.map(|made| *made)
        };
        let failed = of("0", Err("no".to_owned())).await;
        assert_eq!(failed, Err("no".to_owned()));
        for number in 0..=MOST {
            let text = number.to_string();
            assert_eq!(of(&text, Ok(number as u32)).await, Ok(number as u32));
        }
        let begun = counted.begun.load(SeqCst);
        assert_eq!(of("1", Ok(99)).await, Ok(1));
        assert_eq!(counted.begun.load(SeqCst), begun);
        assert_eq!(of("0", Ok(99)).await, Ok(99));
    }

    /// A caller that goes away neither ends the computation nor frees its permit.
    #[tokio::test(start_paused = true)]
    async fn an_abandoned_computation_keeps_its_turn() {
        let (recall, counted) = (
            Arc::new(ComputationCache::default()),
            Arc::new(Counted::default()),
        );
        for number in 0..8_u32 {
            let text = number.to_string();
            let asked = recall.of(&text, work(Arc::clone(&counted), Ok(number)));
            tokio::time::timeout(Duration::from_millis(1), asked)
                .await
                .ok();
        }
        assert_eq!(counted.begun.load(SeqCst), AT_ONCE);
        recall
            .of("8", work(Arc::clone(&counted), Ok(8)))
            .await
            .unwrap();
        assert_eq!(counted.most.load(SeqCst), AT_ONCE);
        let begun = counted.begun.load(SeqCst);
        assert_eq!(
            *recall
                .of("0", work(Arc::clone(&counted), Ok(99)))
                .await
                .unwrap(),
            0
        );
        assert_eq!(counted.begun.load(SeqCst), begun);
    }
}
