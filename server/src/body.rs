//! Bodies of requests: JSON, with a limited size and time.

use std::time::Duration;

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ApiError;

/// Largest body of a request: a thousand questions of a kilobyte each.
pub(crate) const BODY_BYTES: usize = 1 << 20;

/// Longest time for a body: a client that sends byte by byte holds up the service no longer.
const BODY_TIME: Duration = Duration::from_secs(5);

/// A JSON body of a request. The service refuses a body without the JSON content type. A page of
/// another site can make a browser send any text, but not with that type.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let read = tokio::time::timeout(BODY_TIME, Json::<T>::from_request(request, state)).await;
        match read.map_err(|_| ApiError::slow_body(BODY_TIME))? {
            Ok(Json(value)) => Ok(JsonBody(value)),
            Err(rejection) if is_too_large(&rejection) => Err(ApiError::body_too_large(BODY_BYTES)),
            Err(rejection) => Err(ApiError::body(&rejection)),
        }
    }
}

/// The body of a request without content: an empty object with the content type JSON. An empty
/// body is also valid, with the same content type or without one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmptyBody {}

/// The extractor of [`EmptyBody`].
pub(crate) struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let is_empty = request.body().is_end_stream();
        let kind = request.headers().get(header::CONTENT_TYPE);
        // `curl -X POST` sends neither. The pages of other sites do so too, but their requests
        // name their origin (`origin_check`).
        if is_empty && kind.is_none() {
            return Ok(NoBody);
        }
        let kind = kind.and_then(|kind| kind.to_str().ok()?.split(';').next());
        if kind.is_none_or(|kind| kind.trim() != "application/json") {
            return Err(ApiError::not_json());
        }
        if !is_empty {
            let JsonBody(EmptyBody {}) = JsonBody::from_request(request, state).await?;
        }
        Ok(NoBody)
    }
}

fn is_too_large(rejection: &JsonRejection) -> bool {
    rejection.status() == StatusCode::PAYLOAD_TOO_LARGE
}

/// Refuses a body by its `Content-Length`, before any of it is read.
pub(crate) fn admit(headers: &HeaderMap) -> Result<(), ApiError> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    match length.is_some_and(|length| length > BODY_BYTES as u64) {
        true => Err(ApiError::body_too_large(BODY_BYTES)),
        false => Ok(()),
    }
}
