//! The service: answers over HTTP, and the dashboard that requests them.
//!
//! [`serve`] runs all of it. The main modules:
//!
//! - `routes` lists all addresses with the scopes that they need; `api` has a handler for each.
//!   `page` serves the files of the dashboard.
//! - `access` checks tokens, and `origin_check` checks the host and the origin of a request.
//! - [`ApiError`] is an error for the client; `problem_kind` has the kinds, and `error_responses`
//!   adds them to the description.
//! - `request_middleware` surrounds each handler. `request_admission` limits requests and
//!   `connection_admission` connections, both fairly between clients: tokens, or addresses
//!   without one. `limits` has the settings.
//! - `request_log` writes the log of requests, `metrics` the Prometheus metrics. `staleness`
//!   limits the age of answers from memory, and `tls` renews the certificate.
//! - `models` compares the models that clients submit, one at a time.
//! - `archive` and `compression` encode several files and large answers; `blocking_pool` limits
//!   concurrent long computations, such as exports of kernels.
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
mod answer_buffer;
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
mod models;
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
use kernel_export::Toolchain;
use lookup::{AnswerIndex, CachedAnswer, MedianInterval};
use model_profile::ModelTools;
use server_fleet::{Fleet, persist};
use store::{Catalogue, Models, Records, StoreError, Tokens};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::debug;

use access::AccessPolicy;
use blocking_pool::BlockingPool;
use connection_admission::ConnectionAdmission;
use metrics::Metrics;
use models::worker::ModelWorker;
use request_log::RequestIds;

pub use access::{TokenLimits, wants_tokens};
pub use api::studies::describe_run;
pub use book::{Book, BookError};
pub use error::ApiError;
pub use in_process::{ErrorResponse, InProcessService};
pub use limits::Limits;
pub use tls::{Tls, TlsError};

/// Pause between two writes of buffered wishes.
const FLUSH_PAUSE: Duration = Duration::from_secs(1);

/// Pause between two checks for changes of the database: the age of an answer is this plus the
/// time of a read.
const FOLLOW_PAUSE: Duration = Duration::from_millis(100);

/// The settings of a service.
pub struct ServerSettings {
    /// The studies and trials of the catalogue's database, for lists.
    pub records: Arc<dyn Records>,
    /// The fleet that runs studies; none if the service only answers. A new database has a new
    /// fleet.
    pub fleet: watch::Receiver<Option<Arc<Fleet>>>,
    /// Host names of the service, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// The devices to tune for.
    pub devices: Devices,
    /// The confidence interval of a median of samples.
    pub median: MedianInterval,
    /// The toolchain that builds exported kernels.
    pub toolchain: Toolchain,
    /// The submitted models, on the database of the catalogue.
    pub models: Arc<dyn Models>,
    /// The tools that compile and profile models.
    pub model_tools: ModelTools,
    /// The access tokens.
    pub tokens: Arc<dyn Tokens>,
    /// True if tokens are required also on loopback, such as behind a proxy. Beyond loopback they
    /// are always required.
    pub wants_tokens: bool,
    /// The book of the documentation.
    pub book: Option<Book>,
    /// Limits of each token.
    pub allowed: TokenLimits,
    /// Limits of the service.
    pub limits: Limits,
    /// The certificate, if the service uses TLS.
    pub tls: Option<Tls>,
    /// A listener for health probes, without TLS and with connections of its own.
    pub probes: Option<TcpListener>,
}

/// The state that all requests share.
struct ServiceState {
    catalogue: Arc<dyn Catalogue>,
    records: Arc<dyn Records>,
    fleet: watch::Receiver<Option<Arc<Fleet>>>,
    /// The answers of the catalogue, in memory.
    known: AnswerIndex,
    names: Vec<String>,
    devices: Devices,
    median: MedianInterval,
    toolchain: Toolchain,
    models: Arc<dyn Models>,
    model_tools: ModelTools,
    model_worker: ModelWorker,
    /// Permits to build kernels.
    turns: BlockingPool,
    /// Permits for large answers, such as charts.
    charts: BlockingPool,
    /// Permits to count configurations.
    counts: BlockingPool,
    ids: RequestIds,
    limits: Limits,
    access: Arc<AccessPolicy>,
    /// Admission of the service's connections.
    room: Arc<ConnectionAdmission>,
    metrics: Metrics,
    /// The OpenAPI document.
    description: String,
    book: Option<Book>,
}

impl ServiceState {
    /// Returns the fleet that runs studies.
    fn fleet(&self) -> Result<Arc<Fleet>, ApiError> {
        self.fleet_if_any().ok_or_else(ApiError::no_studies)
    }

    /// Returns the fleet, or none if the service only answers.
    fn fleet_if_any(&self) -> Option<Arc<Fleet>> {
        self.fleet.borrow().clone()
    }

    /// Returns the answer for a problem with this text: from memory, or else from the database.
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

/// Serves requests on `listener` from `catalogue` until `shutdown` ends and the open requests are
/// answered. Event streams and long polls of agents end with `shutdown`; their clients continue
/// at another replica, or come back.
pub async fn serve(
    listener: TcpListener,
    catalogue: Arc<dyn Catalogue>,
    mut settings: ServerSettings,
    shutdown: impl Future<Output = ()>,
) {
    // A listener of unknown address may be reachable from anywhere.
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
        // Otherwise the shutdown would wait for long polls and event streams.
        if let Some(fleet) = service.fleet_if_any() {
            fleet.dismiss();
        }
        service.model_worker.end_streams();
    };
    // Read the tokens first, so that no early request is refused.
    access.look().await;
    tokio::select! {
        () = connections::serve(listener, router, tls.as_ref(), &service, room, shutdown) => {}
        () = answer_probes(probes, &service) => {}
        () = persist("write wishes", || flush(&service)) => {}
        () = persist("follow the database", || follow(&service)) => {}
        () = persist("follow the tokens", || access.follow()) => {}
        () = persist("compare models", || service.model_worker.run(&service)) => {}
        () = persist("renew the certificate", || renew(tls.as_ref())) => {}
    }
    service.model_worker.leave(&service).await;
    // The periodic task has ended, and the buffer may have wishes left.
    service.catalogue.flush_wishes().await.ok();
}

/// A service before it listens.
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
            models: settings.models,
            model_tools: settings.model_tools,
            model_worker: ModelWorker::new(),
            // Three pools: builds of kernels must not hold up charts or counts.
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

/// Writes the buffered wishes every second.
async fn flush(service: &ServiceState) {
    loop {
        tokio::time::sleep(FLUSH_PAUSE).await;
        // A wish that cannot be written stays in the buffer; its client has its answer already.
        service.catalogue.flush_wishes().await.ok();
    }
}

/// Keeps the answers in memory up to date with the database.
async fn follow(service: &ServiceState) {
    loop {
        match service.known.refresh(service.catalogue.as_ref()).await {
            Ok(()) => service.metrics.follow(),
            // A request that needs the database gets this error from the database itself.
            Err(error) => debug!(%error, "the database cannot be followed"),
        }
        tokio::time::sleep(FOLLOW_PAUSE).await;
    }
}

/// Reloads the certificate when its file changes. Never ends.
async fn renew(tls: Option<&Tls>) {
    match tls {
        Some(tls) => tls.follow().await,
        None => std::future::pending().await,
    }
}

/// Answers health probes on their own listener, if there is one. Never ends.
async fn answer_probes(listener: Option<TcpListener>, service: &Arc<ServiceState>) {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let router = router(routes::of_probes(), service);
    let room = connections::room(service.limits.of_probes());
    let never = std::future::pending();
    connections::serve(listener, router, None, service, room, never).await;
}

/// Builds the router of all addresses with its middleware.
fn router(routes: Router<Arc<ServiceState>>, service: &Arc<ServiceState>) -> Router {
    let guard = middleware::from_fn_with_state(Arc::clone(service), request_middleware::guard);
    routes
        .fallback(async || ApiError::not_found())
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        // The last layer is the outermost: the guard also logs and counts a handler's panic.
        .layer(DefaultBodyLimit::max(body::BODY_BYTES))
        .layer(CatchPanicLayer::custom(request_middleware::caught))
        .layer(guard)
        .with_state(Arc::clone(service))
}
