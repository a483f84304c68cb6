//! The service: answers over HTTP, and a page that lists what is known.
//!
//! [`serve`] is all of it. `api` holds a handler for each address under `/api/v1`, `page` the page, [`ApiError`] what a
//! client is told when something is wrong, `requests` what the log is told of each request; `visitor` says who may ask,
//! `connections` and `writing` hold the limits around a request.
//!
//! This crate knows nothing of how an answer comes about: that is `lookup`, which the command line asks as well, so both
//! give the same bytes.

mod api;
mod connections;
mod error;
mod page;
mod parameters;
mod requests;
mod tag;
mod visitor;
mod writing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use lookup::Known;
use store::Catalogue;
use tokio::net::TcpListener;
use tracing::{Instrument as _, debug};

use requests::Asked;

pub use error::ApiError;

/// Time for an answer. The store's own wait for a lock is shorter, so that its message gets through.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// Largest body of a request: a thousand questions, of a kilobyte each.
const BODY_BYTES: usize = 1 << 20;

/// What every response says to a browser: nothing but the page's own style sheet is loaded, no script runs, nobody
/// frames it, nothing is guessed.
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

/// Time between two looks whether wishes wait to be written.
const FLUSH_PAUSE: Duration = Duration::from_secs(1);

/// Time between two looks whether the database has changed: an answer may be so old, and as much as reading takes.
const FOLLOW_PAUSE: Duration = Duration::from_millis(100);

/// How the service is run.
pub struct Settings {
    /// Names by which clients may call it, beside `localhost` and addresses.
    pub names: Vec<String>,
}

/// What all requests share.
struct Service {
    catalogue: Arc<dyn Catalogue>,
    /// What the catalogue answers, in memory.
    known: Known,
    names: Vec<String>,
    /// Requests that there have been.
    requests: AtomicU64,
}

/// Answers requests on `listener` from `catalogue` until `shutdown` is done and the requests that were under way are
/// answered.
pub async fn serve(
    listener: TcpListener,
    catalogue: Arc<dyn Catalogue>,
    settings: Settings,
    shutdown: impl Future<Output = ()>,
) {
    let service = Arc::new(Service {
        catalogue,
        known: Known::default(),
        names: settings.names,
        requests: AtomicU64::new(0),
    });
    let flushed = async {
        loop {
            tokio::time::sleep(FLUSH_PAUSE).await;
            // What cannot be written now waits; who wished was told already.
            service.catalogue.flush_wishes().await.ok();
        }
    };
    tokio::select! {
        () = connections::serve(listener, router(Arc::clone(&service)), shutdown) => {}
        () = flushed => {}
        () = follow(&service) => {}
    }
    service.catalogue.flush_wishes().await.ok();
}

/// Keeps what is known in step with the database.
async fn follow(service: &Service) {
    loop {
        if let Err(error) = service.known.follow(service.catalogue.as_ref()).await {
            // Who asks is told why: by the database itself.
            debug!(%error, "the database cannot be followed");
        }
        tokio::time::sleep(FOLLOW_PAUSE).await;
    }
}

fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/", get(page::page))
        .route("/style.css", get(page::style))
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/api/v1/configurations", get(api::configurations))
        .route("/api/v1/configurations:batch", post(api::batch))
        .route("/api/v1/best", get(api::best))
        .fallback(async || ApiError::not_found())
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), guard))
        .with_state(service)
}

/// `ok` while the process answers: for who starts it anew where it does not.
async fn health() -> &'static str {
    "ok\n"
}

/// `ok` while the database answers and is the one that was opened: for who sends requests elsewhere where it is not.
async fn readiness(State(service): State<Arc<Service>>) -> Result<&'static str, ApiError> {
    service.catalogue.check().await?;
    Ok("ok\n")
}

/// Who may ask, the limit of time, the headers that every response has, and the event of each request.
async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let number = service.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let asked = Asked::new(number, &request);
    let mut response = match visitor::admit(&service.names, &request) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => {
            let answer = next.run(request).instrument(asked.span());
            let answered = tokio::time::timeout(ANSWER_TIME, answer).await;
            answered.unwrap_or_else(|_| ApiError::timeout(ANSWER_TIME).into_response())
        }
    };
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().insert(name, value);
    }
    // Unless the answer says otherwise.
    let kept = response.headers_mut().entry(header::CACHE_CONTROL);
    kept.or_insert(HeaderValue::from_static("no-store"));
    asked.answered(&response);
    response
}
