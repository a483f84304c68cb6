//! Studies over HTTP: submitted, carried out by agents, watched, paused, resumed and ended.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use server_fleet::wire::{Lease, LeaseRequest};
use tuner::BatchEventKind;

use crate::endpoints::agent::{error, hold, offer, results, tell};
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;

const JSON: &str = "application/json";

/// Sends a POST, and returns the status and the body of the answer.
pub(crate) async fn post(
    service: &Service,
    target: &str,
    body: &impl serde::Serialize,
) -> (u16, Value) {
    let body = serde_json::to_string(body).unwrap();
    read(service.post(target, JSON, &body).await)
}

pub(crate) async fn get(service: &Service, target: &str) -> (u16, Value) {
    read(service.get(target).await)
}

pub(crate) fn read((head, body): (String, String)) -> (u16, Value) {
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(&body).unwrap_or_default())
}

/// Leases a batch to an agent.
pub(crate) async fn lease(service: &Service, wait_s: u32) -> Option<Lease> {
    let ask = LeaseRequest {
        agent: "one".to_owned(),
        offers: vec![offer("mi300x")],
        devices: Vec::new(),
        wait_s,
    };
    let (status, lease) = post(service, "/api/v1/leases", &ask).await;
    match status {
        200 => Some(serde_json::from_value(lease).unwrap()),
        204 => None,
        _ => panic!("{status} {lease}"),
    }
}

/// Works as an agent until no study runs any more.
pub(crate) async fn work(service: &Service) {
    work_with(service, results).await;
}

/// Works as an agent with these results of a lease.
pub(crate) async fn work_with(service: &Service, results: fn(&Lease) -> Vec<BatchEventKind>) {
    loop {
        let Some(lease) = lease(service, 1).await else {
            let (_, running) = get(service, "/api/v1/studies?state=running").await;
            match running["studies"].as_array().unwrap().is_empty() {
                true => return,
                false => continue,
            }
        };
        let told = tell(&lease, results(&lease));
        let (status, heard) = post(service, "/api/v1/leases:tell", &told).await;
        assert_eq!((status, heard), (200, json!({ "is_wanted": false })));
    }
}

fn wanted(problem: &str, budget: u32) -> Value {
    json!({ "problems": [problem], "target": "gfx942", "budget": budget })
}

pub(crate) const PROBLEM: &str = "argmax:4x[4096]xf32:i32";

/// Submits a study, and returns its number.
pub(crate) async fn submit(service: &Service, problem: &str, budget: u32) -> i64 {
    let (status, studies) = post(service, "/api/v1/studies", &wanted(problem, budget)).await;
    assert_eq!(status, 201, "{studies}");
    studies["studies"][0]["id"].as_i64().unwrap()
}

pub(crate) async fn a_study_is_asked_for_carried_out_and_looked_up(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let (_, agents) = get(&service, "/api/v1/agents").await;
    assert_eq!(agents["agents"][0]["name"], "one");
    assert_eq!(
        agents["agents"][0]["offers"][0]["device"],
        "emulated:mi300x"
    );
    let id = submit(&service, PROBLEM, 30).await;
    let address = format!("/api/v1/studies/{id}");
    let (status, study) = get(&service, &address).await;
    assert_eq!((status, &study["state"]), (200, &json!("running")));
    assert_eq!(study["problem"], PROBLEM);
    let events = format!("{address}/events");
    let (watched, ()) = tokio::join!(service.get(&events), work(&service));
    let (_, study) = get(&service, &address).await;
    assert_eq!(study["state"], "done", "{study}");
    let (_, record) = get(&service, &format!("/api/v1/records/{id}")).await;
    assert_eq!(record["run"], study);
    assert_eq!(record["study"]["trials"]["total"], 30);
    // Each trial was in one event, and the stream ended with the study.
    let mut ordinals = Vec::new();
    let mut last = Value::Null;
    for data in watched
        .1
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
    {
        last = serde_json::from_str(data).unwrap();
        testing_conformance::check("run_event", &last);
        let trials = last["trials"].as_array().unwrap().iter();
        ordinals.extend(trials.map(|trial| trial["ordinal"].as_u64().unwrap()));
    }
    assert_eq!(last["state"], "done");
    assert_eq!(last["progress"]["done"], 30);
    assert_eq!(ordinals.len(), 30);
    assert_eq!(
        ordinals.into_iter().collect::<BTreeSet<u64>>(),
        (0..30).collect()
    );
    let ask = format!("/api/v1/configurations?problem={PROBLEM}&target=gfx942");
    service.soon(&ask, "\"time_us\"").await;
    // The error of each listed trial is the reported one.
    let (_, listed) = get(&service, &format!("{address}/trials?limit=30")).await;
    let listed = listed["trials"].as_array().unwrap();
    assert_eq!(listed.len(), 30);
    for trial in listed {
        let time_us = trial["time_us"].as_f64().unwrap();
        assert_eq!(trial["error"].as_f64(), Some(error(time_us)), "{trial}");
    }
}

pub(crate) async fn a_returning_reader_receives_missed_events(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    work(&service).await;
    let address = format!("/api/v1/studies/{id}/events");
    let (_, all) = service.get(&address).await;
    let heard = all
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .unwrap();
    let headers = format!("Host: localhost\r\nLast-Event-ID: {heard}");
    let (_, rest) = service.get_with(&address, &headers).await;
    assert!(all.contains("\"ordinal\":29"), "{all}");
    assert!(rest.contains("\"trials\":[]"), "{rest}");
    // An ID of another format counts as none.
    let headers = "Host: localhost\r\nLast-Event-ID: 7";
    let (_, again) = service.get_with(&address, headers).await;
    assert_eq!(again, all);
}

pub(crate) async fn a_study_is_let_wait_go_on_and_end(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    let to = async |what: &str| {
        let address = format!("/api/v1/studies/{id}/{what}");
        let (status, body) = post(&service, &address, &json!({})).await;
        // Print the body if the status is unexpected.
        assert!(status < 500, "{what}: {body}");
        (status, body["state"].as_str().map(str::to_owned))
    };
    let state = |status: u16, state: &str| (status, Some(state.to_owned()));
    assert_eq!(to("resume").await, (409, None));
    assert_eq!(to("pause").await, state(200, "paused"));
    assert_eq!(lease(&service, 0).await, None);
    assert_eq!(to("pause").await, (409, None));
    assert_eq!(to("resume").await, state(200, "running"));
    assert_eq!(to("cancel").await, state(200, "cancelled"));
    assert_eq!(to("resume").await, state(200, "running"));
    work(&service).await;
    assert_eq!(to("cancel").await, (409, None));
    let other = post(&service, "/api/v1/studies/99/pause", &json!({})).await;
    assert_eq!(
        (other.0, &other.1["type"]),
        (404, &json!("/problems/unknown-study"))
    );
    // Clients write the content type like this.
    let resume = format!("/api/v1/studies/{id}/resume");
    let charset = service.post(&resume, "application/json; charset=utf-8", "");
    assert_eq!(read(charset.await).0, 409);
    // A page of another site can make a browser send this.
    let plain = service
        .post(&format!("/api/v1/studies/{id}/resume"), "text/plain", "")
        .await;
    assert_eq!(read(plain).0, 415);
}

pub(crate) async fn studies_are_listed_in_pages(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let mut submitted = Vec::new();
    for columns in 1..=5 {
        let problem = format!("argmax:4x[{}]xf32", 1024 * columns);
        submitted.push(submit(&service, &problem, 10).await);
    }
    let second = submitted[1];
    let cancel = format!("/api/v1/studies/{second}/cancel");
    post(&service, &cancel, &json!({})).await;
    let mut ids = Vec::new();
    let mut address = "/api/v1/studies?limit=2".to_owned();
    for _ in 0..3 {
        let (_, page) = get(&service, &address).await;
        let studies = page["studies"].as_array().unwrap().iter();
        ids.extend(studies.map(|study| study["id"].as_i64().unwrap()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        address = format!("/api/v1/studies?limit=2&cursor={next}");
    }
    assert_eq!(ids, submitted);
    let (_, cancelled) = get(&service, "/api/v1/studies?state=cancelled").await;
    assert_eq!(cancelled["studies"].as_array().unwrap().len(), 1);
    assert_eq!(cancelled["studies"][0]["id"], second);
    for (target, parameter) in [
        ("/api/v1/studies?state=asleep", "state"),
        ("/api/v1/studies?limit=0", "limit"),
        ("/api/v1/studies?limit=1001", "limit"),
        ("/api/v1/studies?cursor=x", "cursor"),
        ("/api/v1/studies/x", "id"),
    ] {
        let expected = json!([parameter, null]);
        service
            .check_error(target, 400, "invalid-value", expected)
            .await;
    }
}

pub(crate) async fn a_request_with_a_key_may_be_sent_again(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let ask = async |key: &str, problem: &str| {
        let body = wanted(problem, 10).to_string();
        let request = format!(
            "POST /api/v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Idempotency-Key: {key}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let answer = service.send(request.as_bytes(), false).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let (status, body) = read((head.to_owned(), body.to_owned()));
        (
            status,
            body["studies"][0]["id"].as_i64(),
            body["type"].as_str().map(str::to_owned),
        )
    };
    let first = ask("a", PROBLEM).await;
    assert_eq!((first.0, first.1.is_some()), (201, true));
    assert_eq!(ask("a", PROBLEM).await, first);
    let used = ask("a", "argmin:4x[4096]xf32").await;
    assert_eq!(used, (409, None, Some("/problems/key-used".to_owned())));
    let other = ask("b", "argmin:4x[4096]xf32").await;
    assert_eq!((other.0, other.1 != first.1), (201, true));
    assert_eq!(ask(&"k".repeat(201), PROBLEM).await.0, 400);
}

/// Checks requests and the problems that answer them.
pub(crate) async fn impossible_studies_are_refused_with_a_reason(place: Place) {
    let service = Service::start_at(&place).await;
    let check = async |body: Value, status: u16, kind: &str, part: &str| {
        let (got, problem) = post(&service, "/api/v1/studies", &body).await;
        assert_eq!(
            (got, problem["type"].as_str()),
            (status, Some(kind)),
            "{body}: {problem}"
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{detail}");
    };
    let invalid = "/problems/invalid-value";
    let with = |name: &str, value: Value| {
        let mut body = wanted(PROBLEM, 10);
        body[name] = value;
        body
    };
    assert_eq!(lease(&service, 0).await, None);
    check(
        wanted("argmax:4x4096xf32", 10),
        400,
        "/problems/invalid-problem",
        "reduced",
    )
    .await;
    check(wanted(PROBLEM, 0), 400, invalid, "at least 1").await;
    check(with("problems", json!([])), 400, invalid, "at least one").await;
    check(
        with("problems", json!(vec![PROBLEM; 1001])),
        400,
        "/problems/too-many",
        "1001",
    )
    .await;
    check(with("target", json!("gfx000")), 400, invalid, "gfx000").await;
    check(
        with("device", json!("emulated:mi250x")),
        422,
        "/problems/problem-refused",
        "mi250x",
    )
    .await;
    check(with("generator", json!("triton")), 400, invalid, "triton").await;
    check(with("strategy", json!("luck")), 400, invalid, "evolution").await;
    check(with("seed", json!(u64::MAX)), 400, invalid, "a seed").await;
    check(with("ties", json!("none")), 400, invalid, "fold, any").await;
    check(
        with("colour", json!("red")),
        422,
        "/problems/invalid-body",
        "colour",
    )
    .await;
    let vast = wanted("argmax:1048576x[1048576]xf64", 10);
    check(vast, 422, "/problems/problem-refused", "bytes").await;
    let (_, none) = get(&service, "/api/v1/studies").await;
    assert_eq!(none, json!({ "studies": [], "next": null }));
}

pub(crate) async fn invalid_leases_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    submit(&service, PROBLEM, 10).await;
    let leased = lease(&service, 8).await.unwrap();
    let (_, heard) = post(&service, "/api/v1/leases:stay", &hold(&leased)).await;
    assert_eq!(heard, json!({ "is_wanted": true }));
    let mut forged = leased.clone();
    forged.token.replace_range(0..4, "AAAA");
    for (target, body) in [
        ("/api/v1/leases:stay", json!(hold(&forged))),
        ("/api/v1/leases:return", json!(hold(&forged))),
        (
            "/api/v1/leases:tell",
            json!(tell(&forged, results(&leased))),
        ),
    ] {
        let (status, problem) = post(&service, target, &body).await;
        assert_eq!(
            (status, &problem["type"]),
            (410, &json!("/problems/no-lease"))
        );
    }
    let news = json!(tell(&leased, vec![BatchEventKind::Died]));
    let (status, problem) = post(&service, "/api/v1/leases:tell", &news).await;
    assert_eq!(
        (status, &problem["type"]),
        (422, &json!("/problems/invalid-news"))
    );
    // Its holder gives it back, and another agent gets it.
    assert_eq!(
        post(&service, "/api/v1/leases:return", &hold(&leased))
            .await
            .0,
        204
    );
    assert_eq!(lease(&service, 8).await.unwrap().batch, leased.batch);
}

/// The database cannot be written.
pub(crate) async fn a_service_that_only_answers_says_so(place: Place) {
    let service = Service::start_to_answer(&place).await;
    let (status, problem) = post(&service, "/api/v1/studies", &wanted(PROBLEM, 10)).await;
    let kind = json!("/problems/studies-unavailable");
    assert_eq!((status, &problem["type"]), (503, &kind));
    assert_eq!(get(&service, "/api/v1/agents").await.0, 503);
}

/// A study is accepted without a fitting agent, with a warning, and begins when one comes.
pub(crate) async fn a_study_waits_for_an_agent(place: Place) {
    let service = Service::start_at(&place).await;
    let (status, begun) = post(&service, "/api/v1/studies", &wanted(PROBLEM, 4)).await;
    assert_eq!(status, 201, "{begun}");
    let warning = begun["warning"].as_str().unwrap();
    assert!(warning.contains("wavetune agent"), "{warning}");
    let study = &begun["studies"][0];
    assert_eq!(
        (&study["state"], &study["device"]),
        (&json!("waiting"), &json!(null))
    );
    let id = study["id"].as_i64().unwrap();
    let (status, page) = get(&service, &format!("/api/v1/studies/{id}/trials")).await;
    assert_eq!((status, &page["trials"]), (200, &json!([])));
    let (_, waiting) = get(&service, "/api/v1/studies?state=waiting").await;
    assert_eq!(waiting["studies"][0]["id"], id);
    assert_eq!(
        get(&service, &format!("/api/v1/studies/{id}/report"))
            .await
            .0,
        409
    );
    let gone = service.delete(&format!("/api/v1/studies/{id}")).await.0;
    assert!(gone.starts_with("HTTP/1.1 409 "), "{gone}");
    // A fitting agent asks for a batch.
    lease(&service, 1).await;
    let mut state = json!("waiting");
    while state == json!("waiting") {
        state = get(&service, &format!("/api/v1/studies/{id}")).await.1["state"].clone();
    }
    assert_eq!(state, "running");
}
