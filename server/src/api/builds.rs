//! Builds: agents without a device ask for batches to build, and hand in their kernels.
//!
//! As with leases, what is said here is `fleet::wire`, which agents of the same version read; `POST /api/v1/leases:stay` and
//! `:return` are for builds, too.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use fleet::PublicKey;
use fleet::wire::{BuildRequest, BuiltKernels, LeaseReply};
use store::StudyId;

use crate::access::AuditedStudies;
use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors, LeaseErrors};
use crate::{ApiError, ServiceState};

/// A batch for an agent to build.
///
/// For `wavetune agent --compile-only` of the same version. Waits for up to eight seconds until there is one.
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

/// Hands in what was built.
///
/// When this is answered, the batch waits for a device, with its kernels. It may be said twice.
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

/// The public key of the service.
///
/// By it an agent knows that kernels that come with a lease were handed in to this service for that lease.
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
