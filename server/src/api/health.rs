//! Whether the service is there: for those who supervise it.

use std::sync::Arc;

use axum::extract::State;

use crate::{ApiError, Service};

/// `GET /healthz`: `ok` while the process answers: for who starts it anew where it does not.
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: `ok` while the database answers and is the one that was opened: for who sends requests elsewhere where it
/// is not.
pub(crate) async fn readiness(
    State(service): State<Arc<Service>>,
) -> Result<&'static str, ApiError> {
    service.catalogue.check().await?;
    Ok("ok\n")
}
