//! The trials of a study as columns, for charts.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::studies::meant;
use crate::error_responses::{CommonErrors, NotFoundErrors};
use crate::json_response::json;
use crate::parameters::{RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// Default and largest number of trials in an answer.
const TRIALS: u32 = 20_000;

/// Returns the trials of a study as columns, for charts: one value per trial.
///
/// They are in the order of the study, from an ordinal on. Attributes are the numbers, words and
/// switches of configurations that vary in the answer.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}/columns",
    params(
        ("id" = i64, Path, description = "The number of the study"),
        ("from" = Option<u32>, Query, description = "The first ordinal, from `next` of the answer before; 0 by default"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 20_000, description = "The largest number of trials; 20,000 by default"),
    ),
    responses(
        (status = 200, description = "The columns", body = ref("#/components/schemas/Columns")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn columns(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [from, limit] = parameters(query, ["from", "limit"])?;
    let (id, is_run) = meant(&service, &id).await?;
    let from = from.map_or(Ok(0), |text| text.parse());
    let from = from.map_err(|_| ApiError::value("from", "the ordinal of a trial"))?;
    let limit = limit.map_or(Ok(TRIALS), |text| text.parse());
    let limit = limit.ok().filter(|limit| (1..=TRIALS).contains(limit));
    let limit = limit.ok_or_else(|| {
        let message = format!("a limit must be a number from 1 to {TRIALS}");
        ApiError::value("limit", message)
    })?;
    // An answer has up to 20,000 trials: few at a time bound the memory.
    let turn = service.charts.next().await;
    let points = service.records.plot_trials(id, from, limit).await?;
    // An unknown study has no trials either, and needs another answer.
    if points.trials == 0 {
        let found = service.records.find_study(id).await?;
        if !is_run && found.rows.is_empty() && found.unreadable.is_none() {
            return Err(ApiError::no_study(id));
        }
    }
    let answer = move |_: &_| json(StatusCode::OK, &lookup::columns(id, points));
    Ok(turn.work(answer).await)
}
