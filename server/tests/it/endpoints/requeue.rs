//! Deleted studies, and studies that repeat abandoned trials.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::{FailureKind, TrialOutcome};
use tuner::BatchEventKind;

use crate::endpoints::agent::results;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, get, lease, post, read, submit, work, work_with};

/// The trial that no agent of the test finishes.
const HARD: u32 = 3;

/// Returns the results of a lease without the hard trial.
fn without_the_hard_one(lease: &server_fleet::wire::Lease) -> Vec<BatchEventKind> {
    let mut news = results(lease);
    for one in &mut news {
        if let BatchEventKind::Trial(trial) = one
            && trial.ordinal == HARD
        {
            let reason = "given up after 3 leases".to_owned();
            trial.outcome = TrialOutcome::Failed(FailureKind::Abandoned, reason);
            trial.error = None;
        }
    }
    news
}

async fn trials(service: &Service, query: &str) -> Vec<Value> {
    let (status, page) = get(service, &format!("/api/v1/trials{query}")).await;
    assert_eq!(status, 200, "{page}");
    page["trials"].as_array().unwrap().clone()
}

pub(crate) async fn abandoned_trials_are_listed_and_requeued(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    work_with(&service, without_the_hard_one).await;
    let abandoned = trials(&service, "?failure=abandoned").await;
    assert_eq!(abandoned.len(), 1);
    assert_eq!(
        [&abandoned[0]["study"], &abandoned[0]["ordinal"]],
        [&json!(id), &json!(HARD)]
    );
    assert_eq!(abandoned[0]["message"], "given up after 3 leases");

    let before = trials(&service, "").await;
    let requeue = format!("/api/v1/studies/{id}/requeue");
    let (status, answer) = post(&service, &requeue, &json!({})).await;
    assert_eq!((status, answer), (200, json!({ "study": id, "trials": 1 })));
    assert_eq!(
        get(&service, &format!("/api/v1/studies/{id}")).await.1["state"],
        "running"
    );
    work(&service).await;
    let after = trials(&service, "").await;
    // Other trials keep their results, though they were chosen while the hard one had none.
    for (before, after) in before.iter().zip(&after) {
        match after["ordinal"] == HARD {
            true => assert_eq!(after["status"], "right"),
            false => assert_eq!(after, before),
        }
    }
    let hashes: BTreeSet<&str> = after
        .iter()
        .filter_map(|it| it["configuration_hash"].as_str())
        .collect();
    assert_eq!((after.len(), hashes.len()), (30, 30));
    // The study ends as before, and no trial is left to repeat.
    assert_eq!(
        get(&service, &format!("/api/v1/studies/{id}")).await.1["state"],
        "done"
    );
    let (status, answer) = post(&service, &requeue, &json!({})).await;
    assert_eq!((status, answer), (200, json!({ "study": id, "trials": 0 })));
    assert_eq!(
        get(&service, &format!("/api/v1/studies/{id}")).await.1["state"],
        "done"
    );
}

pub(crate) async fn running_studies_are_neither_deleted_nor_requeued(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    let study = format!("/api/v1/studies/{id}");
    let requeue = format!("{study}/requeue");
    let refused = |(status, problem): (u16, Value)| {
        assert_eq!(
            (status, &problem["type"]),
            (409, &json!("/problems/wrong-state"))
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains(&format!("{study}/cancel first")),
            "{detail}"
        );
    };
    refused(read(service.delete(&study).await));
    refused(post(&service, &requeue, &json!({})).await);
    assert_eq!(
        post(&service, &format!("{study}/cancel"), &json!({}))
            .await
            .0,
        200
    );
    // A study that another process works on.
    let key = crate::endpoints::support::key();
    let other = service.store.open_study(&key, None).await.unwrap();
    service.store.stay(&other, "ann@machine").await.unwrap();
    let (status, problem) = read(
        service
            .delete(&format!("/api/v1/studies/{}", other.id.0))
            .await,
    );
    assert_eq!(
        (status, &problem["type"]),
        (409, &json!("/problems/wrong-state"))
    );
    assert!(!problem.to_string().contains("ann"), "{problem}");

    // The last writes of its director may keep the study for some seconds.
    let begun = Instant::now();
    let (status, deleted) = loop {
        let answer = read(service.delete(&study).await);
        if answer.0 != 409 || begun.elapsed() > Duration::from_secs(60) {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(
        (status, deleted),
        (200, json!({ "id": id, "trials": 0, "finals": 0 }))
    );
    for answer in [
        read(service.delete(&study).await),
        get(&service, &study).await,
        get(&service, &format!("{study}/trials")).await,
        post(&service, &requeue, &json!({})).await,
    ] {
        assert_eq!(
            (answer.0, &answer.1["type"]),
            (404, &json!("/problems/unknown-study"))
        );
    }
    let place = json!(["id", null]);
    let (status, problem) = read(service.delete("/api/v1/studies/x").await);
    assert_eq!((status, json!([problem["parameter"], null])), (400, place));
}
