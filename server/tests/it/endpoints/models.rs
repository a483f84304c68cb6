//! Models: submission, lists, results, progress and deletion. The comparison itself needs IREE;
//! `cli/tests/it/profile/service.rs` tests it.

use std::time::Duration;

use serde_json::{Value, json};
use store::{ClaimedModel, ModelEnd, ModelState, ModelSubmission, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{get, post};

const MODELS: &str = "/api/v1/models";

/// A time that no worker of these tests is silent for.
const LONG: Duration = Duration::from_secs(3600);

/// The media type of requests.
const JSON: &str = "application/json";

const REQUEST: &str = r#"{"name":"step","target":"gfx942","device":"emulated:mi300x","counts":"1..4","options":["--iree-opt-level=O3"],"compiler":"3.13.0"}"#;

/// A comparison in the stored form. The service does not interpret it.
const SUMMARY: &str = r#"{"calls":1,"before_us":9.5,"before_bounded":0,"after_us":4.25,"after_bounded":0,"kept":1,"left_alone":0,"untimed":0}"#;
const RESULT: &str = r#"{"before":null,"after":{"device":"emulated:mi300x","clock":"modelled","calibrated":false,"compiler":"3.13.0","functions":[]},"judgement":{"device":"emulated:mi300x","clock":"modelled","compiler":"3.13.0","profiles":2,"calls":[],"kernels":[]}}"#;

/// Queues a model as a service with tools would.
async fn queue(store: &dyn Store, id: &str) {
    let submission = ModelSubmission {
        id,
        request: REQUEST,
        module: "module {}",
        most_queued: 8,
    };
    assert!(store.submit_model(submission).await.unwrap());
}

/// Claims the next model. The worker of the service may have it for a moment: it finds no tools,
/// and gives it back.
async fn claim(store: &dyn Store) -> ClaimedModel {
    loop {
        if let Some(claimed) = store.claim_model("test", LONG).await.unwrap() {
            return claimed;
        }
        tokio::task::yield_now().await;
    }
}

async fn finish(store: &dyn Store) {
    let claimed = claim(store).await;
    let (summary, result) = (SUMMARY, RESULT);
    let end = ModelEnd::Done { summary, result };
    assert!(store.end_model(&claimed.id, "test", end).await.unwrap());
}

pub(crate) async fn a_model_is_submitted_listed_and_deleted(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let (status, list) = get(&service, MODELS).await;
    assert_eq!((status, &list["models"]), (200, &json!([])));
    queue(&*service.store, "aa").await;
    finish(&*service.store).await;
    queue(&*service.store, "bb").await;
    let (_, list) = get(&service, MODELS).await;
    let rows = list["models"].as_array().unwrap();
    assert_eq!([&rows[0]["id"], &rows[1]["id"]], ["bb", "aa"]);
    assert_eq!(rows[0].get("gain"), None);
    assert_eq!(rows[1]["gain"]["after_us"], 4.25);
    let row = [&rows[1]["name"], &rows[1]["state"], &rows[1]["counts"]];
    assert_eq!(row, ["step", "done", "1..4"]);
    let (_, page) = get(&service, &format!("{MODELS}?limit=1")).await;
    let next = page["next"].as_str().unwrap();
    let (_, page) = get(&service, &format!("{MODELS}?limit=1&cursor={next}")).await;
    assert_eq!(page["models"][0]["id"], "aa");
    assert_eq!(page["next"], Value::Null);
    let (_, done) = get(&service, &format!("{MODELS}?state=done")).await;
    assert_eq!(done["models"].as_array().unwrap().len(), 1);
    for query in ["state=dreaming", "cursor=1", "limit=0", "order=name"] {
        let (status, _) = get(&service, &format!("{MODELS}?{query}")).await;
        assert_eq!(status, 400, "{query}");
    }
    let address = format!("{MODELS}/aa");
    let (head, body) = service
        .ask(
            "DELETE",
            &address,
            "Host: localhost\r\nContent-Type: application/json",
            "",
        )
        .await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(body.trim(), r#"{"id":"aa"}"#);
    assert_eq!(get(&service, &address).await.0, 404);
    let (_, list) = get(&service, MODELS).await;
    assert_eq!(list["models"].as_array().unwrap().len(), 1);
}

pub(crate) async fn a_comparison_is_the_stored_text(place: Place) {
    let service = Service::start_without_tools(&place).await;
    queue(&*service.store, "aa").await;
    let address = format!("{MODELS}/aa");
    let (status, model) = get(&service, &address).await;
    assert_eq!((status, &model["comparison"]), (200, &Value::Null));
    finish(&*service.store).await;
    let (_, model) = get(&service, &address).await;
    let stored: Value = serde_json::from_str(RESULT).unwrap();
    assert_eq!(model["comparison"], stored);
    assert_eq!(model["model"]["gain"]["before_us"], 9.5);
    // A model that is compared again keeps its comparison.
    queue(&*service.store, "aa").await;
    let (_, model) = get(&service, &address).await;
    assert_eq!(model["comparison"], stored);
    for (id, expected) in [("bb", 404), ("%00", 400), ("'", 400), ("BB", 400)] {
        let (status, error) = get(&service, &format!("{MODELS}/{id}")).await;
        assert_eq!(status, expected, "{id}: {error}");
    }
}

/// Reads until the text contains this part.
async fn read_until(stream: &mut TcpStream, part: &str) -> String {
    let mut text = String::new();
    while !text.contains(part) {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).await.unwrap();
        assert!(count > 0, "{text}");
        text += std::str::from_utf8(&bytes[..count]).unwrap();
    }
    text
}

pub(crate) async fn progress_is_told_until_the_end(place: Place) {
    let service = Service::start_without_tools(&place).await;
    queue(&*service.store, "aa").await;
    let store = &*service.store;
    let claimed = claim(store).await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let request =
        format!("GET {MODELS}/aa/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut told = read_until(&mut stream, "\"compiling\"").await;
    let judging = ModelState::Judging;
    let reported = store.report_model(&claimed.id, "test", judging, 2).await;
    assert!(reported.unwrap());
    told += &read_until(&mut stream, "\"judging\"").await;
    let failed = ModelEnd::Failed("model:1:2: error: no");
    store.end_model(&claimed.id, "test", failed).await.unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    told += &String::from_utf8(rest).unwrap();
    assert!(told.contains("content-type: text/event-stream"), "{told}");
    let data = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = data.map(|it| serde_json::from_str(it).unwrap()).collect();
    let states: Vec<&str> = events
        .iter()
        .filter_map(|it| it["state"].as_str())
        .collect();
    assert_eq!(states, ["compiling", "judging", "failed"]);
    assert_eq!(events[1]["profiles"], 2);
    assert_eq!(events[2]["reason"], "model:1:2: error: no");
    assert_eq!(get(&service, &format!("{MODELS}/bb/events")).await.0, 404);
}

pub(crate) async fn what_is_no_model_is_refused(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let model = json!({ "module": "module {}", "target": "gfx942" });
    let changed = |name: &str, value: Value| {
        let mut changed = model.clone();
        changed[name] = value;
        changed
    };
    for (name, value, says) in [
        ("module", json!(" \n"), "empty"),
        ("module", json!("module \u{0}"), "NUL"),
        ("name", json!("a".repeat(101)), "100 characters"),
        ("name", json!("a\nb"), "control"),
        ("target", json!("gfx1"), "gfx942"),
        ("device", json!("hip:0"), "emulated:mi300x"),
        ("device", json!("emulated:rx7900xtx"), "not a gfx942"),
        ("counts", json!("1-4"), "1..512"),
        ("counts", json!("4..1"), ""),
        (
            "options",
            json!(["--iree-hal-dump-executable-files-to=."]),
            "does not accept",
        ),
        (
            "options",
            json!(["--iree-opt-level=/etc/passwd"]),
            "letters",
        ),
    ] {
        let (status, error) = post(&service, MODELS, &changed(name, value.clone())).await;
        assert_eq!(
            (status, error["parameter"].as_str()),
            (400, Some(name)),
            "{value}: {error}"
        );
        assert!(error["detail"].as_str().unwrap().contains(says), "{error}");
    }
    let (status, _) = post(&service, MODELS, &changed("compiler", json!("mine"))).await;
    assert_eq!(status, 422);
    let large = changed("module", json!(" ".repeat(1 << 20))).to_string();
    let (head, _) = service.post(MODELS, JSON, &large).await;
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
}

pub(crate) async fn a_service_without_tools_says_what_is_missing(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let model = json!({ "module": "module {}", "target": "gfx942" });
    let (status, error) = post(&service, MODELS, &model).await;
    assert_eq!(status, 501);
    assert_eq!(error["type"], "/problems/tools-missing");
    let detail = error["detail"].as_str().unwrap();
    for word in ["iree-compile", "pip install", "WAVETUNE_IREE_COMPILE"] {
        assert!(detail.contains(word), "{detail}");
    }
    assert_eq!(get(&service, MODELS).await.1["models"], json!([]));
}

/// Checks that a model fails after three services ended in its attempts, without another attempt.
pub(crate) async fn a_model_that_ends_its_services_fails(place: Place) {
    let service = Service::start_without_tools(&place).await;
    // In one statement: the service takes a queued model at once.
    let row = match place {
        Place::File => {
            r#"INSERT INTO submitted_model (id, request, module, state, attempts, asked_ms, changed_ms)
            VALUES ('aa', '{"name":null,"target":"gfx942","device":"emulated:mi300x","counts":"1..4","options":[],"compiler":""}',
                'module {}', 'queued', 3, 0, 0)"#
        }
        Place::Server => {
            r#"INSERT INTO submitted_model (id, request, module, state, attempts, asked_at, changed_at)
            VALUES ('aa', '{"name":null,"target":"gfx942","device":"emulated:mi300x","counts":"1..4","options":[],"compiler":""}',
                'module {}', 'queued', 3, now(), now())"#
        }
    };
    service.spoil(row).await;
    service.soon(&format!("{MODELS}/aa"), "ended 3 times").await;
    let (_, model) = get(&service, &format!("{MODELS}/aa")).await;
    assert_eq!(model["model"]["state"], "failed");
}
