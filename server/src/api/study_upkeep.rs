//! Upkeep of studies: deletion, and a requeue of abandoned trials.

use std::sync::Arc;

use answers::records::{DeletedStudy, RequeueReport};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use server_fleet::{FleetError, StudyStatus};
use store::RunState;

use super::studies::number;
use crate::body::NoBody;
use crate::error_responses::{BodyErrors, CommonErrors, ConflictErrors, NotFoundErrors};
use crate::json_response::json;
use crate::{ApiError, ServiceState};

/// Deletes a study with its trials.
///
/// A study that runs here or in another process is not deleted.
#[utoipa::path(
    delete,
    path = "/api/v1/studies/{id}",
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study was deleted, with these numbers of rows", body = ref("#/components/schemas/DeletedStudy")),
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn delete(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let mut id = number(&id)?;
    match service.fleet()?.study(id).await {
        Ok(listed) => {
            stands_still(&listed)?;
            id = listed.study;
        }
        // A study that the service never ran may still be in the database.
        Err(FleetError::Unknown(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let deleted = service.records.delete_study(id).await?;
    let deleted = deleted.ok_or_else(|| ApiError::no_study(id))?;
    let answer = DeletedStudy {
        id: id.0,
        trials: deleted.trials,
        finals: deleted.finals,
    };
    Ok(json(StatusCode::OK, &answer))
}

/// Requeues the abandoned trials of a study.
///
/// The service forgets the trials that failed as `abandoned`, and the study repeats them. Without
/// such trials, nothing changes.
#[utoipa::path(
    post,
    path = "/api/v1/studies/{id}/requeue",
    request_body(content = ref("#/components/schemas/EmptyBody"), description = "An empty object"),
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The number of trials that the study makes again", body = ref("#/components/schemas/RequeueReport")),
        BodyErrors,
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn requeue(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<Response, ApiError> {
    let fleet = service.fleet()?;
    let listed = fleet.study(number(&id)?).await?;
    stands_still(&listed)?;
    let id = listed.study;
    let trials = service.records.forget_abandoned(id).await?;
    // A finished study stays finished if nothing is left to repeat.
    if trials > 0 {
        fleet.try_again(id).await?;
    }
    let study = id.0;
    Ok(json(StatusCode::OK, &RequeueReport { study, trials }))
}

/// Checks that a study is neither running nor waiting.
fn stands_still(listed: &StudyStatus) -> Result<(), ApiError> {
    match listed.state {
        RunState::Waiting | RunState::Running => Err(ApiError::under_way(listed.study)),
        _ => Ok(()),
    }
}
