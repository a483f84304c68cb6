//! Entity tags: a client with an answer asks for changes, and gets status 304 if there are none
//! (RFC 9110, 8.8.3).

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A strong tag: equal for equal bytes, and different for others.
pub(crate) struct EntityTag(HeaderValue);

impl EntityTag {
    /// Returns the tag of this content.
    pub(crate) fn of(content: impl AsRef<[u8]>) -> EntityTag {
        let hash = blake3::hash(content.as_ref()).to_hex();
        // 128 bits suffice to tell versions of an answer apart.
        EntityTag::new(&hash[..32])
    }

    /// Returns the tag for this digest, in hexadecimal digits.
    pub(crate) fn new(digest: &str) -> EntityTag {
        let text = ["\"", digest, "\""].concat();
        EntityTag(HeaderValue::try_from(text).expect("digits in quotes"))
    }
}

/// Returns an answer of this media type with its tag, or 304 without content if the client has
/// it.
pub(crate) fn tagged<T: Into<Body>>(
    asked: &HeaderMap,
    kind: &'static str,
    tag: EntityTag,
    answer: impl FnOnce() -> T,
) -> Response {
    let EntityTag(tag) = tag;
    let is_had = is_had(asked, &tag);
    let head = [
        (header::ETAG, tag),
        // Clients may store the answer, and must revalidate it each time.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if is_had {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
    (kind, head, answer().into()).into_response()
}

/// Returns true if a request lists this tag in `If-None-Match`.
fn is_had(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    let lists = asked.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    // RFC 9110 requires weak comparison for this header.
    tags.any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one).as_bytes() == tag.as_bytes()
    })
}
