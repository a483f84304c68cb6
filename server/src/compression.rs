//! Compression of answers with gzip.

use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use crate::ApiError;

/// Smallest answer that is compressed, in bytes: a smaller one gains nothing.
const PACKED_BYTES: u64 = 256;

/// Compresses the answers of these handlers with gzip, if a request accepts that.
pub(crate) fn packed<S: Clone + Send + Sync + 'static>(
    methods: MethodRouter<S>,
) -> MethodRouter<S> {
    // Charts wait for large answers, and a better level takes longer than it saves in the
    // transfer.
    let packs = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(PACKED_BYTES));
    methods.layer(packs).layer(middleware::map_response(said))
}

/// Corrects the answer of the compression layer: its 406 becomes a problem, and the entity tag
/// becomes weak.
async fn said(mut response: Response) -> Response {
    if response.status() == StatusCode::NOT_ACCEPTABLE {
        return ApiError::not_acceptable().into_response();
    }
    // Compressed bytes differ, and a strong tag names bytes (RFC 9110, 8.8.1).
    let headers = response.headers_mut();
    if headers.contains_key(header::CONTENT_ENCODING)
        && let Some(tag) = headers.get(header::ETAG)
    {
        let weak = [b"W/", tag.as_bytes()].concat();
        let weak = HeaderValue::from_bytes(&weak).expect("a tag is text");
        headers.insert(header::ETAG, weak);
    }
    response
}
