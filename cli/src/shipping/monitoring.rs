//! Checks of the alert rules and the dashboard: their metrics exist, and each alert has its page.
//!
//! `docs/metrics.md` lists the metrics; a test of the service compares it with `/metrics`.

use std::collections::{BTreeMap, BTreeSet};

use yaml_rust2::Yaml;

use super::{documents, items, read, text};

pub(super) const RULES: &str = "shipping/prometheus/alerts.yaml";
const BOARD: &str = "shipping/grafana/wavetune.json";
const RUNBOOK: &str = "docs/runbook.md";

/// Labels that Prometheus adds, and the bound of a histogram's bucket.
const ADDED: [&str; 3] = ["job", "instance", "le"];

/// The metric and the labels of each time series, by its name.
type Series = BTreeMap<String, (String, BTreeSet<String>)>;

/// Returns the series of the document's table.
fn documented() -> Series {
    let document = read("docs/metrics.md");
    let is_metric =
        |line: &&str| line.starts_with("| `wavetune_") || line.starts_with("| `process_");
    let mut series = Series::new();
    for row in document.lines().filter(is_metric) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, kind, labels, ..] = &cells[..] else {
            panic!("{row}")
        };
        let name = name.trim_matches('`');
        let labels = labels
            .split(", ")
            .map(|label| label.trim_matches('`').to_owned());
        let labels: BTreeSet<String> = labels.collect();
        // The suffixes that OpenMetrics gives the series of each kind.
        let endings: &[&str] = match *kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            "info" => &["_info"],
            "gauge" => &[""],
            _ => panic!("{row}"),
        };
        for ending in endings {
            series.insert(format!("{name}{ending}"), (name.to_owned(), labels.clone()));
        }
    }
    series
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the series of an expression, each with the labels that it selects by.
fn asked(expression: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(is_of_name) {
        rest = &rest[at..];
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if !word.starts_with("wavetune_") && !word.starts_with("process_") {
            continue;
        }
        let mut labels = Vec::new();
        if let Some((inside, after)) = after.strip_prefix('{').and_then(|it| it.split_once('}')) {
            rest = after;
            let pairs = inside.split("\",");
            let label = |pair: &str| {
                pair.split(['=', '!'])
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned()
            };
            labels.extend(pairs.map(label));
        }
        found.push((word.to_owned(), labels));
    }
    found
}

/// Checks that the series of an expression exist. Returns their metrics.
#[track_caller]
fn check(expression: &str, series: &Series) -> Vec<String> {
    let asked = asked(expression);
    let metric = |(name, labels): (String, Vec<String>)| {
        let known = series.get(&name);
        let (metric, known) = known.unwrap_or_else(|| panic!("no metric {name}: {expression}"));
        for label in labels {
            let is_known = known.contains(&label) || ADDED.contains(&label.as_str());
            assert!(is_known, "{name} has no label {label}: {expression}");
        }
        metric.clone()
    };
    asked.into_iter().map(metric).collect()
}

/// Returns the expressions of a board, at any depth.
fn expressions(board: &Yaml) -> Vec<&str> {
    match board {
        Yaml::Hash(fields) => {
            let is_expression = |name: &Yaml| name.as_str() == Some("expr");
            let own = fields.iter().filter(|(name, _)| is_expression(name));
            let own = own.filter_map(|(_, value)| value.as_str());
            own.chain(fields.values().flat_map(expressions)).collect()
        }
        Yaml::Array(all) => all.iter().flat_map(expressions).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn alerts_ask_for_metrics_and_have_pages() {
    let series = documented();
    let rules = documents(RULES);
    let runbook = read(RUNBOOK);
    let pages = runbook.lines().filter_map(|line| line.strip_prefix("## "));
    let mut pages: Vec<&str> = pages.collect();
    let groups = items(&rules[0]["groups"]).iter();
    let mut names = Vec::new();
    for rule in groups.flat_map(|group| items(&group["rules"])) {
        let name = text(&rule["alert"], "the name of an alert");
        let expression = text(&rule["expr"], name);
        // `up` is a metric of Prometheus itself.
        let is_up = expression == r#"up{job="wavetune"} == 0"#;
        assert!(!check(expression, &series).is_empty() || is_up, "{name}");
        text(&rule["for"], name);
        let severity = text(&rule["labels"]["severity"], name);
        assert!(["page", "ticket"].contains(&severity), "{name}: {severity}");
        text(&rule["annotations"]["summary"], name);
        let page = text(&rule["annotations"]["runbook_url"], name);
        assert_eq!(page, format!("{RUNBOOK}#{}", name.to_lowercase()));
        names.push(name);
    }
    assert!(names.len() > 10, "{names:?}");
    names.sort_unstable();
    pages.sort_unstable();
    assert_eq!(names, pages);
}

/// Checks that the board shows each metric.
#[test]
fn the_board_shows_every_metric() {
    let series = documented();
    // All JSON is YAML.
    let [board] = &documents(BOARD)[..] else {
        panic!("one document")
    };
    let shown = expressions(board).into_iter();
    let shown: BTreeSet<String> = shown.flat_map(|it| check(it, &series)).collect();
    let all: BTreeSet<String> = series.into_values().map(|(metric, _)| metric).collect();
    assert_eq!(shown, all);
    let panels = items(&board["panels"]);
    let ids: BTreeSet<i64> = panels.iter().filter_map(|it| it["id"].as_i64()).collect();
    // Grafana tells panels apart by their IDs.
    assert_eq!(ids.len(), panels.len());
    // Panels at one place would hide each other.
    let places: BTreeSet<&Yaml> = panels.iter().map(|it| &it["gridPos"]).collect();
    assert_eq!(places.len(), panels.len());
}

/// Checks that links in the runbook lead to headings, and that its metrics exist.
#[test]
fn pages_refer_to_each_other() {
    let runbook = read(RUNBOOK);
    let links = runbook.split("](#").skip(1);
    let mut count = 0;
    for link in links.map(|it| it.split(')').next().unwrap_or_default()) {
        let mut headings = runbook.lines().filter_map(|line| line.strip_prefix("## "));
        assert!(headings.any(|it| it.to_lowercase() == link), "{link}");
        count += 1;
    }
    assert!(count > 3, "{count}");
    // The runbook explains no removed metric.
    let series = documented();
    for (name, _) in asked(&runbook) {
        let is_metric = series.values().any(|(metric, _)| *metric == name);
        assert!(is_metric || series.contains_key(&name), "{name}");
    }
}

#[test]
fn expressions_are_read() {
    let read = |expression: &str| {
        let asked = asked(expression).into_iter();
        let asked = asked.map(|(name, labels)| format!("{name}({})", labels.join(" ")));
        asked.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(read("max(wavetune_a) > 60"), "wavetune_a()");
    let two = r#"sum by (state) (rate(wavetune_a_total{x="1",y=~"b|c"}[5m])) / process_b{z!="q"}"#;
    assert_eq!(read(two), "wavetune_a_total(x y) process_b(z)");
    assert_eq!(read("up{job=\"wavetune\"} == 0"), "");
}
