//! The status of the service in a few numbers.

use std::sync::Arc;

use answers::status::ServiceStatus;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// Returns the status of the service in a few numbers, for the head of a page.
#[utoipa::path(
    get,
    path = "/api/v1/status",
    responses((status = 200, description = "The status of the service", body = ref("#/components/schemas/ServiceStatus")), CommonErrors),
)]
pub(crate) async fn status(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [] = parameters(query, [])?;
    let (mut running, mut agents) = (0, Vec::new());
    // A service that only answers has a status, too.
    let fleet = service.fleet_if_any();
    if let Some(fleet) = &fleet {
        (running, agents) = (fleet.running().await?, fleet.agents());
    }
    let devices = agents.iter().flat_map(|agent| &agent.offered.devices);
    let answer = ServiceStatus {
        version: env!("CARGO_PKG_VERSION"),
        can_tune: fleet.is_some(),
        problems: service.known.len(),
        running,
        agents: agents.len(),
        quarantined: devices.filter(|device| device.is_left_alone()).count(),
    };
    Ok(json(StatusCode::OK, &answer))
}
