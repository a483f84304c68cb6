//! Runs: the studies that a service carries on, with their directors and progress. Any replica
//! can report a run, and another resumes it after one ends.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Readable, StoreError, StudyId, TokenId};

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Waits until an agent offers its device.
    Waiting,
    /// The service carries it on.
    Running,
    /// Waits until a client resumes it.
    Paused,
    /// A client has cancelled it.
    Cancelled,
    /// All its trials have ended.
    Done,
    /// It cannot go on.
    Failed,
}

impl RunState {
    /// Every state.
    pub const ALL: [RunState; 6] = [
        Self::Waiting,
        Self::Running,
        Self::Paused,
        Self::Cancelled,
        Self::Done,
        Self::Failed,
    ];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Returns a count for every state, from the counts of the states that occur, by name.
    pub fn counts(found: impl IntoIterator<Item = (String, u64)>) -> Vec<(RunState, u64)> {
        let found: HashMap<String, u64> = found.into_iter().collect();
        // A query that groups by state returns no row for a state without runs.
        let count = |state: RunState| (state, found.get(state.name()).copied().unwrap_or(0));
        Self::ALL.map(count).to_vec()
    }

    /// Returns whether the service carries the run on by itself, now or once an agent offers its
    /// device.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

/// A request to a service to carry on a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The study.
    pub study: StudyId,
    /// The study request, in the service's format.
    pub order: String,
    /// The state.
    pub state: RunState,
    /// The reason of a failure, or the note of another end.
    pub reason: Option<String>,
    /// The director, unless another has taken the run over.
    pub director: Option<String>,
    /// The time since the director last reported, by the database's clock.
    pub silent: Option<Duration>,
    /// The progress, in the service's format.
    pub progress: Option<String>,
    /// The time of the request; of a repeated request, that of the latest.
    pub asked: SystemTime,
    /// The time of the last change of state.
    pub changed: SystemTime,
    /// The run's priority among the others.
    pub priority: Priority,
}

/// The priority of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Priority {
    /// The token that submitted the run; none if the client showed no token. Submitters share the
    /// agents.
    pub submitter: Option<TokenId>,
    /// True if the run goes before the submitter's other runs.
    pub is_urgent: bool,
}

/// Runs that one request submits together.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// The study request of each run, in the service's format.
    pub orders: &'a [String],
    /// The priority of all.
    pub priority: Priority,
    /// The state of all.
    pub state: RunState,
    /// The limit of open runs of the submitter.
    pub most_open: Option<u64>,
    /// The client's idempotency key, and the digest of the request's content.
    pub request: Option<(&'a str, &'a str)>,
}

/// The outcome of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmissionOutcome {
    /// The runs are created.
    New {
        /// Their numbers, in the order of the requests.
        studies: Vec<StudyId>,
        /// The time of the submission.
        asked: SystemTime,
    },
    /// The key is in use, so nothing is written.
    Repeated,
    /// The runs would exceed the submitter's limit, so nothing is written.
    TooMany {
        /// The open runs of the submitter.
        open: u64,
    },
}

/// A director's report about its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The study.
    pub study: StudyId,
    /// The director.
    pub director: String,
    /// The progress, in the service's format; none if it has not changed.
    pub progress: Option<String>,
}

/// The state of an idempotency key: a client may repeat a request if it did not receive the
/// answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    /// The key is new.
    New,
    /// The request was answered with these studies.
    Known(Vec<StudyId>),
    /// Another request used the same key.
    Other,
}

/// A database that keeps the runs of services.
///
/// Errors of all methods: `Locked`; `ReadOnly` if the method writes; `Displaced`; `Unavailable`;
/// `Database`.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Creates runs, all or none, with numbers that no study has. The same transaction stores the
    /// answer to a request with a key, for a day.
    async fn submit_runs(
        &self,
        submission: Submission<'_>,
    ) -> Result<SubmissionOutcome, StoreError>;

    /// Stores the study of a run and its director's final study request, and returns whether that
    /// director still directs it.
    ///
    /// If the study has another number than the run, the run ends and that study is run instead.
    async fn settle_run(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, StoreError>;

    /// Returns the next run to direct: a running one without a director, or with one that is
    /// silent for `patience`.
    ///
    /// Prefers the submitter with the fewest directed runs, then urgent runs, then the lowest
    /// number. Skips runs of the submitters in `full`.
    async fn next_run(
        &self,
        patience: Duration,
        full: &[Option<TokenId>],
    ) -> Result<Option<StudyId>, StoreError>;

    /// Counts the submitters that have running runs.
    async fn submitters(&self) -> Result<u64, StoreError>;

    /// Creates a run of a study without a director, in place of any earlier one. A run that is
    /// already running keeps its time of request.
    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError>;

    /// Changes the state of a run that is in one of the states `from`, and returns whether it
    /// was. The run then has no director.
    ///
    /// If `director` is given, only the run of that director changes.
    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
        director: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// Makes `director` the director of a running run that has none, or one that is silent for
    /// `patience`. Returns whether it directs the run now.
    async fn direct_run(
        &self,
        study: StudyId,
        director: &str,
        patience: Duration,
    ) -> Result<bool, StoreError>;

    /// Stores in one transaction that these directors are alive, and the progress of their runs.
    /// Returns the runs that are running and still theirs.
    ///
    /// A run with another director stays as it is. The list names each run once.
    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError>;

    /// Removes `director` from a run, if it directs the run.
    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError>;

    /// Returns up to `limit` running runs without a director, or with one that is silent for
    /// `silence`, the lowest number first.
    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError>;

    /// Returns up to `limit` runs in this state, or in any, by study number after `after`.
    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError>;

    /// Counts the runs of each state, in the order of [`RunState::ALL`].
    async fn count_runs(&self) -> Result<Vec<(RunState, u64)>, StoreError>;

    /// Counts the running runs.
    async fn running(&self) -> Result<u64, StoreError>;

    /// Returns the run of a study. A run that goes on as another study has that study's number.
    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError>;

    /// Returns the state of an idempotency key for a request with this digest of its content.
    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError>;
}
