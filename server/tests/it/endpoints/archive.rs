//! The tar of exported kernels. Building them needs libLLVM and lld.

use std::io::Read as _;

use codegen::cache::Cache;
use codegen::native::Native;
use kernel_export::{Export, ExportRequest, Toolchain, choose};
use serde_json::{Value, json};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, trial};

const KERNELS: &str = "/api/v1/exports/kernels?target=gfx942";

/// A problem without results.
const UNTUNED: &str = "argmin:3x[100]xi32:i32";

/// Returns the names and contents of the files of a tar.
fn files(tar: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(tar);
    let file = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        (name, content)
    };
    archive.entries().unwrap().map(file).collect()
}

/// Builds these problems directly from the service's database.
async fn built(service: &Service, problems: &[&str]) -> Vec<(String, Vec<u8>)> {
    let wanted = ExportRequest {
        target: key().provenance.target,
        device: None,
        wish: false,
        beside_iree: false,
    };
    let problems = problems.iter().map(|problem| problem.parse().unwrap());
    let selection = choose(Some(&*service.store), &wanted, problems.collect()).await;
    let toolchain = Toolchain::new(|| Native::load(Cache::of_environment()));
    let mut export = Export::new(&toolchain, wanted.target).unwrap();
    let mut files = Vec::new();
    for choice in selection.unwrap().choices {
        files.extend(export.add(&choice).unwrap());
    }
    files.push(export.end());
    files
        .into_iter()
        .map(|file| (file.name, file.content))
        .collect()
}

/// Returns the entity tag of an answer.
pub(crate) fn tag(head: &str) -> &str {
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: "));
    tag.unwrap_or_else(|| panic!("{head}"))
}

pub(crate) async fn an_export_is_what_is_built_and_has_a_tag(place: Place) {
    let service = Service::start_at(&place).await;
    let tuned = key().problem.to_string();
    let trials = [
        default_trial(0, 256, right(61.0)),
        trial(1, 512, right(8.0)),
    ];
    service.record(&key(), &trials).await;

    let named = format!("{KERNELS}&problem={tuned}&problem={UNTUNED}&problem={tuned}");
    let (head, body) = service.download(&named).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("content-type: application/x-tar"), "{head}");
    let found = files(&body);
    assert_eq!(found, built(&service, &[&tuned, UNTUNED]).await);
    let (name, manifest) = found.last().unwrap();
    assert_eq!((found.len(), name.as_str()), (5, "manifest.json"));
    let manifest: Value = serde_json::from_slice(manifest).unwrap();
    testing_conformance::check("manifest", &manifest);
    let chosen = |number: usize| &manifest["kernels"][number]["chosen"];
    assert_eq!((chosen(0), chosen(1)), (&json!("tuned"), &json!("default")));

    // All tuned problems, and the same again.
    let (head, body) = service.download(KERNELS).await;
    assert_eq!(files(&body), built(&service, &[&tuned]).await);
    let (again, same) = service.download(KERNELS).await;
    assert_eq!((tag(&again), &same), (tag(&head), &body));
    let headers = format!("Host: localhost\r\nIf-None-Match: {}", tag(&head));
    let (known, nothing) = service.get_with(KERNELS, &headers).await;
    assert!(known.starts_with("HTTP/1.1 304 "), "{known}");
    assert_eq!((nothing.as_str(), tag(&known)), ("", tag(&head)));
    // Another device has no results.
    let other = format!("{KERNELS}&device=emulated:mi300a");
    service
        .check(&other, 404, "nothing to export for gfx942")
        .await;
    let (_, body) = service.download(&format!("{other}&problem={tuned}")).await;
    let untuned: Value = serde_json::from_slice(&files(&body).last().unwrap().1).unwrap();
    assert_eq!(untuned["kernels"][0]["chosen"], "default");

    service.record(&key(), &[trial(2, 1024, right(4.0))]).await;
    let (head, body) = service.get_with(KERNELS, &headers).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(body.contains("\"time_us\": 4.0"), "{body}");
}
