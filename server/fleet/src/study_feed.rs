//! Study feeds: the events of a watched study, read from the database.
//!
//! A replica reads a study once for all watchers. A feed has the trials in the order of the
//! database, which is the same for all replicas. So a client that was away continues at its
//! place, at any replica.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use store::{LedgerPosition, StudyId, Trial};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tracing::warn;

use crate::Fleet;
use crate::error::FleetError;
use crate::events::{StudyMoment, TrialSummary};
use crate::study_list::progress;

/// Longest time between two reads of a quiet study, and the shortest of a busy one.
const LOOK: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(50);

/// The events of a study.
pub(crate) struct StudyFeed {
    study: StudyId,
    /// Tells this study from an earlier one with the same number.
    epoch: String,
    trials: Mutex<Vec<TrialSummary>>,
    now: watch::Sender<StudyMoment>,
    /// Wakes the reader when something has happened.
    bell: Arc<Notify>,
}

impl StudyFeed {
    pub(crate) fn trials(&self) -> MutexGuard<'_, Vec<TrialSummary>> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<StudyMoment> {
        self.now.subscribe()
    }

    /// Returns the ID from which a client continues after so many trials.
    pub(crate) fn id(&self, place: usize) -> String {
        format!("{}.{place}", self.epoch)
    }

    /// Returns the place of a client with this ID; 0 if the ID is not of this study.
    pub(crate) fn place(&self, id: &str) -> usize {
        let place = id
            .rsplit_once('.')
            .filter(|(epoch, _)| *epoch == self.epoch);
        let place = place.and_then(|(_, place)| place.parse().ok()).unwrap_or(0);
        self.trials().len().min(place)
    }

    pub(crate) fn is_over(&self) -> bool {
        !self.now.borrow().state.goes_on()
    }

    /// Adds new trials and the state. Trials come first: a watcher that sees the state also sees
    /// its trials.
    fn write(&self, trials: &[Trial], now: StudyMoment) {
        self.trials().extend(trials.iter().map(TrialSummary::from));
        self.now.send_if_modified(|known| {
            // New trials leave the state equal, and still have to wake the watchers.
            let is_new = *known != now || !trials.is_empty();
            *known = now;
            is_new
        });
    }
}

impl Fleet {
    /// Wakes the reader of a study's feed.
    pub(crate) fn ring(&self, study: StudyId) {
        if let Some(board) = self.boards().get(&study.0).and_then(Weak::upgrade) {
            board.bell.notify_one();
        }
    }

    /// Returns the feed of a running study that has watchers.
    pub(crate) fn board(&self, study: StudyId) -> Option<Arc<StudyFeed>> {
        let board = self.boards().get(&study.0).and_then(Weak::upgrade);
        board.filter(|board| !board.is_over())
    }

    /// Returns a feed of a study, and keeps it up to date while it has watchers and the study
    /// goes on.
    pub(crate) async fn follow(
        self: &Arc<Fleet>,
        study: StudyId,
    ) -> Result<Arc<StudyFeed>, FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        // The first of several simultaneous watchers reads the study, for all.
        let _turn = match run.state.goes_on() {
            true => Some(self.following.lock().await),
            false => None,
        };
        if let Some(board) = self.board(study) {
            return Ok(board);
        }
        let asked = run.asked.duration_since(std::time::UNIX_EPOCH);
        let board = Arc::new(StudyFeed {
            study,
            // A database may reuse a number; the request time tells the two studies apart.
            epoch: format!("{:x}", asked.unwrap_or_default().as_millis()),
            trials: Mutex::default(),
            now: watch::Sender::new(StudyMoment {
                state: run.state,
                reason: None,
                progress: None,
            }),
            bell: Arc::default(),
        });
        let mut seen = LedgerPosition::default();
        self.read(&board, &mut seen).await?;
        if !board.is_over() {
            let mut boards = self.boards();
            boards.retain(|_, board| board.strong_count() > 0);
            boards.insert(study.0, Arc::downgrade(&board));
            let (fleet, followed) = (Arc::clone(self), Arc::downgrade(&board));
            tokio::spawn(async move { fleet.keep_up(followed, seen).await });
        }
        Ok(board)
    }

    async fn keep_up(&self, followed: Weak<StudyFeed>, mut seen: LedgerPosition) {
        while let Some(board) = followed.upgrade() {
            if let Err(error) = self.read(&board, &mut seen).await {
                warn!(study = board.study.0, %error, "the updates of a study cannot be read");
            } else if board.is_over() {
                return;
            }
            // Drop the feed before the wait: its last watcher can go, and then the upgrade fails
            // and the task ends.
            let bell = Arc::clone(&board.bell);
            drop(board);
            tokio::time::sleep(PAUSE).await;
            timeout(LOOK, bell.notified()).await.ok();
        }
    }

    /// Reads new trials and the state. The state is read first, so that all trials before it are
    /// read, too.
    async fn read(&self, board: &StudyFeed, seen: &mut LedgerPosition) -> Result<(), FleetError> {
        let run = self.store.run(board.study).await?;
        let run = run.ok_or(FleetError::Unknown(board.study.0))?;
        // A run that continues as another study has that study's trials.
        let (trials, now_seen) = self.store.trials_since(run.study, *seen).await?;
        *seen = now_seen;
        let now = StudyMoment {
            state: run.state,
            progress: progress(&run),
            reason: run.reason,
        };
        board.write(&trials, now);
        Ok(())
    }
}
