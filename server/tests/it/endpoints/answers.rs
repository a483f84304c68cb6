//! Answers to questions, and errors.

use lookup::{LookupRequest, Rung};
use serde_json::json;
use store::Clock;

use crate::endpoints::ASK;
use crate::endpoints::archive::tag;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, trial};

pub(crate) async fn an_answer_is_the_bytes_of_lookup(place: Place) {
    let service = Service::start_at(&place).await;
    let mut request = LookupRequest::new(key().problem, key().provenance.target);
    for at_least in Rung::ALL {
        request.at_least = at_least;
        let ask = format!("{ASK}&at_least={}", at_least.name());
        let (head, body) = service.get(&ask).await;
        let answer = lookup::look(&*service.store, &request).await.unwrap();
        let status = match at_least {
            Rung::Predicted | Rung::Default => "HTTP/1.1 200 ",
            _ => "HTTP/1.1 404 ",
        };
        assert!(
            head.starts_with(status) && answer.found().is_none(),
            "{head}"
        );
        assert_eq!(body, answers::line(&answer) + "\n");
        if at_least == Rung::Default {
            assert_eq!(service.get(ASK).await.1, body);
        }
    }

    service
        .record(
            &key(),
            &[default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))],
        )
        .await;
    let (head, body) = service.get(ASK).await;
    let found = lookup::look(&*service.store, &request).await.unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 ") && found.found().is_some(),
        "{head}"
    );
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(body, answers::line(&found) + "\n");

    let escaped = "/api/v1/configurations?problem=argmax%3A4x%5B32000%5Dxf32&target=gfx942";
    assert_eq!(service.get(escaped).await.1, body);
    service
        .check(
            &format!("{ASK}&device=emulated:mi300x&generator=native"),
            200,
            "\"exact\"",
        )
        .await;
    service
        .check(
            &format!("{ASK}&device=hip:0"),
            200,
            "\"answer\":\"sibling\"",
        )
        .await;
    let exact = format!("{ASK}&at_least=exact");
    service
        .check(&format!("{exact}&device=hip:0"), 404, "\"answer\":\"none\"")
        .await;
    service
        .check(
            &format!("{exact}&generator=iree"),
            404,
            "but only on emulated:mi300x by native",
        )
        .await;
    let near = "/api/v1/configurations?problem=argmax:4x%5B30000%5Dxf32&target=gfx942";
    service.check(near, 200, "\"answer\":\"predicted\"").await;
    service.record(&key(), &[trial(2, 1024, right(7.0))]).await;
    service.check(near, 200, "\"answer\":\"neighbour\"").await;
    service
        .check(&format!("{ASK}&at_least=best"), 400, "exact, sibling")
        .await;
}

/// A client with an answer gets 304 until the answer changes.
pub(crate) async fn an_answer_has_a_tag(place: Place) {
    let service = Service::start_at(&place).await;
    service.record(&key(), &[trial(1, 2, right(8.0))]).await;
    let (head, body) = service.get(ASK).await;
    assert!(head.contains("cache-control: no-cache"), "{head}");
    let tag = tag(&head).to_owned();
    let ask = async |tags: &str| {
        let headers = format!("Host: localhost\r\nIf-None-Match: {tags}");
        service.get_with(ASK, &headers).await
    };
    for tags in [&tag, "*", &format!("\"0\", W/{tag}")] {
        let (head, body) = ask(tags).await;
        assert!(head.starts_with("HTTP/1.1 304 "), "{tags}: {head}");
        assert!(head.contains(&format!("etag: {tag}")), "{head}");
        assert_eq!(body, "");
    }
    for tags in ["\"0\"", "", "0, ,", &tag[1..]] {
        assert_eq!(ask(tags).await.1, body, "{tags}");
    }
    service.record(&key(), &[trial(2, 3, right(7.0))]).await;
    let (head, body) = ask(&tag).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(body.contains("\"time_us\":7.0"), "{body}");
    // An answer without a configuration has no entity tag.
    let (head, _) = service
        .get(&format!("{ASK}&device=hip:0&at_least=exact"))
        .await;
    assert!(head.contains("cache-control: no-store"), "{head}");
}

pub(crate) async fn errors_say_where(place: Place) {
    let service = Service::start_at(&place).await;
    let configurations = "/api/v1/configurations";
    for (query, code, place) in [
        (
            "",
            "missing-parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?",
            "missing-parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?target=gfx942",
            "missing-parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?problem=argmax:[4]xf32",
            "missing-parameter",
            serde_json::json!(["target", null]),
        ),
        (
            "?problem=argmax:4x[0]xf32&target=gfx942",
            "invalid-problem",
            serde_json::json!(["problem", 10]),
        ),
        (
            "?problem=&target=gfx942",
            "invalid-problem",
            serde_json::json!(["problem", 0]),
        ),
        (
            "?problem=argmax:4x[8]xf32%20&target=gfx942",
            "invalid-problem",
            serde_json::json!(["problem", 16]),
        ),
        (
            "?problem=%00%FF%F0&target=gfx942",
            "invalid-problem",
            serde_json::json!(["problem", 0]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx000",
            "invalid-value",
            serde_json::json!(["target", null]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx942&generator=x",
            "invalid-value",
            serde_json::json!(["generator", null]),
        ),
        (
            "?problem=a&problem=b&target=gfx942",
            "repeated-parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx942&%3Cb%3E=1",
            "unknown-parameter",
            serde_json::json!(["<b>", null]),
        ),
    ] {
        service
            .check_error(&format!("{configurations}{query}"), 400, code, place)
            .await;
    }
    let none = || serde_json::json!([null, null]);
    service
        .check_error(
            "/api/v1/best?x=1",
            400,
            "unknown-parameter",
            serde_json::json!(["x", null]),
        )
        .await;
    service
        .check_error("/api/v1/nothing", 404, "not-found", none())
        .await;
    service
        .check_error("/../../etc/passwd", 404, "not-found", none())
        .await;
    let post = b"POST /api/v1/best HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
    let answer = service.send(post, false).await;
    assert!(
        answer.starts_with("HTTP/1.1 405 ") && answer.contains("/problems/method-not-allowed"),
        "{answer}"
    );
    assert!(answer.contains("allow: GET,HEAD"), "{answer}");
}

pub(crate) async fn the_best_keeps_clocks_apart(place: Place) {
    let service = Service::start_at(&place).await;
    service
        .check("/api/v1/best", 200, r#"{"measured":[],"modelled":[]}"#)
        .await;
    let mut measured = key();
    measured.provenance.clock = Clock::Measured;
    measured.provenance.device = "hip:0".to_owned();
    let trials = [default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))];
    service.record(&key(), &trials).await;
    service.record(&measured, &trials[1..]).await;

    let (_, json) = service.get("/api/v1/best").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (clock, device, speedup, default) in [
        ("measured", "hip:0", json!(null), json!(null)),
        ("modelled", "emulated:mi300x", json!(7.625), json!(61.0)),
    ] {
        let rows = json[clock].as_array().unwrap();
        assert_eq!(rows.len(), 1, "{json}");
        assert_eq!(rows[0]["clock"], clock, "{json}");
        assert_eq!(rows[0]["device"], device, "{json}");
        assert_eq!(rows[0]["time_us"], 8.0, "{json}");
        assert_eq!(rows[0]["speedup"], speedup, "{json}");
        assert_eq!(rows[0]["default_time_us"], default, "{json}");
        assert_eq!(rows[0]["provenance"]["samples"], 3, "{json}");
    }
}
