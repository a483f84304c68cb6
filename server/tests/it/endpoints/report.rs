//! Reports: the findings of a study, for programs and for people.

use serde_json::json;

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, get, lease, submit, work};

pub(crate) async fn a_study_that_is_done_has_a_report(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    let address = format!("/api/v1/studies/{id}/report");
    let (status, problem) = get(&service, &address).await;
    assert_eq!(
        (status, &problem["type"]),
        (409, &json!("/problems/wrong-state"))
    );
    work(&service).await;
    let (status, report) = get(&service, &address).await;
    assert_eq!(status, 200, "{report}");
    assert_eq!(report["problem"], PROBLEM);
    let trials = &report["trials"];
    let [right, timed] = ["right", "timed"].map(|it| trials[it].as_u64().unwrap_or_default());
    assert_eq!(right + timed, 30);
    let counted = json!({
        "total": 30, "right": right, "tie": 0, "wrong": 0, "failed": 0, "timed": timed, "resumed": 0,
    });
    assert_eq!(*trials, counted);
    let asked = format!("/api/v1/configurations?problem={PROBLEM}&target=gfx942");
    let time = report["best"]["time_us"].to_string();
    service.soon(&asked, &format!("\"time_us\":{time},")).await;
    let for_people = "Host: localhost\r\nAccept: text/plain";
    let (head, text) = service.get_with(&address, for_people).await;
    assert!(head.contains("content-type: text/plain"), "{head}");
    let begin = format!("{PROBLEM} on emulated:mi300x, native kernels, 30 trials of");
    assert!(text.starts_with(&begin), "{text}");
    assert!(text.ends_with(&format!("kept as study {id}\n")), "{text}");
    let missing = "/api/v1/studies/99/report";
    let unknown = "unknown-study";
    service
        .check_error(missing, 404, unknown, json!([null, null]))
        .await;
    let wrong = "/api/v1/studies/x/report";
    service
        .check_error(wrong, 400, "invalid-value", json!(["id", null]))
        .await;
}
