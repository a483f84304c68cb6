//! Who watches a study: a place on its board.

use std::sync::Arc;

use store::StudyId;
use tokio::sync::watch;

use crate::Fleet;
use crate::error::FleetError;
use crate::events::{StudyMoment, StudyUpdate};
use crate::study_feed::StudyFeed;

/// Who watches a study.
pub struct StudyWatch {
    board: Arc<StudyFeed>,
    /// Trials that were heard of.
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

    /// What happens next; at first, how the study stands. None when it goes on no more and all was told, or nobody is to
    /// wait here any longer.
    pub async fn next(&mut self) -> Option<StudyUpdate> {
        if self.is_begun {
            if !self.changes.borrow().state.goes_on() && !self.changes.has_changed().ok()? {
                return None;
            }
            tokio::select! {
                biased;
                _ = self.dismissed.wait_for(|is_set| *is_set) => return None,
                changed = self.changes.changed() => changed.ok()?,
            }
        }
        self.is_begun = true;
        // The trials after the moment: one that is told has its trials told with it.
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
    /// Watches a study from the beginning, or from where the one was who heard news with this id. Of one that does not go on,
    /// all its trials are told, and how it stands.
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
