//! What ships the service holds together: the units of systemd, the images, the manifests and what Prometheus and Grafana load say what this
//! program, its API and each other say. Nothing of it is run here: there is no Docker and no Kubernetes to do it.

mod docker;
mod kubernetes;
mod monitoring;
mod prometheus_operator;
mod systemd;
mod workload;

use std::fs;
use std::path::{Path, PathBuf};

use yaml_rust2::{Yaml, YamlLoader};

/// Seconds that whoever ends a service waits for it at least: 10 for an answer, 3 for its way, and the rest for its studies.
const END_SECONDS: u32 = 30;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let file = root().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The documents of a file of YAML; a key that stands there twice is an error of the reader's.
fn documents(path: &str) -> Vec<Yaml> {
    let documents = YamlLoader::load_from_str(&read(path));
    documents.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts of a list; none where there is none.
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

/// The items of a list; none where there is none.
fn items(list: &Yaml) -> &[Yaml] {
    list.as_vec().map_or(&[], Vec::as_slice)
}

/// The keys of a table; none where there is none.
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
