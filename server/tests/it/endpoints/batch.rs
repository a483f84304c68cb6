//! Many questions in one request.

use serde_json::{Value, json};

use crate::endpoints::ASK;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, trial};

const BATCH: &str = "/api/v1/configurations:batch";
const JSON: &str = "application/json";

/// Returns the answers to these questions.
async fn answers(service: &Service, body: &Value) -> Vec<Value> {
    let (head, body) = service.post(BATCH, JSON, &body.to_string()).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    body["answers"].as_array().unwrap().clone()
}

pub(crate) async fn each_question_is_answered_as_alone(place: Place) {
    let service = Service::start_at(&place).await;
    let trials = [default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))];
    service.record(&key(), &trials).await;
    let problem = "argmax:4x[32000]xf32";
    let questions = json!([
        {"problem": problem, "target": "gfx942"},
        {"problem": problem, "target": "gfx942", "device": "emulated:mi300x", "generator": "native", "ties": "any"},
        {"problem": problem, "target": "gfx942", "device": "hip:0"},
        {"problem": "argmin:[7]xi32", "target": "gfx1100"},
        {"problem": "argmax:4x[0]xf32", "target": "gfx942"},
        {"problem": problem},
        {"problem": problem, "target": "gfx942", "ties": "lowest"},
    ]);
    let answers = answers(&service, &json!({ "questions": questions })).await;
    let alone = [
        ASK,
        &format!("{ASK}&device=emulated:mi300x&generator=native&ties=any"),
        &format!("{ASK}&device=hip:0"),
        "/api/v1/configurations?problem=argmin:[7]xi32&target=gfx1100",
        "/api/v1/configurations?problem=argmax:4x[0]xf32&target=gfx942",
        "/api/v1/configurations?problem=argmax:4x[32000]xf32",
        &format!("{ASK}&ties=lowest"),
    ];
    assert_eq!(answers.len(), alone.len());
    for (answer, alone) in answers.iter().zip(alone) {
        let (_, body) = service.get(alone).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(*answer, body, "{alone}");
    }
    assert_eq!(answers[0]["time_us"], 8.0);
    assert_eq!(answers[4]["position"], 10);
}

pub(crate) async fn misses_are_noted_where_that_is_asked(place: Place) {
    let service = Service::start_at(&place).await;
    let question = json!({"problem": "argmin:[7]xi32", "target": "gfx1100"});
    for (wish, wishes) in [(false, 0), (true, 1)] {
        let body = json!({ "questions": [question], "wish": wish });
        assert_eq!(answers(&service, &body).await[0]["wished"], wish);
        service.store.flush_wishes().await.unwrap();
        assert_eq!(service.store.wishes().await.unwrap().rows.len(), wishes);
    }
}

pub(crate) async fn invalid_batches_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    // The lower rungs of a thousand answers take a minute in a debug build.
    let question = json!({"problem": "argmin:[7]xi32", "target": "gfx1100", "at_least": "exact"});
    let many = |count| json!({ "questions": vec![&question; count] }).to_string();
    let long = format!("{{\"questions\": [{}", " ".repeat(1 << 20));
    let deep = "[".repeat(1 << 16);
    for (kind, body, status, code) in [
        (JSON, many(1001).as_str(), 400, "too-many"),
        (JSON, "", 400, "malformed-body"),
        (JSON, "{}", 422, "invalid-body"),
        (
            JSON,
            r#"{"questions": [], "wishes": 1}"#,
            422,
            "invalid-body",
        ),
        (
            JSON,
            r#"{"questions": [{"problme": ""}]}"#,
            422,
            "invalid-body",
        ),
        (JSON, "{\"questions\": [\u{0}", 400, "malformed-body"),
        (JSON, &deep, 422, "invalid-body"),
        (JSON, &long, 413, "body-too-large"),
        // A page of another site can make a browser send this.
        ("text/plain", &many(1), 415, "unsupported-media-type"),
    ] {
        let (head, told) = service.post(BATCH, kind, body).await;
        let start: String = body.chars().take(60).collect();
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{start}: {head}\n{told}"
        );
        assert!(
            told.contains(&format!("\"type\":\"/problems/{code}\"")),
            "{start}: {told}"
        );
        assert!(told.len() < 500, "{told}");
    }
    assert_eq!(
        answers(&service, &json!({ "questions": [] })).await.len(),
        0
    );
    let all = answers(&service, &serde_json::from_str(&many(1000)).unwrap()).await;
    assert_eq!(all.len(), 1000);
    service
        .check(BATCH, 405, "/problems/method-not-allowed")
        .await;
    assert_eq!(service.failures(), Vec::<String>::new());
}
