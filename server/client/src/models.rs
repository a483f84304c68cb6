//! Models: submission of a module, and the state of its comparison.

use answers::models::{JudgedModel, SubmittedModel};
use serde::Serialize;

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
