//! Health probes and metrics of the service.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::error_responses::CommonErrors;
use crate::{ApiError, ServiceState};

/// The text format of OpenMetrics.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns `ok` while the process answers, for a supervisor that restarts it.
#[utoipa::path(
    get,
    path = "/healthz",
    responses((status = 200, description = "The service answers", content_type = "text/plain; charset=utf-8", body = String), CommonErrors),
)]
pub(crate) async fn health() -> &'static str {
    // No look at the database: a restart of this process would not bring it back.
    "ok\n"
}

/// Returns `ok` while the opened database answers, for a load balancer.
///
/// If the database can be read but not written, a second line has the reason for which studies
/// wait. Another line reports a stall: no trial for 10 minutes, although a study runs and an
/// agent is present for it. Such a service still answers questions, so the status stays 200.
#[utoipa::path(
    get,
    path = "/readyz",
    responses((status = 200, description = "The service is ready", content_type = "text/plain; charset=utf-8", body = String), CommonErrors),
)]
pub(crate) async fn readiness(
    State(service): State<Arc<ServiceState>>,
) -> Result<String, ApiError> {
    service.catalogue.check().await?;
    let fleet = service.fleet_if_any();
    let trouble = fleet.as_ref().and_then(|fleet| fleet.trouble());
    let stalled = fleet.map(|fleet| fleet.metrics().stalled);
    Ok(ready(trouble, stalled.unwrap_or_default()))
}

/// Returns the lines of a ready service.
fn ready(trouble: Option<String>, stalled: Duration) -> String {
    let mut lines = "ok\n".to_owned();
    if let Some(trouble) = trouble {
        lines += &format!("studies wait: {trouble}\n");
    }
    if stalled >= server_fleet::STALL {
        let minutes = stalled.as_secs() / 60;
        lines +=
            &format!("stalled: no trial was reported for {minutes} min; see docs/runbook.md\n");
    }
    lines
}

/// Returns the metrics for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "All metrics", content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
            body = String),
        CommonErrors,
    ),
)]
pub(crate) async fn metrics(State(service): State<Arc<ServiceState>>) -> impl IntoResponse {
    let agents = service.fleet_if_any().map(|fleet| fleet.agents());
    let (known, queued) = (service.known.len(), service.room.admission().waiting());
    let text = (service.metrics).text(known, &agents.unwrap_or_default(), queued);
    ([(header::CONTENT_TYPE, OPENMETRICS)], text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ready;

    #[test]
    fn lines_name_the_stalled_parts() {
        let stalled = |minutes| ready(None, Duration::from_mins(minutes));
        assert_eq!(stalled(9), "ok\n");
        let line = "stalled: no trial was reported for 12 min; see docs/runbook.md\n";
        assert_eq!(stalled(12), format!("ok\n{line}"));
        let both = ready(Some("no disk".to_owned()), Duration::from_mins(12));
        assert_eq!(both, format!("ok\nstudies wait: no disk\n{line}"));
    }
}
