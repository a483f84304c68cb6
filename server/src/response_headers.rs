//! The headers that every answer has.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::request_log::REQUEST_ID;

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

/// Adds to the headers of an answer those that it has not said otherwise, and the id of its request.
pub(crate) fn complete(headers: &mut HeaderMap, id: HeaderValue) {
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(value);
    }
    headers.insert(REQUEST_ID, id);
    let kept = headers.entry(header::CACHE_CONTROL);
    kept.or_insert(HeaderValue::from_static("no-store"));
}
