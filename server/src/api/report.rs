//! Reports: the findings of a study, in the format of `wavetune tune`.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::studies::number;
use crate::content_negotiation::accepts;
use crate::error_responses::{CommonErrors, ConflictErrors, NotFoundErrors};
use crate::json_response::json;
use crate::{ApiError, ServiceState};

/// Returns the findings of a finished study.
///
/// The answer is that of `wavetune tune`: as JSON, or as text with `Accept: text/plain`. Each
/// replica of the service gives the same answer, until the study is deleted.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}/report",
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The report of the study", content(
            (ref("#/components/schemas/TuneOutcome") = "application/json"),
            (String = "text/plain; charset=utf-8"),
        )),
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn report(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (fleet, id) = (service.fleet()?, number(&id)?);
    let found = fleet.findings(id).await?;
    let seconds = found.took.as_secs_f64();
    if accepts(&headers, "text/plain") {
        let text = found
            .report
            .text(seconds, &format!("as study {}", found.study.0));
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        return Ok((kind, text).into_response());
    }
    Ok(json(StatusCode::OK, &found.report.answer(seconds)))
}
