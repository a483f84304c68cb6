//! Entity tags: who has an answer asks whether it has changed, and is told so in a few bytes (RFC 9110, 8.8.3).

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A strong tag: equal bytes have equal tags, and others others.
pub(crate) struct EntityTag(HeaderValue);

impl EntityTag {
    /// The tag of this content.
    pub(crate) fn of(content: impl AsRef<[u8]>) -> EntityTag {
        let hash = blake3::hash(content.as_ref()).to_hex();
        EntityTag::new(&hash[..32])
    }

    /// The tag of what has this digest, in hexadecimal digits.
    pub(crate) fn new(digest: &str) -> EntityTag {
        let text = ["\"", digest, "\""].concat();
        EntityTag(HeaderValue::try_from(text).expect("digits in quotes"))
    }
}

/// An answer of this media type with its tag; 304 without it for who has it.
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
        // Kept by whoever wants, and asked for again each time.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if is_had {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
    (kind, head, answer().into()).into_response()
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
