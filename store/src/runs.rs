//! Runs: which studies a service carries on, and how far each is, so that a service that is started again goes on.

use std::time::SystemTime;

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
    /// Why it cannot go on.
    pub reason: Option<String>,
    /// When it was asked for first.
    pub asked: SystemTime,
    /// When its state changed last.
    pub changed: SystemTime,
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
    /// Notes that a study is to be run by this order, whatever was said of it before.
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError>;

    /// Changes the state of a run that is in one of these, and tells whether it was.
    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// Up to `limit` of the runs in this state, or of all, by study, from behind this one on.
    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError>;

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
