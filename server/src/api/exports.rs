//! Exports for iree-compile, as text.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use iree_export::tuning_spec::{ExportError, ExportedSpec, SpecSelection, iree_spec};
use utoipa::IntoParams;

use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::{CommonErrors, ConflictErrors, NotFoundErrors};
use crate::parameters::{self, RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// The media type: an export is text for another program.
const TEXT: &str = "text/plain; charset=utf-8";

/// The selection of an export.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportParameters {
    /// The instruction set; a spec is for one
    #[param(value_type = String, example = "gfx942")]
    target: Option<String>,
    /// Only results of the device with this name
    device: Option<String>,
    /// Only results of this version of iree-compile; a spec is for one. Without it, results of a
    /// version other than that of the legality rules are refused
    compiler_version: Option<String>,
    /// The tie-break: `fold`, the default, ranks configurations with another index last; `any`
    /// ignores the index
    #[param(pattern = "^(fold|any)$")]
    ties: Option<String>,
}

/// Returns the tuning spec of all results for a target, a file for iree-compile.
///
/// The text is that of `wavetune export iree-spec`.
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

/// Returns the split file of a tuning spec, which makes iree-compile split rows.
///
/// The text is the file that `wavetune export iree-spec --target gfx942 --output spec.mlir
/// --splits splits.mlir` writes beside the spec. It belongs to the spec with the same parameters.
/// If no configuration of the spec splits rows, there is none.
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
        // A spec is valid for one version of the compiler only.
        ExportError::Compilers(versions) => ApiError::several("compiler_version", &versions),
        ExportError::AnotherCompiler { ref known, .. } => {
            ApiError::to_be_chosen("compiler_version", known, &error)
        }
        ExportError::Store(error) => error.into(),
        ExportError::Spec(error) => ApiError::nothing(error.to_string()),
    })?;
    export.spec.map_err(ApiError::nothing)
}
