//! Metrics of the fleet and of the database's connections, read at each scrape of Prometheus.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeMetric as _,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;
use server_fleet::{Fleet, ReplicaMetrics};
use store::Catalogue;
use tokio::sync::watch;

/// An encoder of single metrics.
pub(crate) struct MetricWriter<'a>(pub(crate) DescriptorEncoder<'a>);

impl MetricWriter<'_> {
    pub(crate) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        value: impl EncodeGaugeValue,
    ) -> fmt::Result {
        let gauge = ConstGauge::new(value);
        let encoder = (self.0).encode_descriptor(name, help, unit, MetricType::Gauge)?;
        gauge.encode(encoder)
    }

    pub(crate) fn counter(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        value: impl EncodeCounterValue,
    ) -> fmt::Result {
        let counter = ConstCounter::new(value);
        let encoder = (self.0).encode_descriptor(name, help, unit, MetricType::Counter)?;
        counter.encode(encoder)
    }

    /// Writes a count for each value of a label.
    fn family<'l>(
        &mut self,
        (name, help): (&str, &str),
        kind: MetricType,
        label: &str,
        counts: impl IntoIterator<Item = (&'l str, u64)>,
    ) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, kind)?;
        for (value, count) in counts {
            let labels = [(label, value)];
            let encoder = encoder.encode_family(&labels)?;
            match kind {
                MetricType::Counter => ConstCounter::new(count).encode(encoder)?,
                _ => ConstGauge::new(count).encode(encoder)?,
            }
        }
        Ok(())
    }
}

/// The metrics of the current fleet, if there is one.
pub(crate) struct FleetMetrics(pub(crate) watch::Receiver<Option<Arc<Fleet>>>);

impl fmt::Debug for FleetMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FleetMetrics")
    }
}

impl Collector for FleetMetrics {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // The fleet may be replaced with its database, so each scrape takes the current one.
        let Some(fleet) = self.0.borrow().clone() else {
            return Ok(());
        };
        let mut writer = MetricWriter(encoder);
        let figures = fleet.metrics();
        write_shared(&mut writer, &figures)?;
        write_own(&mut writer, &figures)
    }
}

/// Writes the metrics that all replicas report alike. Counts that could not be read are left out:
/// an old count would look like a new one.
fn write_shared(writer: &mut MetricWriter<'_>, figures: &ReplicaMetrics) -> fmt::Result {
    if let Some(studies) = &figures.studies {
        let counts = studies.iter().map(|(state, count)| (state.name(), *count));
        let about = ("studies", "Studies of the service by state");
        writer.family(about, MetricType::Gauge, "state", counts)?;
    }
    if let Some(queued) = &figures.queued {
        let counts = queued.iter().map(|(kind, count)| (kind.as_str(), *count));
        let about = (
            "queued_work",
            "Items in the queue that are not acknowledged, including leased ones, by kind",
        );
        writer.family(about, MetricType::Gauge, "kind", counts)?;
    }
    let leases = figures.leases.iter();
    let counts = leases.map(|(doing, count)| (doing.name(), *count));
    let about = ("leases", "Leases that agents hold, by activity");
    writer.family(about, MetricType::Gauge, "doing", counts)?;
    let age = figures.oldest_lease.as_secs_f64();
    let help = "Age of the oldest lease that an agent holds";
    writer.gauge("oldest_lease_age", help, Some(&Unit::Seconds), age)?;
    let help = "Time since the last trial while a study runs and an agent is present for it";
    let stalled = figures.stalled.as_secs_f64();
    writer.gauge("stalled", help, Some(&Unit::Seconds), stalled)
}

/// Writes the metrics of this replica alone.
fn write_own(writer: &mut MetricWriter<'_>, figures: &ReplicaMetrics) -> fmt::Result {
    let help = "Studies that this replica directs";
    writer.gauge("directors", help, None, figures.directors)?;
    let counted = &figures.counted;
    let trials = counted.trials.iter();
    let counts = trials.map(|(status, count)| (status.name(), *count));
    let about = ("trials_told", "Trials that agents reported, by verdict");
    writer.family(about, MetricType::Counter, "status", counts)?;
    let help = "Trials that were given up because no agent finished them";
    writer.counter("trials_given_up", help, None, counted.given_up)?;
    let help = "Leases that were given out";
    writer.counter("leases_granted", help, None, counted.granted)?;
    let help = "Leases of batches whose earlier lease ended without results";
    writer.counter("leases_again", help, None, counted.redelivered)?;
    let failed = counted.failed.iter();
    let counts = failed.map(|(failure, count)| (failure.name(), *count));
    let about = (
        "leases_failed",
        "Leases that ended without results, by reason",
    );
    writer.family(about, MetricType::Counter, "reason", counts)
}

/// The metrics of the database's connections.
pub(crate) struct DatabaseMetrics(pub(crate) Arc<dyn Catalogue>);

impl fmt::Debug for DatabaseMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseMetrics")
    }
}

impl Collector for DatabaseMetrics {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let connections = self.0.connections();
        let mut writer = MetricWriter(encoder);
        let busy = connections.open.saturating_sub(connections.idle);
        let counts = [("busy", busy), ("idle", connections.idle)];
        let about = (
            "database_connections",
            "Connections to the database that are open",
        );
        writer.family(about, MetricType::Gauge, "state", counts)?;
        let help = "Connections to the database that may be open at once";
        writer.gauge("database_connections_most", help, None, connections.most)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;
    use server_fleet::{CounterSnapshot, LeaseActivity, LeaseFailure};
    use store::{RunState, Status};

    use super::*;

    #[derive(Debug)]
    struct Fixed(ReplicaMetrics);

    impl Collector for Fixed {
        fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
            let mut writer = MetricWriter(encoder);
            write_shared(&mut writer, &self.0)?;
            write_own(&mut writer, &self.0)
        }
    }

    #[test]
    fn each_figure_is_in_its_metric() {
        let mut numbers = 1..;
        let mut number = || numbers.next().unwrap();
        let studies = vec![(RunState::Running, number()), (RunState::Done, number())];
        let queued = [("build".to_owned(), number()), ("try".to_owned(), number())];
        let figures = ReplicaMetrics {
            studies: Some(studies),
            queued: Some(queued.into()),
            leases: LeaseActivity::ALL.map(|doing| (doing, number())).into(),
            oldest_lease: Duration::from_secs(number()),
            directors: number() as usize,
            stalled: Duration::from_secs(number()),
            counted: CounterSnapshot {
                trials: vec![(Status::Right, number()), (Status::Failed, number())],
                given_up: number(),
                granted: number(),
                redelivered: number(),
                failed: LeaseFailure::ALL.map(|failure| (failure, number())).into(),
            },
        };
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Fixed(figures)));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines: Vec<&str> = lines.collect();
        let expected = [
            "studies{state=\"running\"} 1",
            "studies{state=\"done\"} 2",
            "queued_work{kind=\"build\"} 3",
            "queued_work{kind=\"try\"} 4",
            "leases{doing=\"build\"} 5",
            "leases{doing=\"try\"} 6",
            "leases{doing=\"finals\"} 7",
            "oldest_lease_age_seconds 8.0",
            "stalled_seconds 10.0",
            "directors 9",
            "trials_told_total{status=\"right\"} 11",
            "trials_told_total{status=\"failed\"} 12",
            "trials_given_up_total 13",
            "leases_granted_total 14",
            "leases_again_total 15",
            "leases_failed_total{reason=\"failed\"} 16",
            "leases_failed_total{reason=\"incomplete\"} 17",
            "leases_failed_total{reason=\"lost\"} 18",
        ];
        assert_eq!(lines, expected);
    }
}
