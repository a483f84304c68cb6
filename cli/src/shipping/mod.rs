//! Checks that the shipped files agree with the program, its API and each other: systemd units,
//! images, manifests, and the files of Prometheus and Grafana. Nothing is run: tests have neither
//! Docker nor Kubernetes.

mod docker;
mod kubernetes;
mod monitoring;
mod prometheus_operator;
mod systemd;
mod workload;

use std::fs;
use std::path::{Path, PathBuf};

use yaml_rust2::{Yaml, YamlLoader};

/// Least seconds that a service gets to end: 10 for an answer, 3 for its transfer, and the rest
/// for its studies.
const END_SECONDS: u32 = 30;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let file = root().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Parses the documents of a YAML file. The parser refuses a repeated key.
fn documents(path: &str) -> Vec<Yaml> {
    let documents = YamlLoader::load_from_str(&read(path));
    documents.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the texts of a list; none if there is no list.
fn texts(list: &Yaml) -> Vec<String> {
    let items = list.as_vec().into_iter().flatten();
    items
        .map(|item| {
            item.as_str()
                .unwrap_or_else(|| panic!("{item:?}"))
                .to_owned()
        })
        .collect()
}

/// Returns the items of a list; none if there is no list.
fn items(list: &Yaml) -> &[Yaml] {
    list.as_vec().map_or(&[], Vec::as_slice)
}

/// Returns the keys of a table; none if there is no table.
fn keys(table: &Yaml) -> Vec<&str> {
    let pairs = table.as_hash().into_iter().flatten();
    pairs.filter_map(|(key, _)| key.as_str()).collect()
}

#[track_caller]
fn text<'a>(value: &'a Yaml, what: &str) -> &'a str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{what}: {value:?}"))
}
