//! Whether the service is there: for those who supervise it.

use std::sync::Arc;

use axum::extract::State;

use crate::refused::Refused;
use crate::{ApiError, Service};

/// `ok` while the process answers: for who starts it anew where it does not.
#[utoipa::path(
    get,
    path = "/healthz",
    responses((status = 200, description = "It answers", content_type = "text/plain; charset=utf-8", body = String), Refused),
)]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// `ok` while the database answers and is the one that was opened: for who sends requests elsewhere where it
/// is not.
#[utoipa::path(
    get,
    path = "/readyz",
    responses((status = 200, description = "It does", content_type = "text/plain; charset=utf-8", body = String), Refused),
)]
pub(crate) async fn readiness(
    State(service): State<Arc<Service>>,
) -> Result<&'static str, ApiError> {
    service.catalogue.check().await?;
    Ok("ok\n")
}
