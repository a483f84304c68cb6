//! Events: what happens in a study, for those who watch.
//!
//! A [`Watch`] is a place on a board of the study, which any number of people may watch.

use std::sync::Arc;

use store::{FailureKind, Role, RunState, Status, Trial};
use tokio::sync::watch;
use tuner::Progress;

use crate::board::Board;

/// A trial in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Note {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it is for.
    pub role: Role,
    /// Its verdict.
    pub status: Status,
    /// Why there is none.
    pub failure: Option<FailureKind>,
    /// Its time in microseconds.
    pub time_us: Option<f64>,
}

impl From<&Trial> for Note {
    fn from(trial: &Trial) -> Note {
        Note {
            ordinal: trial.ordinal,
            role: trial.role,
            status: trial.outcome.status(),
            failure: trial.outcome.failure(),
            time_us: trial.outcome.timing().map(|timing| timing.time_us),
        }
    }
}

/// How a study stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Whether it goes on.
    pub state: RunState,
    /// Why it cannot.
    pub reason: Option<String>,
    /// How far it is; none before its director has said so.
    pub progress: Option<Progress>,
}

/// What happened since the last news.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// Where who has heard it goes on.
    pub id: String,
    /// The trials that have ended.
    pub trials: Vec<Note>,
    /// How the study stands now.
    pub now: Moment,
}

/// Who watches a study.
pub struct Watch {
    board: Arc<Board>,
    /// Trials that were heard of.
    place: usize,
    changes: watch::Receiver<Moment>,
    is_begun: bool,
}

impl Watch {
    pub(crate) fn new(board: Arc<Board>, place: usize) -> Watch {
        Watch {
            place,
            changes: board.subscribe(),
            board,
            is_begun: false,
        }
    }

    /// What happens next; at first, how the study stands. None when it goes on no more and all was told.
    pub async fn next(&mut self) -> Option<News> {
        if self.is_begun {
            if self.changes.borrow().state != RunState::Running
                && !self.changes.has_changed().ok()?
            {
                return None;
            }
            self.changes.changed().await.ok()?;
        }
        self.is_begun = true;
        // The trials after the moment: one that is told has its trials told with it.
        let now = self.changes.borrow_and_update().clone();
        let trials = self.board.trials();
        let new = trials.get(self.place..).unwrap_or_default().to_vec();
        self.place = trials.len();
        Some(News {
            id: self.board.id(self.place),
            trials: new,
            now,
        })
    }
}
