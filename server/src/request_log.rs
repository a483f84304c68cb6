//! The request log: an event for each request, at its answer or when its client has gone.
//!
//! A request has an *ID*, which is in each of its log lines and in its answer: its client's, or
//! one of ours. An answer with status 500 or above is logged as an error with its cause, because
//! the fault is the service's. An answer with a Retry-After is logged like any other.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use axum::response::Response;
use store::AccessToken;
use tracing::{Span, error, info};

use crate::error::Reason;

/// The header with a request's ID.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Most characters of a client's ID.
const ID: usize = 64;

/// Characters of a request's address in its event.
const QUOTED: usize = 200;

/// Hexadecimal digits from which on a text counts as a token, or a part of one.
const SECRET: usize = 16;

/// The source of request IDs.
pub(crate) struct RequestIds {
    /// Tells the requests of this process from those of others.
    process: u32,
    requests: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        RequestIds {
            // The standard library's hasher has a random key, which saves a dependency.
            process: RandomState::new().hash_one(()) as u32,
            requests: AtomicU64::new(0),
        }
    }

    /// Returns the ID of the next request: the client's, if it is a plain name.
    pub(crate) fn next(&self, headers: &HeaderMap) -> HeaderValue {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let mut given = headers.get_all(REQUEST_ID).iter();
        match (given.next(), given.next()) {
            (Some(id), None) if is_name(id.as_bytes()) => id.clone(),
            _ => HeaderValue::from_str(&format!("{:08x}-{number}", self.process))
                .expect("digits and a hyphen"),
        }
    }
}

/// Returns true if an ID is safe in a log line.
fn is_name(id: &[u8]) -> bool {
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (1..=ID).contains(&id.len()) && id.iter().all(is_known)
}

/// Removes misplaced tokens from an address, except their prefixes.
pub(crate) fn without_tokens(path: &str) -> String {
    let mut pieces = path.split(AccessToken::PREFIX);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |told, piece| {
        let secret = piece.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        let kept = match piece.len() - secret.len() {
            // Fewer digits are ordinary text after the prefix, and no secret.
            ..SECRET => piece,
            SECRET.. => secret,
        };
        told + AccessToken::PREFIX + kept
    })
}

/// A request without an answer yet. It is logged when it is dropped, so that none is missing: if
/// a client goes away, its handler is dropped halfway.
pub(crate) struct LoggedRequest {
    span: Span,
    method: Method,
    address: Uri,
    began: Instant,
    answer: Option<LoggedResponse>,
}

/// The logged part of a response.
struct LoggedResponse {
    status: u16,
    /// The cause, if the response is a failure.
    cause: Option<String>,
}

impl LoggedRequest {
    /// Creates the log entry of a request with this ID.
    pub(crate) fn new(id: &HeaderValue, request: &Request) -> Self {
        LoggedRequest {
            span: span::of(id.to_str().unwrap_or_default(), request),
            method: request.method().clone(),
            address: request.uri().clone(),
            began: Instant::now(),
            answer: None,
        }
    }

    /// Returns the span of all work for the request.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Notes the answer.
    pub(crate) fn answered(mut self, response: &Response) {
        let (status, cause) = (response.status().as_u16(), failure(response));
        span::answered(&self.span, status);
        self.answer = Some(LoggedResponse { status, cause });
    }
}

/// Returns the cause of a failure. A Retry-After means a limit or a start, and no fault.
fn failure(response: &Response) -> Option<String> {
    let is_temporary = response.headers().contains_key(RETRY_AFTER);
    if !response.status().is_server_error() || is_temporary {
        return None;
    }
    let reason = response.extensions().get::<Reason>();
    let reason = reason.map_or("reason unknown", |reason| &reason.0);
    Some(reason.to_owned())
}

/// Returns the beginning of an address, without tokens.
fn told(address: &Uri) -> String {
    let beginning: String = address.to_string().chars().take(QUOTED).collect();
    without_tokens(&beginning)
}

impl Drop for LoggedRequest {
    fn drop(&mut self) {
        let _in = self.span.enter();
        let microseconds = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (method, address) = (self.method.as_str(), &self.address);
        // Computed at the log call only, because most levels discard it.
        let path = || told(address);
        match &self.answer {
            None => info!(
                method,
                path = path(),
                microseconds,
                "unanswered: the client disconnected"
            ),
            Some(LoggedResponse {
                status,
                cause: None,
            }) => info!(method, path = path(), status, microseconds, "answered"),
            Some(LoggedResponse {
                status,
                cause: Some(cause),
            }) => error!(method, path = path(), status, microseconds, cause, "failed"),
        }
    }
}

/// The span of a request. It has the level of errors, so that every event is shown with its
/// request.
#[cfg(not(feature = "opentelemetry"))]
mod span {
    use axum::extract::Request;
    use tracing::{Span, error_span};

    pub(super) fn of(id: &str, _: &Request) -> Span {
        error_span!("request", id)
    }

    pub(super) fn answered(_: &Span, _: u16) {}
}

/// The span of a request, with the fields of OpenTelemetry's conventions for servers:
/// <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>.
#[cfg(feature = "opentelemetry")]
mod span {
    use axum::extract::{MatchedPath, Request};
    use tracing::field::Empty;
    use tracing::{Span, error_span};

    pub(super) fn of(id: &str, request: &Request) -> Span {
        let method = request.method().as_str();
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map_or("", MatchedPath::as_str);
        error_span!(
            "request",
            id,
            otel.name = format!("{method} {route}").trim_end(),
            otel.kind = "server",
            otel.status_code = Empty,
            http.request.method = method,
            http.route = route,
            http.response.status_code = Empty,
        )
    }

    pub(super) fn answered(span: &Span, status: u16) {
        span.record("http.response.status_code", status);
        if status >= 500 {
            span.record("otel.status_code", "ERROR");
        }
    }
}

#[cfg(test)]
mod tests;
