//! The service: answers over HTTP, and the dashboard that asks for them.
//!
//! [`serve`] is all of it. The main modules:
//!
//! - `routes` lists all addresses with the scopes that they need; `api` has a handler for each.
//!   `page` serves the files of the dashboard.
//! - `access` checks tokens, and `visitor` checks the host and the origin of a request.
//! - [`ApiError`] is an error for the client; `kind` has the kinds, and `refused` adds them to the
//!   description.
//! - `around` is the middleware. `admission` limits requests and `room` connections, both fairly
//!   between clients: tokens, or addresses without one. `limits` has the settings.
//! - `requests` writes the log of requests, `metrics` the Prometheus metrics. `staleness` limits
//!   the age of answers from memory, and `tls` renews the certificate.
//! - `archive` and `packed` encode several files and large answers; `turns` limits concurrent long
//!   work, such as exports of kernels.
//!
//! The description of the API (OpenAPI 3.1) comes from the annotations of the handlers and the
//! schemas of `answers/`. It is committed and served, and tests compare answers with it.
//!
//! The service binds to loopback by default and answers only requests that name it. Beyond
//! loopback, callers present a token with *scopes*. `docs/threat-model.md` lists the defences.
//!
//! # Invariants
//!
//! - The service has no knowledge of its own: `lookup` or the catalogue gives each answer of a
//!   handler.
//! - Every route is in the description, and every answer, errors included, matches it.
//! - The table of routes gives the scope of each operation, and no route exists beside it.
//! - A service beyond loopback answers callers with a valid token only, except for public data.
//! - No log, no answer and no database has a token: a database has its hash.
//! - A service that is told to end answers the requests under way and keeps no waiting client.

mod access;
mod api;
mod archive;
mod blocking_pool;
mod body;
mod book;
mod compression;
mod connection_admission;
mod connections;
mod content_negotiation;
mod entity_tag;
mod error;
mod error_responses;
mod in_process;
mod json_response;
mod limits;
mod metric_collector;
mod metrics;
mod origin_check;
mod page;
mod parameters;
mod parse_error;
mod problem_kind;
mod process_metrics;
mod request_admission;
mod request_log;
mod request_middleware;
mod response_headers;
mod routes;
mod staleness;
mod tls;
mod write_timeout;

use std::sync::Arc;
use std::time::Duration;

use answers::devices::Devices;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use fleet::{Fleet, persist};
use kernel_export::Toolchain;
use lookup::{AnswerIndex, CachedAnswer, MedianInterval};
use store::{Catalogue, Records, StoreError, Tokens};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::debug;

use access::AccessPolicy;
use blocking_pool::BlockingPool;
use connection_admission::ConnectionAdmission;
use metrics::Metrics;
use request_log::RequestIds;

pub use access::{TokenLimits, wants_tokens};
pub use api::studies::describe_run;
pub use book::{Book, BookError};
pub use error::ApiError;
pub use in_process::{ErrorResponse, InProcessService};
pub use limits::Limits;
pub use tls::{Tls, TlsError};

/// Time between two looks whether wishes wait to be written.
const FLUSH_PAUSE: Duration = Duration::from_secs(1);

/// Time between two looks whether the database has changed: an answer may be so old, and as much as reading takes.
const FOLLOW_PAUSE: Duration = Duration::from_millis(100);

/// How the service is run.
pub struct ServerSettings {
    /// What people look through: of the database that the catalogue is of.
    pub records: Arc<dyn Records>,
    /// The studies that it carries on now; none where it only answers. Another database has other studies.
    pub fleet: watch::Receiver<Option<Arc<Fleet>>>,
    /// Names by which clients may call it, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// The devices that can be tuned for.
    pub devices: Devices,
    /// How sure a median of samples is.
    pub median: MedianInterval,
    /// What builds the kernels that are exported.
    pub toolchain: Toolchain,
    /// The tokens that were given out.
    pub tokens: Arc<dyn Tokens>,
    /// Whether they are wanted also where the service listens on loopback alone, such as behind a proxy. Elsewhere they are
    /// wanted whatever this says.
    pub wants_tokens: bool,
    /// The book that it shows.
    pub book: Option<Book>,
    /// How much each may ask.
    pub allowed: TokenLimits,
    /// How much it takes on at once.
    pub limits: Limits,
    /// Its certificate, where it speaks TLS.
    pub tls: Option<Tls>,
    /// A listener of their own for those that look whether it is there: without TLS, and with connections that nobody else takes.
    pub probes: Option<TcpListener>,
}

/// What all requests share.
struct ServiceState {
    catalogue: Arc<dyn Catalogue>,
    records: Arc<dyn Records>,
    fleet: watch::Receiver<Option<Arc<Fleet>>>,
    /// What the catalogue answers, in memory.
    known: AnswerIndex,
    names: Vec<String>,
    devices: Devices,
    median: MedianInterval,
    toolchain: Toolchain,
    /// Of those who have kernels built.
    turns: BlockingPool,
    /// Of those who are told very much at once, for charts.
    charts: BlockingPool,
    /// Of those who have configurations counted.
    counts: BlockingPool,
    ids: RequestIds,
    limits: Limits,
    access: Arc<AccessPolicy>,
    /// Of the connections of the service.
    room: Arc<ConnectionAdmission>,
    metrics: Metrics,
    /// The OpenAPI document.
    description: String,
    book: Option<Book>,
}

impl ServiceState {
    /// The studies that it carries on.
    fn fleet(&self) -> Result<Arc<Fleet>, ApiError> {
        self.fleet_if_any().ok_or_else(ApiError::no_studies)
    }

    /// The same; none where it only answers.
    fn fleet_if_any(&self) -> Option<Arc<Fleet>> {
        self.fleet.borrow().clone()
    }

    /// What is known of a problem that was written like this: from memory, where it is there.
    async fn told(
        &self,
        request: &lookup::LookupRequest,
        written: &str,
    ) -> Result<CachedAnswer, StoreError> {
        let told = self.known.answer(request, written);
        self.metrics.answer(told.is_some());
        match told {
            Some(told) => Ok(told),
            None => Ok(lookup::look(self.catalogue.as_ref(), request).await?.into()),
        }
    }
}

/// Answers requests on `listener` from `catalogue` until `shutdown` is done and the requests that were under way are
/// answered. Streams of events and agents that wait for work end with `shutdown`; they are another replica's, or come back.
pub async fn serve(
    listener: TcpListener,
    catalogue: Arc<dyn Catalogue>,
    mut settings: ServerSettings,
    shutdown: impl Future<Output = ()>,
) {
    // Who cannot be told where he listens may listen anywhere.
    let is_local = listener
        .local_addr()
        .is_ok_and(|address| !wants_tokens(address));
    settings.wants_tokens |= !is_local;
    let (tls, probes) = (settings.tls.take(), settings.probes.take());
    let AssembledService { service, router } = AssembledService::new(catalogue, settings);
    let access = &service.access;
    let room = Arc::clone(&service.room);
    let shutdown = async {
        shutdown.await;
        // Those who wait for something would be waited for.
        if let Some(fleet) = service.fleet_if_any() {
            fleet.dismiss();
        }
    };
    // Nobody is refused because the tokens have not been read yet.
    access.look().await;
    tokio::select! {
        () = connections::serve(listener, router, tls.as_ref(), &service, room, shutdown) => {}
        () = answer_probes(probes, &service) => {}
        () = persist("write wishes", || flush(&service)) => {}
        () = persist("follow the database", || follow(&service)) => {}
        () = persist("follow the tokens", || access.follow()) => {}
        () = persist("renew the certificate", || renew(tls.as_ref())) => {}
    }
    service.catalogue.flush_wishes().await.ok();
}

/// A service that does not listen yet.
struct AssembledService {
    service: Arc<ServiceState>,
    router: Router,
}

impl AssembledService {
    fn new(catalogue: Arc<dyn Catalogue>, settings: ServerSettings) -> AssembledService {
        let limits = settings.limits;
        let metrics = Metrics::new(&catalogue, settings.fleet.clone());
        let access = AccessPolicy::new(
            settings.wants_tokens,
            settings.tokens,
            settings.allowed,
            &limits,
            &metrics,
        );
        let access = Arc::new(access);
        let (routes, description) = routes::routes(&access);
        let service = Arc::new(ServiceState {
            catalogue,
            records: settings.records,
            fleet: settings.fleet,
            known: AnswerIndex::default(),
            names: settings.names,
            devices: settings.devices,
            median: settings.median,
            toolchain: settings.toolchain,
            turns: BlockingPool::default(),
            charts: BlockingPool::default(),
            counts: BlockingPool::default(),
            ids: RequestIds::new(),
            limits,
            access,
            room: connections::room(limits),
            metrics,
            description,
            book: settings.book,
        });
        let router = router(routes, &service);
        AssembledService { service, router }
    }
}

/// Writes the wishes that wait.
async fn flush(service: &ServiceState) {
    loop {
        tokio::time::sleep(FLUSH_PAUSE).await;
        // What cannot be written now waits; who wished was told already.
        service.catalogue.flush_wishes().await.ok();
    }
}

/// Keeps what is known in step with the database.
async fn follow(service: &ServiceState) {
    loop {
        match service.known.refresh(service.catalogue.as_ref()).await {
            Ok(()) => service.metrics.follow(),
            // Who asks is told why: by the database itself.
            Err(error) => debug!(%error, "the database cannot be followed"),
        }
        tokio::time::sleep(FOLLOW_PAUSE).await;
    }
}

/// Keeps the certificate that of its file, where there is one. It does not end.
async fn renew(tls: Option<&Tls>) {
    match tls {
        Some(tls) => tls.follow().await,
        None => std::future::pending().await,
    }
}

/// Answers those that look whether the service is there, where they have a listener. It does not end.
async fn answer_probes(listener: Option<TcpListener>, service: &Arc<ServiceState>) {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let router = router(routes::of_probes(), service);
    let room = connections::room(service.limits.of_probes());
    let never = std::future::pending();
    connections::serve(listener, router, None, service, room, never).await;
}

/// All addresses, with what is around each.
fn router(routes: Router<Arc<ServiceState>>, service: &Arc<ServiceState>) -> Router {
    let guard = middleware::from_fn_with_state(Arc::clone(service), request_middleware::guard);
    routes
        .fallback(async || ApiError::not_found())
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(DefaultBodyLimit::max(body::BODY_BYTES))
        .layer(CatchPanicLayer::custom(request_middleware::caught))
        .layer(guard)
        .with_state(Arc::clone(service))
}
