//! Background tasks: a panic in one costs the step at which it happened, and never the process or the task.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use tracing::error;

/// Pause before a task begins again.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs a task to its end. If it panics, it begins again after a pause: one row or message that it cannot digest must not
/// silence it, and what it had to do is still to be done.
pub async fn persist<F: Future<Output = ()>>(task: &'static str, mut begin: impl FnMut() -> F) {
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        // What panicked was printed by the panic itself.
        error!(task, "a background task had a fault, and begins again");
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
