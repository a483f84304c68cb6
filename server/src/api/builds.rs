//! Builds: agents without a device lease batches to build, and send their kernels.
//!
//! The messages are those of `server_fleet::wire`, for agents of the same version, as with leases.
//! `POST /api/v1/leases:stay` and `:return` also accept build leases.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use server_fleet::PublicKey;
use server_fleet::wire::{BuildRequest, BuiltKernels, LeaseReply};
use store::StudyId;

use crate::access::AuditedStudies;
use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors, LeaseErrors};
use crate::{ApiError, ServiceState};

/// Leases a batch to a build agent.
///
/// For `wavetune agent --compile-only` of the same version. Waits for up to 8 s until a batch is
/// available.
#[utoipa::path(
    post,
    path = "/api/v1/builds",
    request_body(content = ref("#/components/schemas/BuildRequest"), description = "The toolchains of the agent"),
    responses(
        (status = 200, description = "The kernels to build", body = ref("#/components/schemas/BuildLease")),
        (status = 204, description = "No work is available now"),
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn build(
    State(service): State<Arc<ServiceState>>,
    JsonBody(ask): JsonBody<BuildRequest>,
) -> Result<Response, ApiError> {
    Ok(match service.fleet()?.lease_build(ask).await? {
        Some(build) => {
            let about = AuditedStudies::one(StudyId(build.batch.id.study));
            (about, Json(build)).into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Receives the kernels of a build lease.
///
/// After the answer, the batch waits for a device with its kernels. The agent may repeat the
/// request.
#[utoipa::path(
    post,
    path = "/api/v1/builds:hand-in",
    request_body(content = ref("#/components/schemas/BuiltKernels"), description = "The lease, and the built kernels"),
    responses(
        (status = 200, description = "The reply, which says if an agent waited for the kernels", body = ref("#/components/schemas/LeaseHeard")),
        BodyErrors,
        LeaseErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn hand_in(
    State(service): State<Arc<ServiceState>>,
    JsonBody(built): JsonBody<BuiltKernels>,
) -> Result<(Extension<AuditedStudies>, Json<LeaseReply>), ApiError> {
    let about = AuditedStudies::one(StudyId(built.batch.id.study));
    Ok((about, Json(service.fleet()?.hand_in(built).await?)))
}

/// Returns the public key of the service.
///
/// With it an agent verifies that the service received the kernels of a lease for that lease.
#[utoipa::path(
    get,
    path = "/api/v1/builds:key",
    responses(
        (status = 200, description = "The key", body = ref("#/components/schemas/SigningKey")),
        CommonErrors,
    ),
)]
pub(crate) async fn key(
    State(service): State<Arc<ServiceState>>,
) -> Result<Json<PublicKey>, ApiError> {
    Ok(Json(service.fleet()?.public_key()))
}
