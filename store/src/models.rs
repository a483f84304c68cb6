//! Models: the modules that clients submitted to a service, with the state and the result of each
//! comparison. Any replica can report a model, and another takes it up after one ends.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{ListPage, Page, Readable, StoreError};

/// The state of a submitted model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelState {
    /// Waits for a service.
    Queued,
    /// A service compiles the plain module.
    Compiling,
    /// A service compares the module with and without kernels.
    Judging,
    /// It has a result.
    Done,
    /// It has none, for a reason.
    Failed,
}

impl ModelState {
    /// Every state.
    pub const ALL: [ModelState; 5] = [
        Self::Queued,
        Self::Compiling,
        Self::Judging,
        Self::Done,
        Self::Failed,
    ];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Compiling => "compiling",
            Self::Judging => "judging",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Returns true if the model stays in this state until a client submits it again.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// A model to submit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSubmission<'a> {
    /// The hash of everything that decides the result, except tuned kernels.
    pub id: &'a str,
    /// The request without the module, in the service's format.
    pub request: &'a str,
    /// The module.
    pub module: &'a str,
    /// The limit of queued models.
    pub most_queued: u32,
}

/// A submitted model, without its module and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRecord {
    /// The number: a larger one was first submitted later.
    pub number: i64,
    /// The hash of the request.
    pub id: String,
    /// The request without the module, in the service's format.
    pub request: String,
    /// The state.
    pub state: ModelState,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// The number of modules that were compiled and profiled so far.
    pub profiles: u32,
    /// The figures of the last result, in the service's format.
    pub summary: Option<String>,
    /// The time of the last request.
    pub asked: SystemTime,
    /// The time of the last change of state.
    pub changed: SystemTime,
}

/// A model that a service works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedModel {
    /// The hash of the request.
    pub id: String,
    /// The request without the module, in the service's format.
    pub request: String,
    /// The module.
    pub module: String,
    /// The number of attempts since the last request, this one included.
    pub attempts: u32,
}

/// The end of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelEnd<'a> {
    /// A result.
    Done {
        /// Its figures for lists, in the service's format.
        summary: &'a str,
        /// The result, in the service's format.
        result: &'a str,
    },
    /// A failure, for this reason. An earlier result stays.
    Failed(&'a str),
    /// The service stops before the end. Another attempt does not count.
    Interrupted,
}

/// A database that keeps submitted models.
///
/// Errors of all methods: `Locked`; `ReadOnly` if the method writes; `Displaced`; `Unavailable`;
/// `Database`.
#[async_trait]
pub trait Models: Send + Sync {
    /// Queues a model and returns true. A known one is queued again if its state is final, and
    /// keeps its result. Returns false, and writes nothing, if the queue is full.
    async fn submit_model(&self, submission: ModelSubmission<'_>) -> Result<bool, StoreError>;

    /// Gives `worker` the next model: the first one queued, or one with a worker that is silent
    /// for `patience`. Its state is then [`ModelState::Compiling`].
    async fn claim_model(
        &self,
        worker: &str,
        patience: Duration,
    ) -> Result<Option<ClaimedModel>, StoreError>;

    /// Stores that `worker` is alive, with its progress. Returns false if the model is not its
    /// own any more.
    async fn report_model(
        &self,
        id: &str,
        worker: &str,
        state: ModelState,
        profiles: u32,
    ) -> Result<bool, StoreError>;

    /// Ends the work of `worker` on a model. Returns false, and writes nothing, if the model is
    /// not its own any more.
    async fn end_model(
        &self,
        id: &str,
        worker: &str,
        end: ModelEnd<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns a model. There is at most one row.
    async fn model(&self, id: &str) -> Result<Readable<ModelRecord>, StoreError>;

    /// Returns the last result of a model.
    async fn model_result(&self, id: &str) -> Result<Option<String>, StoreError>;

    /// Returns a page of the models in this state, or in any, the last submitted first.
    async fn list_models(
        &self,
        state: Option<ModelState>,
        page: Page,
    ) -> Result<ListPage<ModelRecord>, StoreError>;

    /// Deletes a model with its result, and returns whether there was one. A service that works
    /// on it drops its result.
    async fn delete_model(&self, id: &str) -> Result<bool, StoreError>;
}
