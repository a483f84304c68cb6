//! Boards: what has happened in a study that somebody watches, followed in the database.
//!
//! However many watch a study, a replica reads it once. A board has the trials in the order in which the database gives them,
//! which is the same for all replicas; so who was away goes on where he was, whichever replica he comes back to.

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

/// Time between two looks at a study of which nothing was heard, and the shortest where much is.
const LOOK: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(50);

/// What has happened in a study.
pub(crate) struct StudyFeed {
    study: StudyId,
    /// Tells this study from another that had its number before.
    epoch: String,
    trials: Mutex<Vec<TrialSummary>>,
    now: watch::Sender<StudyMoment>,
    /// Something has happened.
    bell: Arc<Notify>,
}

impl StudyFeed {
    pub(crate) fn trials(&self) -> MutexGuard<'_, Vec<TrialSummary>> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<StudyMoment> {
        self.now.subscribe()
    }

    /// Where who has heard of so many trials goes on.
    pub(crate) fn id(&self, place: usize) -> String {
        format!("{}.{place}", self.epoch)
    }

    /// The place of who has heard news with this id; the beginning, where it is of no news of this study.
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

    /// Takes over what is new. Trials first: who sees the moment sees them.
    fn write(&self, trials: &[Trial], now: StudyMoment) {
        self.trials().extend(trials.iter().map(TrialSummary::from));
        self.now.send_if_modified(|known| {
            let is_new = *known != now || !trials.is_empty();
            *known = now;
            is_new
        });
    }
}

impl Fleet {
    /// Something has happened in a study.
    pub(crate) fn ring(&self, study: StudyId) {
        if let Some(board) = self.boards().get(&study.0).and_then(Weak::upgrade) {
            board.bell.notify_one();
        }
    }

    /// The board of a study that somebody watches and that goes on.
    pub(crate) fn board(&self, study: StudyId) -> Option<Arc<StudyFeed>> {
        let board = self.boards().get(&study.0).and_then(Weak::upgrade);
        board.filter(|board| !board.is_over())
    }

    /// A board of a study, which is kept up to date as long as somebody has it and the study goes on.
    pub(crate) async fn follow(
        self: &Arc<Fleet>,
        study: StudyId,
    ) -> Result<Arc<StudyFeed>, FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        // Of those who come at once the first reads it, for all.
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
                warn!(study = board.study.0, %error, "a study cannot be followed");
            } else if board.is_over() {
                return;
            }
            let bell = Arc::clone(&board.bell);
            drop(board);
            tokio::time::sleep(PAUSE).await;
            timeout(LOOK, bell.notified()).await.ok();
        }
    }

    /// Reads what is new. How the study stands comes first: what has ended by then is among the trials.
    async fn read(&self, board: &StudyFeed, seen: &mut LedgerPosition) -> Result<(), FleetError> {
        let run = self.store.run(board.study).await?;
        let run = run.ok_or(FleetError::Unknown(board.study.0))?;
        // One that goes on as another's study has that one's trials.
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
