//! A study that this replica directs: what its director and those who tell it share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dispatch::AckHandle;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tuner::{BatchEvent, TuneProgress};

use crate::study_request::OfferedStudy;

/// A study that this replica directs.
pub(crate) struct DirectedStudy {
    pub(crate) order: OfferedStudy,
    /// The name under which its director takes what it gives out: one that begins again has another, so that its work is
    /// told from that of before.
    pub(crate) owner: String,
    /// Of the errand by which this replica came to direct it.
    pub(crate) receipt: AckHandle,
    told: mpsc::UnboundedSender<BatchEvent>,
    progress: Mutex<Option<TuneProgress>>,
    pub(crate) director: OnceLock<AbortHandle>,
    /// Since when nothing of what it gave out is in the queue, while it waits for that.
    missed: Mutex<Option<Instant>>,
    has_given: AtomicBool,
    /// Held by who ends it: another who would end it, too, goes on when it has ended.
    pub(crate) ending: tokio::sync::Mutex<()>,
}

impl DirectedStudy {
    /// A study whose director will hear what is told here.
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

    /// Nothing under this lock panics or waits.
    fn progress(&self) -> MutexGuard<'_, Option<TuneProgress>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far it is, for the next report.
    pub(crate) fn note_progress(&self, progress: TuneProgress) {
        *self.progress() = Some(progress);
        self.note_outstanding(true);
    }

    /// The director gives something out.
    pub(crate) fn note_dispatch(&self) {
        self.has_given.store(true, Ordering::Relaxed);
        self.note_outstanding(true);
    }

    /// Notes whether there is something of what the director waits for; the time for which there has been nothing.
    pub(crate) fn note_outstanding(&self, is_there: bool) -> Duration {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if is_there || !self.has_given.load(Ordering::Relaxed) {
            *missed = None;
            return Duration::ZERO;
        }
        missed.get_or_insert_with(Instant::now).elapsed()
    }

    /// How far it is, where that was not reported yet.
    pub(crate) fn take_progress(&self) -> Option<TuneProgress> {
        self.progress().take()
    }

    /// What could not be reported is to be reported again, unless there is something newer.
    pub(crate) fn restore_progress(&self, news: TuneProgress) {
        self.progress().get_or_insert(news);
    }

    /// Tells the director.
    pub(crate) fn tell(&self, event: BatchEvent) {
        // It hears nothing any more when it has ended.
        self.told.send(event).ok();
    }

    /// Ends the director.
    pub(crate) fn abort(&self) {
        if let Some(director) = self.director.get() {
            director.abort();
        }
    }
}
