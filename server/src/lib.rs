//! The service: answers over HTTP, and a page that lists what is known.
//!
//! [`serve`] is all of it. `api` holds a handler for each address under `/api/v1`, `page` the page, [`ApiError`] what a
//! client is told when something is wrong, `connections` the limits that hold before a request is one.
//!
//! This crate knows nothing of how an answer comes about: that is `lookup`, which the command line asks as well, so both
//! give the same bytes.

mod api;
mod connections;
mod error;
mod page;
mod parameters;

use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use store::Store;
use tokio::net::TcpListener;

pub use error::ApiError;

/// Time for an answer. The store's own wait for a lock is shorter, so that its message gets through.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// What every response says to a browser: nothing but the page's own style sheet is loaded, no script runs, nobody
/// frames it, nothing is guessed.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 6] = [
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
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Answers requests on `listener` until `shutdown` is done and the requests that were under way are answered.
pub async fn serve(listener: TcpListener, store: Store, shutdown: impl Future<Output = ()>) {
    connections::serve(listener, router(store), shutdown).await;
}

fn router(store: Store) -> Router {
    Router::new()
        .route("/", get(page::page))
        .route("/style.css", get(page::style))
        .route("/healthz", get(health))
        .route("/api/v1/configurations", get(api::configurations))
        .route("/api/v1/best", get(api::best))
        .fallback(async || ApiError::not_found())
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(middleware::from_fn(guard))
        .with_state(store)
}

/// `ok` while the database answers.
async fn health(State(store): State<Store>) -> Result<&'static str, ApiError> {
    store.check().await?;
    Ok("ok\n")
}

/// The limit of time, and the headers that every response has.
async fn guard(request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(ANSWER_TIME, next.run(request)).await;
    let mut response = answered.unwrap_or_else(|_| {
        use axum::response::IntoResponse;
        ApiError::timeout(ANSWER_TIME).into_response()
    });
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}
