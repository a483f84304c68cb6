//! Runs: which studies a service carries on, who directs each, and how far it is, so that any of its replicas can answer for it
//! and another goes on where one ended.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Readable, StoreError, StudyId, TokenId};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// It waits until an agent offers its device.
    Waiting,
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
    pub const ALL: [RunState; 6] = [
        Self::Waiting,
        Self::Running,
        Self::Paused,
        Self::Cancelled,
        Self::Done,
        Self::Failed,
    ];

    /// Its name in JSON and in the database.
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

    /// Returns a count for each state from those of the states, by name, that there are.
    pub fn counts(found: impl IntoIterator<Item = (String, u64)>) -> Vec<(RunState, u64)> {
        let found: HashMap<String, u64> = found.into_iter().collect();
        let count = |state: RunState| (state, found.get(state.name()).copied().unwrap_or(0));
        Self::ALL.map(count).to_vec()
    }

    /// Whether the service carries it on by itself, now or as soon as an agent offers its device.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
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
    /// Its place among the others.
    pub priority: Priority,
}

/// The place of a run among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Priority {
    /// The token that submitted it; none where no token was shown. Submitters share the agents.
    pub submitter: Option<TokenId>,
    /// Whether it goes before the submitter's other runs.
    pub is_urgent: bool,
}

/// Runs that are submitted together.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// The order of each, in the service's words.
    pub orders: &'a [String],
    /// The place of all of them.
    pub priority: Priority,
    /// The state of all of them.
    pub state: RunState,
    /// Open runs that the submitter may have.
    pub most_open: Option<u64>,
    /// The client's key of the request, and the digest of its content.
    pub request: Option<(&'a str, &'a str)>,
}

/// The outcome of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmissionOutcome {
    /// The runs are there.
    New {
        /// Their numbers, in the order of the orders.
        studies: Vec<StudyId>,
        /// When they were submitted.
        asked: SystemTime,
    },
    /// Another request had the same key; nothing was written.
    Repeated,
    /// The submitter has so many open runs that there is no room for these; nothing was written.
    TooMany {
        /// Open runs of the submitter.
        open: u64,
    },
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
    /// Notes new runs, all or none, with numbers that no study has. The answer to a request with a key is kept for a day, in
    /// the same transaction.
    async fn submit_runs(
        &self,
        submission: Submission<'_>,
    ) -> Result<SubmissionOutcome, StoreError>;

    /// Notes the study of a run, with the order that its director has worked out, and tells whether that director still
    /// directs it. Where the study has another number than the run, the run ends and that study is run in its place.
    async fn settle_run(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, StoreError>;

    /// The run that is to be directed next, of those that are running and that nobody directs, or whose director was not heard
    /// of for `patience`: of the submitter with the fewest directed runs, what is urgent first, then by number. Runs of
    /// submitters in `full` are left out.
    async fn next_run(
        &self,
        patience: Duration,
        full: &[Option<TokenId>],
    ) -> Result<Option<StudyId>, StoreError>;

    /// How many submitters have running runs.
    async fn submitters(&self) -> Result<u64, StoreError>;

    /// Notes that a study is to be run by this order, whatever was said of it before. Nobody directs it yet. One that runs was
    /// asked for before.
    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError>;

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

    /// What the service has been asked to do about a study. A run that goes on as another one's study has that one's number.
    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError>;

    /// What is known of a request with this key of its client's and this digest of its content.
    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError>;
}
