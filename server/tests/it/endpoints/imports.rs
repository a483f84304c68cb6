//! Imports: a service imports a portion of a database once.

use serde_json::{Value, json};
use store::{Finals, Portion, StudyId, Ties};

use crate::endpoints::ASK;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, get, lease, post, submit, work};
use crate::endpoints::support::{at, default_trial, key, right, trial};

const IMPORTS: &str = "/api/v1/imports";

fn portion() -> Portion {
    Portion {
        key: key(),
        bound_us: Some(2.5),
        first_opened: at(0),
        last_opened: at(100),
        trials: vec![
            default_trial(0, 1, right(9.0)),
            trial(1, 2, right(0.1 + 0.2)),
        ],
        finals: vec![Finals {
            trials: 2,
            winner: 1,
            ties: Ties::Fold,
            speedup: 30.0,
            interval: (29.0, 31.0),
            samples: "{}".to_owned(),
            ended: at(50),
        }],
    }
}

#[track_caller]
fn check(answer: &Value, new: bool, added: u64, finals: u64) {
    let told = [&answer["new"], &answer["added"], &answer["finals"]];
    assert_eq!(told, [&json!(new), &json!(added), &json!(finals)]);
    assert_eq!(
        [&answer["replaced"], &answer["parted"]],
        [&json!(0), &json!(null)]
    );
}

pub(crate) async fn databases_are_imported_once(place: Place) {
    let service = Service::start_at(&place).await;
    service.check(ASK, 200, "").await;
    let portion = portion();
    let (status, answer) = post(&service, &format!("{IMPORTS}?dry_run=true"), &portion).await;
    assert_eq!(status, 200, "{answer}");
    check(&answer, true, 2, 1);
    let (_, trials) = get(&service, "/api/v1/trials").await;
    assert_eq!(trials["trials"], json!([]));

    let (status, answer) = post(&service, IMPORTS, &portion).await;
    assert_eq!(status, 200, "{answer}");
    check(&answer, true, 2, 1);
    let study = StudyId(answer["study"].as_i64().unwrap());
    let (status, again) = post(&service, &format!("{IMPORTS}?dry_run=false"), &portion).await;
    assert_eq!((status, &again["study"]), (200, &answer["study"]));
    check(&again, false, 0, 0);

    // The answer has the imported value, to the last bit.
    let time = serde_json::to_string(&(0.1 + 0.2)).unwrap();
    service.soon(ASK, &format!("\"time_us\":{time},")).await;
    let found = service.store.find_study(study).await.unwrap().rows;
    assert_eq!(found[0].key(), portion.key);
    assert_eq!(found[0].last_opened, portion.last_opened);
    let held = service.store.finals(&[study]).await.unwrap().rows;
    assert_eq!(held[0].finals, portion.finals[0]);
}

pub(crate) async fn running_studies_accept_no_import(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    // Its director is at work when an agent gets a lease.
    let first = lease(&service, 8).await;
    assert!(first.is_some());
    let found = service.store.find_study(StudyId(id)).await.unwrap().rows;
    let given = Portion {
        key: found[0].key(),
        ..portion()
    };
    let (status, problem) = post(&service, IMPORTS, &given).await;
    assert_eq!(
        (status, &problem["type"]),
        (409, &json!("/problems/wrong-state"))
    );
    let detail = problem["detail"].as_str().unwrap();
    let begin = format!("a process works on study {id}; ");
    assert!(detail.starts_with(&begin), "{detail}");
    work(&service).await;
    let (_, study) = get(&service, &format!("/api/v1/studies/{id}")).await;
    assert_eq!(study["state"], "done", "{study}");
}

pub(crate) async fn invalid_portions_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    let refused = async |target: &str, body: &Value, status: u16, kind: &str, part: &str| {
        let (answered, problem) = post(&service, target, body).await;
        assert_eq!(answered, status, "{problem}");
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{detail}");
    };
    let whole = serde_json::to_value(portion()).unwrap();
    let changed = |change: fn(&mut Value)| {
        let mut body = whole.clone();
        change(&mut body);
        body
    };
    let kind = "invalid-body";
    for (body, part) in [
        (json!({}), "missing field"),
        (changed(|it| it["more"] = json!(1)), "unknown field `more`"),
        (
            changed(|it| it["key"]["more"] = json!(1)),
            "unknown field `more`",
        ),
        (
            changed(|it| it["key"]["problem"] = json!("argmax")),
            "problem",
        ),
        (
            changed(|it| it["key"]["provenance"]["target"] = json!("gfx1")),
            "gfx1",
        ),
        (
            changed(|it| it["key"]["provenance"]["generator"] = json!("x")),
            "generator",
        ),
        (
            changed(|it| it["key"]["provenance"]["device"] = json!("")),
            "is empty",
        ),
        (
            changed(|it| it["key"]["space"] = json!("a\0b")),
            "has a NUL",
        ),
        (changed(|it| it["key"]["seed"] = json!(-1)), "seed"),
        (
            changed(|it| it["bound_us"] = json!(-1.0)),
            "is not a possible lower bound",
        ),
        (
            changed(|it| it["trials"][1]["ordinal"] = json!(0)),
            "trial 0 occurs twice",
        ),
        (
            changed(|it| it["trials"][1]["ordinal"] = json!(1u64 << 32)),
            "ordinal",
        ),
        (
            changed(|it| it["trials"][1]["configuration"] = json!({})),
            "configuration",
        ),
        (
            changed(|it| it["trials"][1]["outcome"]["Right"]["time_us"] = json!(0.0)),
            "is not a possible kernel time",
        ),
        (
            changed(|it| it["last_opened"]["secs_since_epoch"] = json!(u64::MAX)),
            "last_opened",
        ),
        (
            changed(|it| it["last_opened"]["secs_since_epoch"] = json!(1u64 << 40)),
            "after the year 9999",
        ),
        (
            changed(|it| it["finals"][0]["winner"] = json!(5)),
            "trial 5 won finals",
        ),
    ] {
        refused(IMPORTS, &body, 422, kind, part).await;
    }
    let dry = format!("{IMPORTS}?dry_run=maybe");
    refused(&dry, &whole, 400, "invalid-value", "one of false, true").await;
    let other = format!("{IMPORTS}?dry=true");
    refused(&other, &whole, 400, "unknown-parameter", "one of dry_run").await;
    // Neither text that is not JSON, nor a body beyond the limit.
    let (head, _) = service
        .post(IMPORTS, "application/json", "SQLite format 3\0")
        .await;
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    let (head, _) = service.post(IMPORTS, "application/vnd.sqlite3", "{}").await;
    assert!(head.starts_with("HTTP/1.1 415 "), "{head}");
    let large = "1".repeat((1 << 20) + 1);
    let (head, _) = service.post(IMPORTS, "application/json", &large).await;
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    let (_, trials) = get(&service, "/api/v1/trials").await;
    assert_eq!(trials["trials"], json!([]));
}
