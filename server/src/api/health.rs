//! Whether the service is there: for those who supervise it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::refused::Refused;
use crate::{ApiError, Service};

/// The text format of OpenMetrics.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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
/// is not. Where it can be read but not written, a second line says why studies wait.
#[utoipa::path(
    get,
    path = "/readyz",
    responses((status = 200, description = "It does", content_type = "text/plain; charset=utf-8", body = String), Refused),
)]
pub(crate) async fn readiness(State(service): State<Arc<Service>>) -> Result<String, ApiError> {
    service.catalogue.check().await?;
    let trouble = service.fleet_if_any().and_then(|fleet| fleet.trouble());
    let told = trouble.map(|trouble| format!("studies wait: {trouble}\n"));
    Ok("ok\n".to_owned() + &told.unwrap_or_default())
}

/// What Prometheus asks for: how many requests, how long they took, and what memory knows.
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "All figures", content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
            body = String),
        Refused,
    ),
)]
pub(crate) async fn metrics(State(service): State<Arc<Service>>) -> impl IntoResponse {
    let agents = service.fleet_if_any().map(|fleet| fleet.agents());
    let (known, queued) = (service.known.len(), service.room.admission().waiting());
    let text = (service.metrics).text(known, &agents.unwrap_or_default(), queued);
    ([(header::CONTENT_TYPE, OPENMETRICS)], text)
}
