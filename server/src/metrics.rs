//! Prometheus metrics: numbers and durations of requests, answers in memory, the fleet, the
//! database and the process.
//!
//! A request counts under the template of its address, never under the address itself, so that
//! clients cannot create time series.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use server_fleet::{Fleet, PresentAgent};
use store::Catalogue;
use tokio::sync::watch;

use crate::metric_collector::{DatabaseMetrics, FleetMetrics};
use crate::process_metrics::ProcessMetrics;

/// Bounds of the histogram in seconds: from an answer in memory to the time limit.
const SECONDS: [f64; 10] = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];

/// The route of a request without a route.
const NO_ROUTE: &str = "none";

/// The labels of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
}

/// The labels of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    route: String,
    method: &'static str,
    status: &'static str,
}

/// The source of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerOrigin {
    from: &'static str,
}

type Durations = Family<RequestLabels, Histogram, fn() -> Histogram>;

/// All metrics.
pub(crate) struct Metrics {
    registry: Registry,
    /// The metrics of the process, with the names that Prometheus clients use in every program.
    process: Registry,
    requests: Family<ResponseLabels, Counter>,
    durations: Durations,
    under_way: Gauge,
    connections: Gauge,
    queued: Gauge,
    auth_failures: Counter,
    /// Answers from memory, and from the database.
    answers: [Counter; 2],
    wishes: Counter,
    known: Gauge,
    agents: Gauge,
    quarantined: Gauge,
    age: Gauge<f64, AtomicU64>,
    /// The last time at which memory agreed with the database.
    in_step: Mutex<Instant>,
}

impl Metrics {
    pub(crate) fn new(
        catalogue: &Arc<dyn Catalogue>,
        fleet: watch::Receiver<Option<Arc<Fleet>>>,
    ) -> Self {
        // Prometheus names these metrics alike in all programs, so they have a prefix of their
        // own.
        let mut process = Registry::with_prefix("process");
        process.register_collector(Box::new(ProcessMetrics));
        let mut registry = Registry::with_prefix("wavetune");
        registry.register_collector(Box::new(DatabaseMetrics(Arc::clone(catalogue))));
        registry.register_collector(Box::new(FleetMetrics(fleet)));
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program that serves", version);
        let mut metrics = Metrics {
            registry,
            process,
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            under_way: Gauge::default(),
            connections: Gauge::default(),
            queued: Gauge::default(),
            auth_failures: Counter::default(),
            answers: [Counter::default(), Counter::default()],
            wishes: Counter::default(),
            known: Gauge::default(),
            agents: Gauge::default(),
            quarantined: Gauge::default(),
            age: Gauge::default(),
            in_step: Mutex::new(Instant::now()),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        let requests =
            "Answered requests, by status class; gone: the client disconnected before the answer";
        registry.register("http_requests", requests, self.requests.clone());
        let durations = "Time from the head of a request to the head of its answer";
        let unit = Unit::Seconds;
        registry.register_with_unit(
            "http_request_duration",
            durations,
            unit,
            self.durations.clone(),
        );
        let under_way = "Requests without an answer yet";
        registry.register("http_requests_under_way", under_way, self.under_way.clone());
        let connections = "Open connections";
        registry.register("http_connections", connections, self.connections.clone());
        let queued = "Requests in the admission queue";
        registry.register("http_requests_queued", queued, self.queued.clone());
        let auth_failures = "Requests that were refused for their token or the lack of one";
        registry.register("auth_failures", auth_failures, self.auth_failures.clone());
        let answers = "Lookups of a configuration, by source of the answer";
        let sources = Family::<AnswerOrigin, Counter>::default();
        registry.register("answers", answers, sources.clone());
        // Both series exist from the start, or the first answer would not show as an increase.
        self.answers = ["memory", "database"]
            .map(|from| sources.get_or_create(&AnswerOrigin { from }).clone());
        let wishes = "Lookups without an exact answer that were recorded as wishes";
        registry.register("wishes_noted", wishes, self.wishes.clone());
        let known = "Problems whose answers are in memory";
        registry.register("known_problems", known, self.known.clone());
        let agents = "Agents that contacted the service within the last minute";
        registry.register("agents", agents, self.agents.clone());
        let quarantined = "Devices of these agents that get no batches for now";
        registry.register("devices_quarantined", quarantined, self.quarantined.clone());
        let age = "Time since the answers in memory last matched the database";
        registry.register_with_unit("known_age", age, Unit::Seconds, self.age.clone());
    }

    /// Counts a request, which is under way until the returned value is dropped.
    pub(crate) fn begin(&self, route: Option<&str>, method: &Method) -> CountedRequest<'_> {
        self.under_way.inc();
        CountedRequest {
            metrics: self,
            asked: RequestLabels {
                route: route.unwrap_or(NO_ROUTE).to_owned(),
                method: name(method),
            },
            began: Instant::now(),
            answered: None,
        }
    }

    /// Counts a connection until the returned value is dropped.
    pub(crate) fn connection(&self) -> CountedConnection {
        self.connections.inc();
        CountedConnection(self.connections.clone())
    }

    /// Counts an answer from memory or from the database.
    pub(crate) fn answer(&self, is_from_memory: bool) {
        let [memory, database] = &self.answers;
        let from = if is_from_memory { memory } else { database };
        from.inc();
    }

    pub(crate) fn wish(&self) {
        self.wishes.inc();
    }

    /// Returns the counter of failed authentications.
    pub(crate) fn auth_failures(&self) -> Counter {
        self.auth_failures.clone()
    }

    /// Returns the time since memory agreed with the database.
    pub(crate) fn age(&self) -> Duration {
        let in_step = self.in_step.lock();
        in_step.unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Notes that memory agrees with the database.
    pub(crate) fn follow(&self) {
        *self.in_step.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns all metrics as text, with the current numbers of problems in memory, agents, and
    /// queued requests.
    pub(crate) fn text(&self, known: usize, agents: &[PresentAgent], queued: usize) -> String {
        let devices = agents.iter().flat_map(|agent| &agent.offered.devices);
        let quarantined = devices.filter(|device| device.is_left_alone());
        // These gauges are set at the scrape, since no event keeps them up to date.
        set(&self.known, known);
        set(&self.agents, agents.len());
        set(&self.quarantined, quarantined.count());
        set(&self.queued, queued);
        self.age.set(self.age().as_secs_f64());
        let mut text = String::new();
        let written = encode_registry(&mut text, &self.registry)
            .and_then(|()| encode_registry(&mut text, &self.process))
            // OpenMetrics has one end mark, after both registries.
            .and_then(|()| encode_eof(&mut text));
        written.expect("writing to a string succeeds");
        text
    }
}

fn set(gauge: &Gauge, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// A counted connection.
pub(crate) struct CountedConnection(Gauge);

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A request that is counted at its end, also if its client goes away.
pub(crate) struct CountedRequest<'a> {
    metrics: &'a Metrics,
    asked: RequestLabels,
    began: Instant,
    answered: Option<StatusCode>,
}

impl CountedRequest<'_> {
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.answered = Some(status);
    }
}

impl Drop for CountedRequest<'_> {
    fn drop(&mut self) {
        let metrics = self.metrics;
        metrics.under_way.dec();
        let status = match self.answered {
            // Without an answer the duration would be that of the client's patience.
            None => "gone",
            Some(status) => {
                let durations = metrics.durations.get_or_create(&self.asked);
                durations.observe(self.began.elapsed().as_secs_f64());
                class(status)
            }
        };
        let answered = ResponseLabels {
            route: self.asked.route.clone(),
            method: self.asked.method,
            status,
        };
        metrics.requests.get_or_create(&answered).inc();
    }
}

/// Returns a method's name if a route may have it; a client may invent others.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// Returns the class of a status.
fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
