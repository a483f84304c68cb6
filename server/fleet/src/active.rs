//! A study that this replica directs: what its director and those who tell it share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dispatch::Receipt;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};
use tuner::{Event, Progress};

use crate::order::Order;

/// Time in which a director ends that is asked to: between two steps of its own. One that takes longer is making a space, and
/// has nothing in the database under way.
const END: Duration = Duration::from_secs(1);

/// Time between two looks whether it has.
const LOOK: Duration = Duration::from_millis(2);

/// A study that this replica directs.
pub(crate) struct Active {
    pub(crate) order: Order,
    /// The name under which its director takes what it gives out: one that begins again has another, so that its work is
    /// told from that of before.
    pub(crate) owner: String,
    /// Of the errand by which this replica came to direct it.
    pub(crate) receipt: Receipt,
    told: mpsc::UnboundedSender<Event>,
    progress: Mutex<Option<Progress>>,
    pub(crate) director: OnceLock<AbortHandle>,
    stopped: watch::Sender<bool>,
}

impl Active {
    /// A study whose director will hear what is told here.
    pub(crate) fn new(
        order: Order,
        owner: String,
        receipt: Receipt,
        told: mpsc::UnboundedSender<Event>,
    ) -> Active {
        Active {
            order,
            owner,
            receipt,
            told,
            progress: Mutex::default(),
            director: OnceLock::new(),
            stopped: watch::Sender::new(false),
        }
    }

    /// Nothing under this lock panics or waits.
    fn progress(&self) -> MutexGuard<'_, Option<Progress>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far it is, for the next report.
    pub(crate) fn is_at(&self, progress: Progress) {
        *self.progress() = Some(progress);
    }

    /// How far it is, where that was not reported yet.
    pub(crate) fn news(&self) -> Option<Progress> {
        self.progress().take()
    }

    /// What could not be reported is to be reported again, unless there is something newer.
    pub(crate) fn again(&self, news: Progress) {
        self.progress().get_or_insert(news);
    }

    /// Tells the director.
    pub(crate) fn tell(&self, event: Event) {
        // It hears nothing any more when it has ended.
        self.told.send(event).ok();
    }

    /// Ends the director, and returns when it has ended. A director that was aborted while it wrote would leave what it writes
    /// to come after whatever is written next.
    pub(crate) async fn stop(&self) {
        self.stopped.send_replace(true);
        let begun = Instant::now();
        let Some(director) = self.director.get() else {
            return;
        };
        while !director.is_finished() && begun.elapsed() < END {
            sleep(LOOK).await;
        }
        director.abort();
    }

    /// Whether the director is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Returns when the director is to end.
    pub(crate) async fn stopping(&self) {
        // It is not dropped while it is borrowed.
        self.stopped
            .subscribe()
            .wait_for(|is_set| *is_set)
            .await
            .ok();
    }

    /// Ends the director at once.
    pub(crate) fn abort(&self) {
        if let Some(director) = self.director.get() {
            director.abort();
        }
    }
}
