//! Leases: agents lease batches, renew their leases, and report results.
//!
//! The messages are those of `server_fleet::wire`, for agents of the same version. Other programs
//! need none of them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use server_fleet::wire::{LeaseReference, LeaseReply, LeaseReport, LeaseRequest};
use store::StudyId;

use crate::access::AuditedStudies;
use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors, LeaseErrors};
use crate::{ApiError, ServiceState};

/// Leases a batch to an agent.
///
/// For `wavetune agent` of the same version. Waits for up to 8 s until a batch is available.
#[utoipa::path(
    post,
    path = "/api/v1/leases",
    request_body(content = ref("#/components/schemas/LeaseRequest"), description = "The offers of the agent"),
    responses(
        (status = 200, description = "The work to do", body = ref("#/components/schemas/WorkLease")),
        (status = 204, description = "No work is available now"),
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn lease(
    State(service): State<Arc<ServiceState>>,
    JsonBody(ask): JsonBody<LeaseRequest>,
) -> Result<Response, ApiError> {
    Ok(match service.fleet()?.lease(ask).await? {
        Some(lease) => (
            AuditedStudies::one(StudyId(lease.batch.id.study)),
            Json(lease),
        )
            .into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Renews a lease.
#[utoipa::path(
    post,
    path = "/api/v1/leases:stay",
    request_body(content = ref("#/components/schemas/LeaseHold"), description = "The lease"),
    responses(
        (status = 200, description = "The reply, which says if the study still waits for results", body = ref("#/components/schemas/LeaseHeard")),
        BodyErrors,
        LeaseErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn stay(
    State(service): State<Arc<ServiceState>>,
    JsonBody(hold): JsonBody<LeaseReference>,
) -> Result<(Extension<AuditedStudies>, Json<LeaseReply>), ApiError> {
    let about = AuditedStudies::one(StudyId(hold.batch.study));
    Ok((about, Json(service.fleet()?.renew_lease(hold).await?)))
}

/// Records results of a lease.
///
/// After the answer, the trials are in the database. The agent may repeat the request.
#[utoipa::path(
    post,
    path = "/api/v1/leases:tell",
    request_body(content = ref("#/components/schemas/LeaseNews"), description = "The lease, and its results"),
    responses(
        (status = 200, description = "The reply, which says if the study waits for more results", body = ref("#/components/schemas/LeaseHeard")),
        BodyErrors,
        LeaseErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn tell(
    State(service): State<Arc<ServiceState>>,
    JsonBody(tell): JsonBody<LeaseReport>,
) -> Result<(Extension<AuditedStudies>, Json<LeaseReply>), ApiError> {
    let about = AuditedStudies::one(StudyId(tell.batch.id.study));
    Ok((about, Json(service.fleet()?.record_report(tell).await?)))
}

/// Gives back a lease that the agent will not finish.
#[utoipa::path(
    post,
    path = "/api/v1/leases:return",
    request_body(content = ref("#/components/schemas/LeaseHold"), description = "The lease"),
    responses(
        (status = 204, description = "The work goes to another agent"),
        BodyErrors,
        LeaseErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn give_back(
    State(service): State<Arc<ServiceState>>,
    JsonBody(hold): JsonBody<LeaseReference>,
) -> Result<(StatusCode, Extension<AuditedStudies>), ApiError> {
    let about = AuditedStudies::one(StudyId(hold.batch.study));
    service.fleet()?.give_back(hold).await?;
    Ok((StatusCode::NO_CONTENT, about))
}
