//! Traces: how long requests, studies and batches take, for a collector that hears them by OTLP over HTTP.
//!
//! Where the collector is, which part of the traces it gets and what this process is called say the variables that
//! OpenTelemetry has for that (<https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>); where none
//! names a collector nothing is told.

use std::env;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, fmt};

use super::{StderrLog, UNASKED};

/// Each of these names a collector.
const COLLECTOR: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// What names this process, where it is not to be called "wavetune".
const NAMES: [&str; 2] = ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"];

/// Time that a collector has to take some spans.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who tells a collector of spans, which end with it.
pub(super) struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        // A collector that is not there has been told nothing before either.
        self.0.shutdown_with_timeout(PATIENCE).ok();
    }
}

/// From now on these lines are shown, and a collector, where one is named, hears of spans.
pub(super) fn subscribe(lines: Option<StderrLog>) -> anyhow::Result<Option<Traces>> {
    let lines = lines.map(|StderrLog { shown, writer }| {
        let lines = fmt::layer().with_writer(writer);
        lines.with_filter(shown)
    });
    let subscriber = tracing_subscriber::registry().with(lines);
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !COLLECTOR.iter().any(&is_set) {
        tracing::subscriber::set_global_default(subscriber)?;
        return Ok(None);
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector::new())
        .build()
        .context("no collector of traces can be told")?;
    let named = Resource::builder();
    let resource = match NAMES.iter().any(is_set) {
        true => named,
        false => named.with_service_name("wavetune"),
    };
    let provider = SdkTracerProvider::builder()
        .with_resource(resource.build())
        .with_batch_exporter(exporter)
        .build();
    let ours = UNASKED.map(|name| (name, LevelFilter::INFO));
    let traces = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("wavetune"))
        .with_location(false)
        .with_threads(false)
        .with_filter(Targets::new().with_targets(ours));
    tracing::subscriber::set_global_default(subscriber.with(traces))?;
    Ok(Some(Traces(provider)))
}

/// The way to a collector. It is gone by a thread of its own, which may wait.
#[derive(Debug)]
struct Collector(ureq::Agent);

impl Collector {
    fn new() -> Collector {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .build();
        Collector(config.new_agent())
    }
}

#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let (head, mut body) = self
            .0
            .run(Request::from_parts(head, body.to_vec()))?
            .into_parts();
        let body = body.read_to_vec()?;
        Ok(Response::from_parts(head, body.into()))
    }
}
