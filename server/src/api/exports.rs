//! The exports for iree-compile: texts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use lookup::export::{ExportError, ExportedSpec, SpecSelection, iree_spec};
use utoipa::IntoParams;

use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::{CommonErrors, ConflictErrors, NotFoundErrors};
use crate::parameters::{self, RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// What is exported is a text of another program's.
const TEXT: &str = "text/plain; charset=utf-8";

/// Of what is known, that which is exported.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportParameters {
    /// The instruction set; a spec is for one
    #[param(value_type = String, example = "gfx942")]
    target: Option<String>,
    /// Only what was tuned on the device with this name
    device: Option<String>,
    /// Only what was tuned with this version of iree-compile; a spec is for one. Where none is named, what was tuned with
    /// another than the rules of legality were found with is refused
    compiler_version: Option<String>,
    /// Which index is wanted where elements tie: the fold's, which goes before, or `any`
    #[param(pattern = "^(fold|any)$")]
    ties: Option<String>,
}

/// The tuning spec of all that was tuned for a target, which iree-compile takes as a file.
///
/// What `wavetune export iree-spec` writes.
#[utoipa::path(
    get,
    path = "/api/v1/exports/iree-spec",
    params(
        ExportParameters,
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The spec", content_type = "text/plain; charset=utf-8", body = String,
            headers(("ETag" = String, description = "The entity tag of the spec"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn iree(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let spec = exported(&service, query).await?.text;
    Ok(tagged(&headers, TEXT, EntityTag::of(&spec), || spec))
}

/// The file that has iree-compile split rows as the tuning spec of the same parameters expects it: it goes with that spec.
///
/// What `wavetune export iree-spec --target gfx942 --output spec.mlir --splits splits.mlir` writes beside the spec.
/// Where no configuration of the spec splits rows there is none.
#[utoipa::path(
    get,
    path = "/api/v1/exports/iree-splits",
    params(
        ExportParameters,
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The file", content_type = "text/plain; charset=utf-8", body = String,
            headers(("ETag" = String, description = "The entity tag of the file"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn splits(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let splits = exported(&service, query).await?.splits;
    let splits = splits
        .ok_or_else(|| ApiError::nothing("no configuration of the spec splits rows".to_owned()))?;
    Ok(tagged(&headers, TEXT, EntityTag::of(&splits), || splits))
}

async fn exported(service: &ServiceState, query: RawQuery) -> Result<ExportedSpec, ApiError> {
    let names = ["target", "device", "compiler_version", "ties"];
    let [target, device, compiler_version, ties] = parameters(query, names)?;
    let asked = ExportParameters {
        target,
        device,
        compiler_version,
        ties,
    };
    let target = asked.target.ok_or_else(|| ApiError::missing("target"))?;
    let wanted = SpecSelection {
        target: parameters::target(&target)?,
        problems: &[],
        device: asked.device.as_deref(),
        compiler_version: asked.compiler_version.as_deref(),
        taking: None,
        ties: parameters::ties(asked.ties)?,
        stand_ins: &[],
        ranges: None,
    };
    let export = iree_spec(service.catalogue.as_ref(), &wanted).await;
    let export = export.map_err(|error| match error {
        ExportError::Compilers(versions) => ApiError::several("compiler_version", &versions),
        ExportError::AnotherCompiler { ref known, .. } => {
            ApiError::to_be_chosen("compiler_version", known, &error)
        }
        ExportError::Store(error) => error.into(),
        ExportError::Spec(error) => ApiError::nothing(error.to_string()),
    })?;
    export.spec.map_err(ApiError::nothing)
}
