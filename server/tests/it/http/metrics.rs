//! Metrics: the service has those of docs/metrics.md, and they count.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::http::ASK;
use crate::http::service::Service;
use crate::http::support::{key, right, trial};

const DOCUMENT: &str = include_str!("../../../../docs/metrics.md");

/// Returns the value of a line of the text; none without such a line.
fn value(text: &str, line: &str) -> Option<f64> {
    let mut lines = text.lines();
    lines.find_map(|it| it.strip_prefix(line)?.trim().parse().ok())
}

async fn metrics(service: &Service) -> String {
    let (head, text) = service.get("/metrics").await;
    let kind = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(head.contains(kind), "{head}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    text
}

/// Returns name, kind, labels and meaning of each metric, as a row of the document's table.
fn rows(text: &str) -> Vec<String> {
    let mut rows = BTreeMap::new();
    let said = |word: &'static str| {
        let lines = text.lines().filter_map(move |line| line.strip_prefix(word));
        lines.filter_map(|line| line.split_once(' '))
    };
    for (name, kind) in said("# TYPE ") {
        let (_, meaning) = said("# HELP ").find(|it| it.0 == name).unwrap();
        let meaning = meaning.trim_end_matches('.');
        let mut samples = text.lines().filter(|line| !line.starts_with('#'));
        let sample = samples.find(|line| line.starts_with(name)).unwrap();
        let labels = sample.split_once('{').map_or("", |it| it.1);
        let labels = labels.split_once('}').map_or("", |it| it.0);
        let names = labels.split(',').filter_map(|label| label.split_once('='));
        let names: Vec<String> = names
            .filter(|(name, _)| *name != "le")
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let row = format!("| `{name}` | {kind} | {} | {meaning} |", names.join(", "));
        rows.insert(name, row);
    }
    rows.into_values().collect()
}

#[test]
async fn the_document_lists_all_metrics() {
    let service = Service::start().await;
    service.check(ASK, 200, "").await;
    // Periodic counts come after the rest.
    service.soon("/metrics", "wavetune_queued_work{").await;
    let told = rows(&metrics(&service).await);
    let is_metric = |line: &&str| {
        ["| `wavetune_", "| `process_"]
            .iter()
            .any(|it| line.starts_with(it))
    };
    let table = DOCUMENT.lines().filter(is_metric);
    let table: Vec<String> = table.map(str::to_owned).collect();
    assert_eq!(told, table, "{told:#?}");
    assert!(table.len() > 7);
}

#[test]
async fn requests_are_counted_by_their_route() {
    let service = Service::start().await;
    service.record(&key(), &[trial(1, 2, right(8.0))]).await;
    let route = |route: &str, method: &str, status: &str| {
        format!(
            "wavetune_http_requests_total{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}"
        )
    };
    // The index in memory follows the database in the background.
    let known = "wavetune_known_problems";
    while value(&metrics(&service).await, known) != Some(1.0) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let found = route("/api/v1/configurations", "GET", "2xx");
    let before = value(&metrics(&service).await, &found).unwrap();
    for n in 0..3 {
        service.check(ASK, 200, "").await;
        service.check(&format!("/secret-{n}"), 404, "").await;
        service.check("/problems/not-found", 200, "").await;
    }
    let odd = b"SECRET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    service.send(odd, false).await;
    service.get_with("/healthz", "Host: evil.example").await;
    let text = metrics(&service).await;
    assert_eq!(value(&text, &found), Some(before + 3.0), "{text}");
    for (line, expected) in [
        (route("none", "GET", "4xx"), 3.0),
        (route("/problems/{kind}", "GET", "2xx"), 3.0),
        (route("/healthz", "other", "4xx"), 1.0),
        (route("/healthz", "GET", "4xx"), 1.0),
        // This request itself.
        ("wavetune_http_requests_under_way".to_owned(), 1.0),
        (known.to_owned(), 1.0),
        ("wavetune_agents".to_owned(), 0.0),
    ] {
        assert_eq!(value(&text, &line), Some(expected), "{line}: {text}");
    }
    assert!(
        !text.contains("secret") && !text.contains("SECRET"),
        "{text}"
    );
    let durations =
        "wavetune_http_request_duration_seconds_count{route=\"/problems/{kind}\",method=\"GET\"}";
    assert_eq!(value(&text, durations), Some(3.0), "{text}");
    assert!(value(&text, "wavetune_http_connections").unwrap() >= 1.0);
    assert!(value(&text, "wavetune_known_age_seconds").unwrap() < 20.0);
}

/// Checks the metrics of the process and of the database's connections.
#[test]
async fn figures_of_the_process_are_its_own() {
    let service = Service::start().await;
    let text = metrics(&service).await;
    let of = |line: &str| value(&text, line).unwrap_or_else(|| panic!("{line}: {text}"));
    assert!(of("process_cpu_seconds_total") > 0.0);
    let open = of("process_open_fds");
    assert!(open > 3.0 && open < of("process_max_fds"), "{open}");
    assert!(of("process_resident_memory_bytes") > 1e6);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let age = now.as_secs_f64() - of("process_start_time_seconds");
    assert!((-2.0..3600.0).contains(&age), "{age}");
    let connections = |state| {
        of(&format!(
            "wavetune_database_connections{{state=\"{state}\"}}"
        ))
    };
    let open = connections("busy") + connections("idle");
    assert!((1.0..=of("wavetune_database_connections_most")).contains(&open));
}

/// The database answers questions that memory cannot, and both are counted.
#[test]
async fn answers_are_counted_by_source() {
    let service = Service::start().await;
    service.record(&key(), &[trial(1, 2, right(8.0))]).await;
    let answers = async |from: &str| {
        let line = format!("wavetune_answers_total{{from=\"{from}\"}}");
        value(&metrics(&service).await, &line).unwrap_or_default()
    };
    // The database answers until memory has the new study.
    let begin = Instant::now();
    while answers("memory").await == 0.0 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        service.check(ASK, 200, "").await;
    }
    let (memory, database) = (answers("memory").await, answers("database").await);
    service.check(ASK, 200, "").await;
    service.check(&format!("{ASK}&device=hip:0"), 200, "").await;
    assert_eq!(answers("memory").await, memory + 1.0);
    // Only the database answers for another device.
    assert_eq!(answers("database").await, database + 1.0);
    let headers = "Host: localhost\r\nWavetune-Wish: yes";
    service
        .get_with(&format!("{ASK}&device=hip:0"), headers)
        .await;
    let wishes = value(&metrics(&service).await, "wavetune_wishes_noted_total");
    assert_eq!(wishes, Some(1.0));
}
