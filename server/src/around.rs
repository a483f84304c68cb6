//! What happens around each handler: who may ask, the limit of time, panics, and the headers that every answer has.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument as _;

use crate::requests::{Asked, REQUEST_ID};
use crate::{ApiError, Service, body, visitor};

/// Time for an answer. The store's own wait for a lock is shorter, so that its message gets through.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// What a response says to a browser, unless it says otherwise: nothing but the service's own style sheets are loaded, no script runs,
/// nobody frames it, nothing is guessed.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Answers a request, or refuses it; both are told.
pub(crate) async fn guard(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let id = service.ids.next(request.headers());
    let asked = Asked::new(&id, &request);
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str);
    let counted = service.metrics.begin(route, request.method());
    let admitted = visitor::admit(&service.names, &request);
    let mut response = match admitted.and_then(|()| body::admit(request.headers())) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => {
            let answer = next.run(request).instrument(asked.span());
            let answered = tokio::time::timeout(ANSWER_TIME, answer).await;
            answered.unwrap_or_else(|_| ApiError::timeout(ANSWER_TIME).into_response())
        }
    };
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(value);
    }
    headers.insert(REQUEST_ID, id);
    let kept = headers.entry(header::CACHE_CONTROL);
    kept.or_insert(HeaderValue::from_static("no-store"));
    counted.answered(response.status());
    asked.answered(&response);
    response
}

/// The answer in place of a handler that panicked.
pub(crate) fn caught(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let said = text.unwrap_or("no message");
    ApiError::fault().because(format!("a handler panicked: {said}"))
}
