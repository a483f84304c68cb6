//! Regressions: problems that became slower after an update.

use std::sync::Arc;

use answers::regressions::Regressions;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// Lists slowdowns after an update of a compiler, a driver or a generator, the worst first.
///
/// The answer is that of `wavetune regressions`. It compares only times of the same device, clock
/// and model.
#[utoipa::path(
    get,
    path = "/api/v1/regressions",
    responses(
        (status = 200, description = "All regressions", body = ref("#/components/schemas/Regressions")),
        CommonErrors,
    ),
)]
pub(crate) async fn regressions(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [] = parameters(query, [])?;
    let found = lookup::regressions(service.catalogue.as_ref(), service.median).await?;
    let answer = Regressions {
        regressions: found.rows.iter().map(lookup::regression).collect(),
        unreadable: found.unreadable,
    };
    Ok(json(StatusCode::OK, &answer))
}
