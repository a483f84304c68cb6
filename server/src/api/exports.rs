//! The export for iree-compile: a text.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use lookup::export::{ExportError, Wanted, iree_spec};

use crate::parameters::{self, RawQuery, parameters};
use crate::refused::{Conflicting, Missing, Refused};
use crate::tag::{Tag, tagged};
use crate::{ApiError, Service};

/// What is exported is a text of another program's.
const TEXT: &str = "text/plain; charset=utf-8";

/// The tuning spec of all that was tuned for a target, which iree-compile takes as a file.
///
/// What `wavetune export iree-spec` writes.
#[utoipa::path(
    get,
    path = "/api/v1/exports/iree-spec",
    params(
        ("target" = String, Query, description = "The instruction set; a spec is for one", example = "gfx942"),
        ("device" = Option<String>, Query, description = "Only what was tuned on the device with this name"),
        ("compiler_version" = Option<String>, Query,
            description = "Only what was tuned with this version of iree-compile; a spec is for one. Where none is named, what was tuned \
                with another than the rules of legality were found with is refused"),
        ("ties" = Option<String>, Query, pattern = "^(fold|any)$",
            description = "Which index is wanted where elements tie: the fold's, which goes before, or `any`"),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "Tags of answers that the client has"),
    ),
    responses(
        (status = 200, description = "The spec", content_type = "text/plain; charset=utf-8", body = String,
            headers(("ETag" = String, description = "Tells the spec from others"))),
        (status = 304, description = "Who asks has the spec"),
        Missing,
        Conflicting,
        Refused,
    ),
)]
pub(crate) async fn iree(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let names = ["target", "device", "compiler_version", "ties"];
    let [target, device, compiler_version, ties] = parameters(query, names)?;
    let target = target.ok_or_else(|| ApiError::missing("target"))?;
    let wanted = Wanted {
        target: parameters::target(&target)?,
        problems: &[],
        device: device.as_deref(),
        compiler_version: compiler_version.as_deref(),
        taking: None,
        ties: parameters::ties(ties)?,
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
    let spec = export.spec.map_err(ApiError::nothing)?;
    let tag = Tag::of(&spec.text);
    Ok(tagged(&headers, TEXT, tag, || spec.text))
}
