//! The description of the API, and a page to try it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::ServiceState;
use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::CommonErrors;

const PAGE: &str = include_str!("../../static/docs.html");
const SCRIPT: &str = include_str!("../../static/docs.js");

/// The policy of the page: its own script sends requests to its own service.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

/// Returns this document: all addresses of the service, with their parameters and answers.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    responses(
        (status = 200, description = "An OpenAPI document", content_type = "application/json", body = Object,
            headers(("ETag" = String, description = "The entity tag of the document"))),
        (status = 304, description = "The client's cached answer is current"),
        CommonErrors,
    ),
)]
pub(crate) async fn openapi(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
) -> Response {
    tagged(
        &headers,
        "application/json",
        EntityTag::of(&service.description),
        || service.description.clone(),
    )
}

/// Returns a page to try the API.
#[utoipa::path(
    get,
    path = "/api/v1/docs",
    responses((status = 200, description = "The page", content_type = "text/html; charset=utf-8", body = String), CommonErrors),
)]
pub(crate) async fn docs() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    let head = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (head, PAGE)
}

/// Returns the script of the page to try the API.
#[utoipa::path(
    get,
    path = "/api/v1/docs.js",
    responses((status = 200, description = "The script", content_type = "text/javascript; charset=utf-8", body = String), CommonErrors),
)]
pub(crate) async fn docs_script() -> impl IntoResponse {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, SCRIPT)
}
