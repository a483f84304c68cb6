//! Batches that an agent without a device builds, over HTTP.

use serde_json::{Value, json};
use server_fleet::wire::{BuildLease, BuildRequest, BuiltKernels, LeaseReference};
use server_fleet::{PublicKey, Purpose, Toolchain};

use crate::endpoints::agent::offer;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, get, lease, post, submit};

/// An empty pack of kernels: a service passes on any content.
const PACK: &str = r#"{"compile_ms":1.0,"code_objects":[],"kernels":[]}"#;

fn toolchain() -> Toolchain {
    Toolchain::from(&offer("mi300x").provenance)
}

async fn ask(service: &Service, builds: Vec<Toolchain>, wait_s: u32) -> (u16, Value) {
    let ask = BuildRequest {
        agent: "builder".to_owned(),
        builds,
        wait_s,
    };
    post(service, "/api/v1/builds", &ask).await
}

/// Begins a study with a device and a builder, and returns its build.
async fn build(service: &Service) -> BuildLease {
    assert_eq!(lease(service, 0).await, None);
    assert_eq!(ask(service, vec![toolchain()], 0).await.0, 204);
    submit(service, PROBLEM, 10).await;
    let (status, build) = ask(service, vec![toolchain()], 8).await;
    assert_eq!(status, 200, "{build}");
    serde_json::from_value(build).unwrap()
}

fn hand_in(build: &BuildLease) -> BuiltKernels {
    BuiltKernels {
        token: build.token.clone(),
        batch: build.batch.clone(),
        kernels: Some(PACK.to_owned()),
    }
}

/// Returns the entry of the agent with this name.
fn agent<'a>(agents: &'a Value, name: &str) -> &'a Value {
    let agents = agents["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["name"] == name).unwrap()
}

pub(crate) async fn leases_bring_built_kernels(place: Place) {
    let service = Service::start_at(&place).await;
    let build = build(&service).await;
    let (_, agents) = get(&service, "/api/v1/agents").await;
    assert_eq!(agents["agents"][0]["name"], "builder");
    assert_eq!(
        agents["agents"][0]["builds"],
        json!([{ "generator": "native", "generator_version": "1", "compiler": "none 1", "compile_limit_s": 0 }])
    );
    let hold = LeaseReference {
        token: build.token.clone(),
        batch: build.batch.id.clone(),
    };
    let (_, heard) = post(&service, "/api/v1/leases:stay", &hold).await;
    assert_eq!(heard, json!({ "is_wanted": true }));
    let (status, heard) = post(&service, "/api/v1/builds:hand-in", &hand_in(&build)).await;
    assert_eq!((status, heard), (200, json!({ "is_wanted": true })));
    let leased = lease(&service, 8).await.unwrap();
    assert_eq!(leased.batch, build.batch);
    let (_, agents) = get(&service, "/api/v1/agents").await;
    let [builder, device] = ["builder", "one"].map(|name| agent(&agents, name));
    assert_eq!(builder["leases"], json!([]));
    let [held] = &device["leases"].as_array().unwrap()[..] else {
        panic!("{device}");
    };
    let of = (&held["study"], &held["doing"]);
    assert_eq!(of, (&json!(build.batch.id.study), &json!("try")));
    assert!(held["configurations"].as_u64().unwrap() > 0);
    assert!((0.0..60.0).contains(&held["held_s"].as_f64().unwrap()));
    let (status, key) = get(&service, "/api/v1/builds:key").await;
    assert_eq!(status, 200, "{key}");
    let key: PublicKey = serde_json::from_value(key).unwrap();
    let purpose = Purpose {
        batch: &leased.batch,
        toolchain: &build.toolchain,
        target: build.target,
    };
    let kernels = leased.kernels.as_ref().unwrap();
    assert_eq!(kernels.verified(&key, purpose), Ok(PACK));
}

pub(crate) async fn invalid_builds_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    let (status, problem) = ask(&service, Vec::new(), 0).await;
    assert_eq!(
        (status, &problem["type"]),
        (422, &json!("/problems/invalid-news"))
    );
    let build = build(&service).await;
    let mut forged = hand_in(&build);
    forged.token.replace_range(0..4, "AAAA");
    let (status, problem) = post(&service, "/api/v1/builds:hand-in", &forged).await;
    assert_eq!(
        (status, &problem["type"]),
        (410, &json!("/problems/no-lease"))
    );
    let mut garbage = hand_in(&build);
    garbage.kernels = Some("garbage".to_owned());
    let (status, problem) = post(&service, "/api/v1/builds:hand-in", &garbage).await;
    assert_eq!(
        (status, &problem["type"]),
        (422, &json!("/problems/invalid-news"))
    );
}
