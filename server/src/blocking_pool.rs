//! Blocking pool: computations that keep a core busy for long, such as builds of kernels. A few
//! run at the same time, on threads that serve no requests.

use std::panic::resume_unwind;
use std::sync::{Arc, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// Most computations at the same time.
const AT_ONCE: usize = 2;

/// The permits of a pool.
pub(crate) struct BlockingPool(Arc<Semaphore>);

/// The right to compute, until it is dropped.
pub(crate) struct BlockingPermit {
    _place: OwnedSemaphorePermit,
}

/// Tells a computation that nobody waits for its result.
pub(crate) struct CancellationProbe(Weak<()>);

impl Default for BlockingPool {
    fn default() -> Self {
        BlockingPool(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl BlockingPool {
    /// Waits for the next permit, in the order of the calls.
    pub(crate) async fn next(&self) -> BlockingPermit {
        let place = Arc::clone(&self.0).acquire_owned().await;
        BlockingPermit {
            _place: place.expect("it is not closed"),
        }
    }
}

impl BlockingPermit {
    /// Runs a computation. If the caller goes away, the computation ends at its next step, and
    /// keeps its permit until then. Otherwise callers that go away could run any number of them.
    pub(crate) async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce(&CancellationProbe) -> T + Send + 'static,
    ) -> T {
        // This value is dropped with the future of the caller.
        let waits = Arc::new(());
        let asker = CancellationProbe(Arc::downgrade(&waits));
        let working = spawn_blocking(move || {
            let _turn = self;
            work(&asker)
        });
        let done = working.await;
        // A panic continues in the handler, and becomes an answer with status 500.
        done.unwrap_or_else(|error| resume_unwind(error.into_panic()))
    }
}

impl CancellationProbe {
    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::thread::sleep;
    use std::time::Duration;

    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;

    const STEP: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn a_few_work_at_once() {
        let turns = Arc::new(BlockingPool::default());
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let mut asked = JoinSet::new();
        for number in 0..8 {
            let (turns, counts) = (Arc::clone(&turns), Arc::clone(&counts));
            asked.spawn(async move {
                let work = move |_: &CancellationProbe| {
                    let [now, most] = &*counts;
                    most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                    sleep(STEP);
                    now.fetch_sub(1, SeqCst);
                    number
                };
                assert_eq!(turns.next().await.work(work).await, number);
            });
        }
        assert_eq!(asked.join_all().await.len(), 8);
        assert_eq!(counts[1].load(SeqCst), AT_ONCE);
    }

    /// A caller that goes away ends the computation, which keeps its permit until then.
    #[tokio::test]
    async fn a_cancelled_request_ends_its_work_and_frees_its_slot() {
        let turns = BlockingPool::default();
        let ended = Arc::new(AtomicUsize::new(0));
        for _ in 0..AT_ONCE {
            let ended = Arc::clone(&ended);
            let work = move |asker: &CancellationProbe| {
                for _ in 0..500 {
                    if asker.is_gone() {
                        sleep(20 * STEP);
                        ended.fetch_add(1, SeqCst);
                        return;
                    }
                    sleep(STEP);
                }
            };
            let turn = turns.next().await;
            timeout(STEP, turn.work(work)).await.unwrap_err();
        }
        assert_eq!(ended.load(SeqCst), 0);
        let _turn = turns.next().await;
        assert!(ended.load(SeqCst) > 0);
    }

    #[tokio::test]
    #[should_panic(expected = "a fault of the work")]
    async fn a_panic_reaches_its_caller() {
        let turn = BlockingPool::default().next().await;
        turn.work(|_| panic!("a fault of the work")).await
    }
}
