//! The conditions of agents' devices, over HTTP.

use serde_json::{Value, json};
use server_fleet::DriftStatus;
use server_fleet::wire::{Condition, LeaseRequest, Quarantine};

use crate::endpoints::agent::offer;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{get, post};

async fn ask(service: &Service, device: u32, watched: Value, quarantine: Option<&str>) -> u16 {
    let watched: Option<DriftStatus> = serde_json::from_value(watched).unwrap();
    let quarantine = quarantine.map(|reason| Quarantine {
        reason: reason.to_owned(),
        left_s: 20,
    });
    let ask = LeaseRequest {
        agent: "one".to_owned(),
        offers: vec![offer("mi300x")],
        devices: vec![Condition {
            device,
            watched,
            quarantine,
        }],
        wait_s: 0,
    };
    post(service, "/api/v1/leases", &ask).await.0
}

async fn figure(service: &Service, name: &str) -> String {
    let (_, text) = service.get("/metrics").await;
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.rsplit(' ').next().unwrap().to_owned()
}

pub(crate) async fn agents_tell_how_their_devices_are(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(figure(&service, "wavetune_agents").await, "0");
    let steady = json!({ "state": "steady", "noise": 0.004, "slowdown": 1.01 });
    assert_eq!(ask(&service, 0, steady.clone(), None).await, 204);
    assert_eq!(ask(&service, 1, Value::Null, None).await, 204);
    let wrong = json!({ "state": "wrong" });
    assert_eq!(ask(&service, 2, wrong.clone(), Some("wrong")).await, 204);
    let (_, agents) = get(&service, "/api/v1/agents").await;
    let devices = &agents["agents"][0]["devices"];
    let quarantine = json!({ "reason": "wrong", "left_s": 20 });
    let expected = json!([
        { "device": 0, "control": steady },
        { "device": 1 },
        { "device": 2, "control": wrong, "quarantine": quarantine },
    ]);
    assert_eq!(*devices, expected);
    assert_eq!(figure(&service, "wavetune_agents").await, "1");
    let quarantined = "wavetune_devices_quarantined";
    assert_eq!(figure(&service, quarantined).await, "1");
    let (_, status) = get(&service, "/api/v1/status").await;
    assert_eq!(status["quarantined"], 1);
    assert_eq!(ask(&service, 2, Value::Null, None).await, 204);
    assert_eq!(figure(&service, quarantined).await, "0");
}
