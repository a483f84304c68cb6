//! Study watches: a client's place in a study feed.

use std::sync::Arc;

use store::StudyId;
use tokio::sync::watch;

use crate::Fleet;
use crate::error::FleetError;
use crate::events::{StudyMoment, StudyUpdate};
use crate::study_feed::StudyFeed;

/// A client's watch of a study.
pub struct StudyWatch {
    board: Arc<StudyFeed>,
    /// Trials that the client has received.
    place: usize,
    changes: watch::Receiver<StudyMoment>,
    dismissed: watch::Receiver<bool>,
    is_begun: bool,
}

impl StudyWatch {
    fn new(board: Arc<StudyFeed>, place: usize, dismissed: watch::Receiver<bool>) -> StudyWatch {
        StudyWatch {
            place,
            changes: board.subscribe(),
            board,
            dismissed,
            is_begun: false,
        }
    }

    /// Returns the next update; at first, the current state. Returns none after the last update
    /// of a study that has stopped, or when this replica dismisses all that wait.
    pub async fn next(&mut self) -> Option<StudyUpdate> {
        if self.is_begun {
            if !self.changes.borrow().state.goes_on() && !self.changes.has_changed().ok()? {
                return None;
            }
            tokio::select! {
                // The dismissal goes first, so that a busy study cannot hold a client here.
                biased;
                _ = self.dismissed.wait_for(|is_set| *is_set) => return None,
                changed = self.changes.changed() => changed.ok()?,
            }
        }
        // The first update comes without a change: a client sees the current state at once.
        self.is_begun = true;
        // Trials are read after the state: an update with a state also has its trials.
        let now = self.changes.borrow_and_update().clone();
        let trials = self.board.trials();
        let new = trials.get(self.place..).unwrap_or_default().to_vec();
        self.place = trials.len();
        Some(StudyUpdate {
            id: self.board.id(self.place),
            trials: new,
            now,
        })
    }
}

impl Fleet {
    /// Watches a study from its beginning, or from the update with this ID. A stopped study gives
    /// one update with all its trials and its state.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Store`.
    pub async fn watch(
        self: &Arc<Fleet>,
        study: StudyId,
        heard: Option<&str>,
    ) -> Result<StudyWatch, FleetError> {
        let board = match self.board(study) {
            Some(board) => board,
            None => self.follow(study).await?,
        };
        let place = heard.map_or(0, |id| board.place(id));
        Ok(StudyWatch::new(
            board,
            place,
            self.is_dismissing.subscribe(),
        ))
    }
}
