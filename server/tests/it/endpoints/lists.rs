//! Lists: wishes, devices and problems, a page at a time.

use serde_json::{Value, json};

use crate::endpoints::place::Place;
use crate::endpoints::service::{Service, devices};
use crate::endpoints::support::{key, right, trial};
use store::TrialOutcome;

const JSON: &str = "application/json";
const DISMISS: &str = "/api/v1/wishes:dismiss";

/// Returns the body of a successful answer.
async fn ask(service: &Service, target: &str) -> Value {
    let (head, body) = service.get(target).await;
    assert!(
        head.starts_with("HTTP/1.1 200 "),
        "{target}: {head}\n{body}"
    );
    serde_json::from_str(&body).unwrap()
}

/// Returns one field of all rows of a list that is read in pages of this length.
async fn rows(service: &Service, target: &str, limit: usize, name: &str) -> Vec<String> {
    let list = target
        .rsplit('/')
        .next()
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let separator = if target.contains('?') { '&' } else { '?' };
    let mut rows = Vec::new();
    let mut next = String::new();
    loop {
        let part = ask(service, &format!("{target}{separator}limit={limit}{next}")).await;
        let part_rows = part[list].as_array().unwrap();
        assert!(part_rows.len() <= limit && rows.len() < 100, "{rows:?}");
        rows.extend(
            part_rows
                .iter()
                .map(|row| row[name].as_str().unwrap().to_owned()),
        );
        match part["next"].as_str() {
            None => return rows,
            Some(cursor) => {
                assert_eq!(part_rows.len(), limit);
                let cursor = cursor.replace('[', "%5B").replace(']', "%5D");
                next = format!("&cursor={cursor}");
            }
        }
    }
}

/// Asks for a problem several times, so that it becomes a wish.
async fn wish(service: &Service, problem: &str, times: usize) {
    for _ in 0..times {
        let ask = format!("/api/v1/configurations?problem={problem}&target=gfx942");
        let headers = "Host: localhost\r\nWavetune-Wish: yes";
        let (_, body) = service.get_with(&ask, headers).await;
        assert!(body.contains("\"wished\":true"), "{body}");
    }
}

pub(crate) async fn wishes_are_listed_and_dismissed(place: Place) {
    let service = Service::start_at(&place).await;
    let of = |n: usize| format!("argmax:{n}x[8]xf32:i32");
    for n in 1..=5 {
        wish(&service, &of(n), 6 - n).await;
    }
    service.store.flush_wishes().await.unwrap();
    for limit in [1, 2, 5, 100] {
        let listed = rows(&service, "/api/v1/wishes", limit, "problem").await;
        assert_eq!(listed, [1, 2, 3, 4, 5].map(of), "{limit}");
    }
    let first = &ask(&service, "/api/v1/wishes?limit=1").await["wishes"][0];
    assert_eq!(
        [&first["count"], &first["target"]],
        [&json!(5), &json!("gfx942")]
    );

    // A fulfilled wish is not listed, and stays in the database: a question changes nothing.
    let mut fulfilled = key();
    fulfilled.problem = of(2).parse().unwrap();
    service.record(&fulfilled, &[trial(0, 1, right(8.0))]).await;
    let listed = rows(&service, "/api/v1/wishes", 1, "problem").await;
    assert_eq!(listed, [1, 3, 4, 5].map(of));
    assert_eq!(service.store.wishes().await.unwrap().rows.len(), 5);

    // A buffered wish can be dismissed, too.
    wish(&service, &of(6), 1).await;
    for problem in [of(1), of(6), of(6)] {
        let body = json!({"problem": problem, "target": "gfx942"}).to_string();
        let (head, body) = service.post(DISMISS, JSON, &body).await;
        assert!(head.starts_with("HTTP/1.1 204 "), "{head}\n{body}");
    }
    service.store.flush_wishes().await.unwrap();
    let listed = rows(&service, "/api/v1/wishes", 100, "problem").await;
    assert_eq!(listed, [3, 4, 5].map(of));
    // A wish with a device is another wish.
    let other = json!({"problem": of(3), "target": "gfx942", "device": "hip:0"}).to_string();
    service.post(DISMISS, JSON, &other).await;
    assert_eq!(
        rows(&service, "/api/v1/wishes", 9, "problem").await.len(),
        3
    );
}

pub(crate) async fn invalid_cursors_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    for (target, parameter) in [
        ("/api/v1/wishes?limit=0", "limit"),
        ("/api/v1/wishes?limit=1001", "limit"),
        ("/api/v1/wishes?limit=-1", "limit"),
        ("/api/v1/wishes?cursor=", "cursor"),
        ("/api/v1/wishes?cursor=1-2", "cursor"),
        ("/api/v1/wishes?cursor=1-x-0123456789abcdef", "cursor"),
        ("/api/v1/problems?limit=x", "limit"),
        ("/api/v1/problems?target=gfx000", "target"),
        ("/api/v1/problems?element=f33", "element"),
        ("/api/v1/problems?generator=x", "generator"),
    ] {
        let place = json!([parameter, null]);
        service
            .check_error(target, 400, "invalid-value", place)
            .await;
    }
    let question = json!({"problem": "argmax:[0]xf32", "target": "gfx942"});
    for (body, status, kind) in [
        (question.to_string(), 400, "invalid-problem"),
        ("{}".to_owned(), 422, "invalid-body"),
        (
            r#"{"problem":"","target":"","x":1}"#.to_owned(),
            422,
            "invalid-body",
        ),
    ] {
        let (head, told) = service.post(DISMISS, JSON, &body).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{head}\n{told}"
        );
        assert!(told.contains(kind), "{told}");
    }
}

pub(crate) async fn devices_are_those_that_the_service_was_told(place: Place) {
    let service = Service::start_at(&place).await;
    let (head, body) = service.get("/api/v1/devices").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(body, answers::line(&devices()) + "\n");
    let place = json!(["x", null]);
    let target = "/api/v1/devices?x=1";
    service
        .check_error(target, 400, "unknown-parameter", place)
        .await;
}

pub(crate) async fn problems_are_listed_by_what_they_are_and_where_they_were_tried(place: Place) {
    let service = Service::start_at(&place).await;
    let list = "/api/v1/problems";
    service.soon(list, "\"problems\":[]").await;
    let mut problems = Vec::new();
    for n in 1..=4 {
        for element in ["f32", "i8"] {
            let mut key = key();
            key.problem = format!("argmax:{n}x[8]x{element}").parse().unwrap();
            problems.push(key.problem.to_string());
            service.record(&key, &[trial(0, 1, right(8.0))]).await;
        }
    }
    // A problem whose trials all failed is known, too.
    let mut other = key();
    other.problem = "argmin:[7]xi32".parse().unwrap();
    other.provenance.device = "hip:0".to_owned();
    let study = service.store.open_study(&other, None).await.unwrap();
    let wrong = trial(0, 1, TrialOutcome::Wrong("row 0".to_owned()));
    service.store.record_trial(&study, &wrong).await.unwrap();
    service.soon(list, "argmin").await;
    problems.push(other.problem.to_string());
    problems.sort();
    for limit in [1, 2, 3, 9, 100] {
        assert_eq!(rows(&service, list, limit, "problem").await, problems);
    }
    for (filter, count) in [
        ("target=gfx942", 9),
        ("target=gfx1100", 0),
        ("device=hip:0", 1),
        ("device=emulated:mi300x", 8),
        ("device=hip:0&element=i8", 0),
        ("element=i8", 4),
        ("operation=arg_compare", 9),
        ("operation=sum", 0),
        ("generator=native", 9),
        ("generator=iree", 0),
    ] {
        let listed = rows(&service, &format!("{list}?{filter}"), 3, "problem").await;
        assert_eq!(listed.len(), count, "{filter}: {listed:?}");
    }
    let listed = ask(&service, "/api/v1/problems?device=hip:0").await;
    let expected = json!([{
        "problem": "argmin:[7]xi32:i32",
        "operation": "arg_compare",
        "element": "i32",
        "tried": [{"target": "gfx942", "device": "hip:0", "generator": "native"}],
    }]);
    assert_eq!(listed["problems"], expected);
    // A cursor that is no problem is a position in the list, too.
    assert_eq!(
        ask(&service, "/api/v1/problems?cursor=zzz").await["problems"],
        json!([])
    );
}
