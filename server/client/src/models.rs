//! Models: submission of a module, and the state of its comparison.

use serde::{Deserialize, Serialize};

use crate::{Client, ClientError};

/// A model to submit, in the service's format.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRequest<'a> {
    /// The module in MLIR.
    pub module: &'a str,
    /// A name for lists.
    pub name: Option<&'a str>,
    /// The instruction set.
    pub target: &'a str,
    /// The emulated device; if it is missing, the first one of the target.
    pub device: Option<&'a str>,
    /// The range of dynamic sizes.
    pub counts: Option<&'a str>,
    /// Options of iree-compile.
    pub options: &'a [&'a str],
}

/// A submitted model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SubmittedModel {
    /// Its ID. The same request has the same one.
    pub id: String,
    /// Its state: `queued`, `compiling`, `judging`, `done` or `failed`.
    pub state: String,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// The number of modules that were compiled and profiled so far.
    pub profiles: u32,
    /// The figures of the last comparison.
    pub gain: Option<ModelGain>,
}

/// The figures of a comparison, over all calls.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct ModelGain {
    /// The time as iree-compile compiles the module alone, in microseconds; none if it does not
    /// compile.
    pub before_us: Option<f64>,
    /// The time with the kernels that stay, in microseconds.
    pub after_us: f64,
    /// The number of kernels that stay.
    pub kept: usize,
}

#[derive(Deserialize)]
struct JudgedModel {
    model: SubmittedModel,
}

impl Client {
    /// Submits a model. A repeated submission is harmless, because the ID is that of the request.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn submit_model(&self, wanted: &ModelRequest<'_>) -> Result<SubmittedModel, ClientError> {
        self.decode(&self.post("/api/v1/models", &[], wanted)?)
    }

    /// Returns a model.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn model(&self, id: &str) -> Result<SubmittedModel, ClientError> {
        let judged: JudgedModel =
            self.decode(&self.get(&format!("/api/v1/models/{id}"), &[], &[])?)?;
        Ok(judged.model)
    }
}
