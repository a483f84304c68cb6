//! A study that this replica directs: the state that its director shares with the tasks that send
//! it events.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use server_dispatch::AckHandle;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tuner::{BatchEvent, TuneProgress};

use crate::study_request::OfferedStudy;

/// A study that this replica directs.
pub(crate) struct DirectedStudy {
    pub(crate) order: OfferedStudy,
    /// The name under which its director gives out batches. A director that begins again has
    /// another name, which tells its batches from earlier ones.
    pub(crate) owner: String,
    /// Acknowledges the director request by which this replica got the study.
    pub(crate) receipt: AckHandle,
    told: mpsc::UnboundedSender<BatchEvent>,
    progress: Mutex<Option<TuneProgress>>,
    pub(crate) director: OnceLock<AbortHandle>,
    /// Since this time the queue has had none of its batches, while the director waits for some.
    missed: Mutex<Option<Instant>>,
    has_given: AtomicBool,
    /// Held by the task that ends the director: a second one waits until the first has ended it.
    pub(crate) ending: tokio::sync::Mutex<()>,
}

impl DirectedStudy {
    /// Creates a directed study. Its director receives the events that are sent to `told`.
    pub(crate) fn new(
        order: OfferedStudy,
        owner: String,
        receipt: AckHandle,
        told: mpsc::UnboundedSender<BatchEvent>,
    ) -> DirectedStudy {
        DirectedStudy {
            order,
            owner,
            receipt,
            told,
            progress: Mutex::default(),
            director: OnceLock::new(),
            missed: Mutex::default(),
            has_given: AtomicBool::new(false),
            ending: tokio::sync::Mutex::default(),
        }
    }

    /// Locks the progress. Nothing panics or waits under this lock.
    fn progress(&self) -> MutexGuard<'_, Option<TuneProgress>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the progress for the next report.
    pub(crate) fn note_progress(&self, progress: TuneProgress) {
        *self.progress() = Some(progress);
        self.note_outstanding(true);
    }

    /// Notes that the director gives out a batch.
    pub(crate) fn note_dispatch(&self) {
        self.has_given.store(true, Ordering::Relaxed);
        self.note_outstanding(true);
    }

    /// Notes whether the queue has a batch of the director, and returns the time without one.
    pub(crate) fn note_outstanding(&self, is_there: bool) -> Duration {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if is_there || !self.has_given.load(Ordering::Relaxed) {
            *missed = None;
            return Duration::ZERO;
        }
        missed.get_or_insert_with(Instant::now).elapsed()
    }

    /// Takes the progress, if no report has contained it yet.
    pub(crate) fn take_progress(&self) -> Option<TuneProgress> {
        self.progress().take()
    }

    /// Restores progress after a failed report, unless the director has made newer progress.
    pub(crate) fn restore_progress(&self, news: TuneProgress) {
        self.progress().get_or_insert(news);
    }

    /// Sends an event to the director.
    pub(crate) fn tell(&self, event: BatchEvent) {
        // A director that has ended receives no events.
        self.told.send(event).ok();
    }

    /// Ends the director.
    pub(crate) fn abort(&self) {
        if let Some(director) = self.director.get() {
            director.abort();
        }
    }
}
