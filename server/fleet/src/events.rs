//! Events: what happens in a study, for those who watch.
//!
//! What has happened is kept while the study is under way, so that any number of people may watch it, and who was away goes on
//! where he was, without a question to the database.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use store::{FailureKind, Role, RunState, Status, Trial};
use tokio::sync::watch;
use tuner::{Observer, Progress, Report};

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
    /// How far it is; none before its director has begun.
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

/// What has happened in a study.
pub(crate) struct Board {
    /// Tells this board from another of the same study.
    epoch: String,
    trials: Mutex<Vec<Note>>,
    now: watch::Sender<Moment>,
    began: Instant,
    found: OnceLock<Found>,
}

/// What a study has found, and how long that took.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it has found.
    pub report: Report,
    /// Time since it was begun by this service.
    pub took: Duration,
}

impl Board {
    /// The board of a study that this owner directs.
    pub(crate) fn new(owner: &str) -> Arc<Board> {
        // The name of a machine is nobody's business.
        let epoch = blake3::hash(owner.as_bytes()).to_hex()[..16].to_owned();
        let now = Moment {
            state: RunState::Running,
            reason: None,
            progress: None,
        };
        Arc::new(Board {
            epoch,
            trials: Mutex::default(),
            now: watch::Sender::new(now),
            began: Instant::now(),
            found: OnceLock::new(),
        })
    }

    fn trials(&self) -> MutexGuard<'_, Vec<Note>> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The study has found this.
    pub(crate) fn found(&self, report: Report) {
        let took = self.began.elapsed();
        self.found.set(Found { report, took }).ok();
    }

    /// What it has found, when it has ended.
    pub(crate) fn report(&self) -> Option<Found> {
        self.found.get().cloned()
    }

    /// The study has come to this state.
    pub(crate) fn state(&self, state: RunState, reason: Option<String>) {
        self.now.send_modify(|now| {
            now.state = state;
            now.reason = reason;
        });
    }

    /// How the study stands.
    pub(crate) fn now(&self) -> Moment {
        self.now.borrow().clone()
    }

    /// Watches from the beginning, or from where the one was who heard news with this id.
    pub(crate) fn watch(self: &Arc<Board>, heard: Option<&str>) -> Watch {
        let place = heard.and_then(|id| {
            let (epoch, place) = id.rsplit_once('.')?;
            (epoch == self.epoch).then(|| place.parse().ok())?
        });
        Watch {
            place: place.unwrap_or(0).min(self.trials().len()),
            changes: self.now.subscribe(),
            board: Arc::clone(self),
            is_begun: false,
        }
    }
}

/// Writes what a director tells on a board.
pub(crate) struct Writer(pub(crate) Arc<Board>);

impl Observer for Writer {
    fn trial(&mut self, trial: &Trial) {
        self.0.trials().push(trial.into());
    }

    fn progress(&mut self, progress: &Progress) {
        let progress = Some(*progress);
        self.0.now.send_modify(|now| now.progress = progress);
    }
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
            id: format!("{}.{}", self.board.epoch, self.place),
            trials: new,
            now,
        })
    }
}
