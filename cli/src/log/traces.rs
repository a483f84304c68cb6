//! Traces: durations of requests, studies and batches, sent to a collector by OTLP over HTTP.
//!
//! OpenTelemetry's environment variables give the collector's address, the sampler and the
//! service name
//! (<https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>). Without
//! a collector no trace is sent.

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

/// The variables that name a collector.
const COLLECTOR: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// The variables that name this process. Without them its name is "wavetune".
const NAMES: [&str; 2] = ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"];

/// Time that a collector has to accept a batch of spans.
const PATIENCE: Duration = Duration::from_secs(10);

/// The tracer provider. Its drop sends the remaining spans.
pub(super) struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        // An unreachable collector is no error: earlier exports have failed already.
        self.0.shutdown_with_timeout(PATIENCE).ok();
    }
}

/// Installs the global subscriber: log lines, and spans for the collector if a variable names
/// one.
pub(super) fn subscribe(lines: Option<StderrLog>) -> anyhow::Result<Option<Traces>> {
    let lines = lines.map(|StderrLog { shown, writer }| {
        let lines = fmt::layer().with_writer(writer);
        lines.with_filter(shown)
    });
    let subscriber = tracing_subscriber::registry().with(lines);
    // An empty variable counts as unset, as OpenTelemetry specifies.
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !COLLECTOR.iter().any(&is_set) {
        tracing::subscriber::set_global_default(subscriber)?;
        return Ok(None);
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector::new())
        .build()
        .context("cannot export traces to a collector")?;
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
    // Only our own crates: spans of libraries such as sqlx would flood the collector.
    let traces = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("wavetune"))
        .with_location(false)
        .with_threads(false)
        .with_filter(Targets::new().with_targets(ours));
    tracing::subscriber::set_global_default(subscriber.with(traces))?;
    Ok(Some(Traces(provider)))
}

/// The HTTP client of a collector. It may block, since the batch exporter has its own thread.
#[derive(Debug)]
struct Collector(ureq::Agent);

impl Collector {
    fn new() -> Collector {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            // opentelemetry-otlp checks the status itself.
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
