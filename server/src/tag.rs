//! Entity tags: who has an answer asks whether it has changed, and is told so in a few bytes (RFC 9110, 8.8.3).

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Bytes of the hash of an answer that tell it from others.
const BYTES: usize = 16;

/// An answer of this media type with its tag; 304 without it for who has it.
pub(crate) fn tagged(asked: &HeaderMap, kind: &'static str, answer: String) -> Response {
    let tag = tag(&answer);
    let head = [
        (header::ETAG, tag.clone()),
        // Kept by whoever wants, and asked for again each time.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if is_had(asked, &tag) {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
    (kind, head, Body::from(answer)).into_response()
}

/// A strong tag: equal bytes have equal tags, and others others.
fn tag(answer: &str) -> HeaderValue {
    let hash = blake3::hash(answer.as_bytes()).to_hex();
    let text = format!("\"{}\"", &hash[..2 * BYTES]);
    HeaderValue::from_str(&text).expect("digits in quotes")
}

/// Whether a request says that it has what has this tag.
fn is_had(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    let lists = asked.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    // Compared weakly, as RFC 9110 wants it of this header.
    tags.any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one).as_bytes() == tag.as_bytes()
    })
}
