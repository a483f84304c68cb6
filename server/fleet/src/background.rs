//! Background tasks: a panic in one costs only its current step, and neither the process nor the
//! task.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use tracing::error;

/// Pause before a task begins again.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs a task to its end, and restarts it one second after a panic. One bad row or message must
/// not silence it, and its remaining work is still to do.
pub async fn persist<F: Future<Output = ()>>(task: &'static str, mut begin: impl FnMut() -> F) {
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        // The panic hook has printed the message and the place already.
        error!(task, "a background task failed, and restarts");
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_begins_again() {
        let begun = Cell::new(0);
        persist("planted", async || {
            begun.set(begun.get() + 1);
            assert_eq!(begun.get(), 3, "planted");
        })
        .await;
        assert_eq!(begun.get(), 3);
    }
}
