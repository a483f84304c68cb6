//! Runs: which studies a service carries on, who directs each, and how far it is, so that any of its replicas can answer for it
//! and another goes on where one ended.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Readable, StoreError, StudyId};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// The service carries it on.
    Running,
    /// It waits until somebody resumes it.
    Paused,
    /// Nobody wants it any more.
    Cancelled,
    /// All its trials have ended.
    Done,
    /// It cannot go on.
    Failed,
}

impl RunState {
    /// Every state.
    pub const ALL: [RunState; 5] = [
        Self::Running,
        Self::Paused,
        Self::Cancelled,
        Self::Done,
        Self::Failed,
    ];

    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Returns a count for each state from those of the states, by name, that there are.
    pub fn counts(found: impl IntoIterator<Item = (String, u64)>) -> Vec<(RunState, u64)> {
        let found: HashMap<String, u64> = found.into_iter().collect();
        let count = |state: RunState| (state, found.get(state.name()).copied().unwrap_or(0));
        Self::ALL.map(count).to_vec()
    }
}

/// What a service has been asked to do about a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The study.
    pub study: StudyId,
    /// What is to be done, in the service's words.
    pub order: String,
    /// How far it is.
    pub state: RunState,
    /// Why it cannot go on, or what its end is to be remembered for.
    pub reason: Option<String>,
    /// Who directs it, since nobody else has taken it over.
    pub director: Option<String>,
    /// How long ago the director was heard of, by the database's clock.
    pub silent: Option<Duration>,
    /// How far it is, in the service's words.
    pub progress: Option<String>,
    /// When it was asked for; of one that is asked for again since it ran, when that was.
    pub asked: SystemTime,
    /// When its state changed last.
    pub changed: SystemTime,
}

/// What a director says of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The study.
    pub study: StudyId,
    /// The director.
    pub director: String,
    /// How far it is, in the service's words; none where nothing has changed.
    pub progress: Option<String>,
}

/// What came of a request that a client may send again because it did not hear the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    /// It is new.
    New,
    /// It was answered with these studies.
    Known(Vec<StudyId>),
    /// Another request had the same key.
    Other,
}

/// A database in which the runs of services are kept.
///
/// Errors of all: `Locked`; `ReadOnly` where it writes; `Displaced`; `Unavailable`; `Database`.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Notes that a study is to be run by this order, whatever was said of it before. Nobody directs it yet. One that runs was
    /// asked for before.
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError>;

    /// Changes the state of a run that is in one of these, and tells whether it was. Nobody directs it any more. Where a
    /// director is named, it is he alone who may.
    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
        director: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// Makes somebody the director of a run that is running and that nobody directs, or whose director was not heard of for
    /// `patience`; whether it was so, or he directs it already.
    async fn direct_run(
        &self,
        study: StudyId,
        director: &str,
        patience: Duration,
    ) -> Result<bool, StoreError>;

    /// Notes, in one transaction, that these directors were heard of, and how far their runs are: those of the runs that are
    /// running and theirs. What somebody else directs by now stays as it is. A run is reported once in the list.
    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError>;

    /// He who directs a run does so no more, if it is he.
    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError>;

    /// Up to `limit` of the runs that are running and that nobody directs, or whose director was not heard of for `silence`,
    /// the smallest first.
    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError>;

    /// Up to `limit` of the runs in this state, or of all, by study, from behind this one on.
    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError>;

    /// Counts the runs of each state, in the order of [`RunState::ALL`].
    async fn count_runs(&self) -> Result<Vec<(RunState, u64)>, StoreError>;

    /// How many runs are running.
    async fn running(&self) -> Result<u64, StoreError>;

    /// What the service has been asked to do about a study.
    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError>;

    /// What is known of a request with this key of its client's and this digest of its content.
    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError>;

    /// Keeps what a request was answered with, for a day; of two with one key the first stays.
    async fn keep_answer(
        &self,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<(), StoreError>;
}
