//! The headers of every answer.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::request_log::REQUEST_ID;

/// Security headers, unless the answer sets its own: only style sheets of the service load, and
/// no script runs. No page may frame the answer, and the browser guesses no media type.
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

/// Adds missing common headers and the request ID to the headers of an answer.
pub(crate) fn complete(headers: &mut HeaderMap, id: HeaderValue) {
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(value);
    }
    headers.insert(REQUEST_ID, id);
    let kept = headers.entry(header::CACHE_CONTROL);
    // An answer may be for the holder of a token only, so caches store none by default.
    kept.or_insert(HeaderValue::from_static("no-store"));
}
