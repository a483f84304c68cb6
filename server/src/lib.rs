//! The service: answers over HTTP, and the dashboard that asks for them.
//!
//! [`serve`] is all of it. `api` holds a handler for each address that programs ask, `page` the files of the dashboard and the other pages, `access` who may ask
//! what, [`ApiError`] what a client is told when something is wrong and `kind` the kinds of that; `routes` is all addresses and their description, to
//! which `refused` adds the problems. `requests` is what the log is told of each request, `metrics` what Prometheus is, with `figures` and `process`;
//! `archive` is the form of several files, `packed` that of what is large, `turns` who may have long work done;
//! `visitor` says who may ask, `around` is what happens around each handler. `limits` are the settings that `admission` (of requests),
//! `room` (of connections), `body`, `connections` and `writing` hold; `heads` are the headers of all
//! answers, `unparsed` is what is no request, `staleness` how old answers from memory may be; `tls` has the certificate.
//!
//! This crate knows nothing of how an answer comes about: that is `lookup`, which the command line asks as well, so both
//! give the same bytes.

mod accept;
mod access;
mod admission;
mod alone;
mod api;
mod archive;
mod around;
mod body;
mod book;
mod connections;
mod error;
mod figures;
mod heads;
mod kind;
mod limits;
mod metrics;
mod packed;
mod page;
mod parameters;
mod process;
mod refused;
mod requests;
mod room;
mod routes;
mod staleness;
mod tag;
mod tls;
mod turns;
mod unparsed;
mod visitor;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use answers::devices::Devices;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use fleet::{Fleet, persist};
use kernel_export::Toolchain;
use lookup::{Known, MedianInterval, Told};
use store::{Catalogue, Records, StoreError, Tokens};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::debug;

use access::Access;
use metrics::Metrics;
use requests::Ids;
use room::Room;
use turns::Turns;

pub use access::{Allowed, wants_tokens};
pub use alone::{Alone, Refusal};
pub use api::studies::describe_run;
pub use book::{Book, BookError};
pub use error::ApiError;
pub use limits::Limits;
pub use tls::{Tls, TlsError};

/// Time between two looks whether wishes wait to be written.
const FLUSH_PAUSE: Duration = Duration::from_secs(1);

/// Time between two looks whether the database has changed: an answer may be so old, and as much as reading takes.
const FOLLOW_PAUSE: Duration = Duration::from_millis(100);

/// How the service is run.
pub struct Settings {
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
    pub allowed: Allowed,
    /// How much it takes on at once.
    pub limits: Limits,
    /// Its certificate, where it speaks TLS.
    pub tls: Option<Tls>,
    /// A listener of their own for those that look whether it is there: without TLS, and with connections that nobody else takes.
    pub probes: Option<TcpListener>,
}

/// What all requests share.
struct Service {
    catalogue: Arc<dyn Catalogue>,
    records: Arc<dyn Records>,
    fleet: watch::Receiver<Option<Arc<Fleet>>>,
    /// What the catalogue answers, in memory.
    known: Known,
    names: Vec<String>,
    devices: Devices,
    median: MedianInterval,
    toolchain: Toolchain,
    /// Of those who have kernels built.
    turns: Turns,
    /// Of those who are told very much at once, for charts.
    charts: Turns,
    /// Of those who have configurations counted.
    counts: Turns,
    ids: Ids,
    limits: Limits,
    access: Arc<Access>,
    /// Of the connections of the service.
    room: Arc<Room>,
    metrics: Metrics,
    /// The OpenAPI document.
    description: String,
    book: Option<Book>,
}

impl Service {
    /// The studies that it carries on.
    fn fleet(&self) -> Result<Arc<Fleet>, ApiError> {
        self.fleet_if_any().ok_or_else(ApiError::no_studies)
    }

    /// The same; none where it only answers.
    fn fleet_if_any(&self) -> Option<Arc<Fleet>> {
        self.fleet.borrow().clone()
    }

    /// What is known of a problem that was written like this: from memory, where it is there.
    async fn told(&self, request: &lookup::Request, written: &str) -> Result<Told, StoreError> {
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
    mut settings: Settings,
    shutdown: impl Future<Output = ()>,
) {
    // Who cannot be told where he listens may listen anywhere.
    let is_local = listener
        .local_addr()
        .is_ok_and(|address| !wants_tokens(address));
    settings.wants_tokens |= !is_local;
    let (tls, probes) = (settings.tls.take(), settings.probes.take());
    let Assembled { service, router } = Assembled::new(catalogue, settings);
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
struct Assembled {
    service: Arc<Service>,
    router: Router,
}

impl Assembled {
    fn new(catalogue: Arc<dyn Catalogue>, settings: Settings) -> Assembled {
        let limits = settings.limits;
        let metrics = Metrics::new(&catalogue, settings.fleet.clone());
        let access = Access::new(
            settings.wants_tokens,
            settings.tokens,
            settings.allowed,
            &limits,
            &metrics,
        );
        let access = Arc::new(access);
        let (routes, description) = routes::routes(&access);
        let service = Arc::new(Service {
            catalogue,
            records: settings.records,
            fleet: settings.fleet,
            known: Known::default(),
            names: settings.names,
            devices: settings.devices,
            median: settings.median,
            toolchain: settings.toolchain,
            turns: Turns::default(),
            charts: Turns::default(),
            counts: Turns::default(),
            ids: Ids::new(),
            limits,
            access,
            room: connections::room(limits),
            metrics,
            description,
            book: settings.book,
        });
        let router = router(routes, &service);
        Assembled { service, router }
    }
}

/// Writes the wishes that wait.
async fn flush(service: &Service) {
    loop {
        tokio::time::sleep(FLUSH_PAUSE).await;
        // What cannot be written now waits; who wished was told already.
        service.catalogue.flush_wishes().await.ok();
    }
}

/// Keeps what is known in step with the database.
async fn follow(service: &Service) {
    loop {
        match service.known.follow(service.catalogue.as_ref()).await {
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
async fn answer_probes(listener: Option<TcpListener>, service: &Arc<Service>) {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let router = router(routes::of_probes(), service);
    let room = connections::room(service.limits.of_probes());
    let never = std::future::pending();
    connections::serve(listener, router, None, service, room, never).await;
}

/// All addresses, with what is around each.
fn router(routes: Router<Arc<Service>>, service: &Arc<Service>) -> Router {
    let guard = middleware::from_fn_with_state(Arc::clone(service), around::guard);
    routes
        .fallback(async || ApiError::not_found())
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(DefaultBodyLimit::max(body::BODY_BYTES))
        .layer(CatchPanicLayer::custom(around::caught))
        .layer(guard)
        .with_state(Arc::clone(service))
}
