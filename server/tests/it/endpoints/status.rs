//! The service in a few numbers.

use serde_json::json;

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, get, lease, post, submit};
use crate::endpoints::support::{key, right, trial};

pub(crate) async fn a_service_is_told_in_a_few_numbers(place: Place) {
    let service = Service::start_at(&place).await;
    let version = env!("CARGO_PKG_VERSION");
    let told = |problems: u32, running: u32, agents: u32| {
        let told = json!({
            "version": version, "can_tune": true, "problems": problems, "running": running, "agents": agents,
            "quarantined": 0,
        });
        (200, told)
    };
    let status = async || get(&service, "/api/v1/status").await;
    assert_eq!(status().await, told(0, 0, 0));
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    service.soon("/api/v1/status", "\"problems\":1").await;
    assert_eq!(lease(&service, 0).await, None);
    assert_eq!(status().await, told(1, 0, 1));
    let id = submit(&service, PROBLEM, 30).await;
    service.soon("/api/v1/status", "\"problems\":2").await;
    assert_eq!(status().await, told(2, 1, 1));
    let pause = format!("/api/v1/studies/{id}/pause");
    assert_eq!(post(&service, &pause, &json!({})).await.0, 200);
    assert_eq!(status().await, told(2, 0, 1));
    service
        .check("/api/v1/status?a=b", 400, "unknown-parameter")
        .await;
}

pub(crate) async fn one_that_only_answers_cannot_tune(place: Place) {
    let service = Service::start_to_answer(&place).await;
    let (_, status) = get(&service, "/api/v1/status").await;
    assert_eq!(
        [&status["can_tune"], &status["running"]],
        [&json!(false), &json!(0)]
    );
}
