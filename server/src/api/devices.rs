//! Devices that the service can tune for.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::ApiError;
use crate::ServiceState;
use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{RawQuery, parameters};

/// Lists the devices that the service can tune for.
///
/// The answer is that of `wavetune devices --output-format json` on the service's machine.
#[utoipa::path(
    get,
    path = "/api/v1/devices",
    responses((status = 200, description = "The devices", body = ref("#/components/schemas/Devices")), CommonErrors),
)]
pub(crate) async fn devices(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [] = parameters(query, [])?;
    Ok(json(StatusCode::OK, &service.devices))
}
