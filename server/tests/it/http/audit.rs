//! The audit log, and that no log has a token.

use std::time::Duration;

use serde_json::json;
use store::{AccessToken, Portion};

use crate::http::service::{Service, bearer};
use crate::http::support::{at, key, right, trial};

const HOUR: Duration = Duration::from_secs(3600);

/// Sends a POST with a token and JSON.
async fn post(service: &Service, path: &str, token: &AccessToken, body: &str) -> (String, String) {
    let headers = format!(
        "Host: localhost\r\nContent-Type: application/json\r\n{}",
        bearer(token)
    );
    service.ask("POST", path, &headers, body).await
}

/// Checks the lines of the audit log that contain this.
#[track_caller]
fn check(service: &Service, parts: &[&str]) {
    let lines = service.log.lines(" audit: ");
    let found = |line: &&String| parts.iter().all(|part| line.contains(part));
    assert_eq!(
        lines.iter().filter(found).count(),
        1,
        "{parts:?}: {lines:#?}"
    );
}

#[test]
async fn changes_are_audited() {
    let service = Service::start_guarded().await;
    let (token, grant) = service.give("submit admin", HOUR).await;
    let who = format!("token={} name=\"ann\" address=127.0.0.1:", grant.id.0);
    let dismissal = r#"{"problem": "argmax:[8]xf32", "target": "gfx942"}"#;
    let (head, _) = post(&service, "/api/v1/wishes:dismiss", &token, dismissal).await;
    assert!(head.starts_with("HTTP/1.1 204 "), "{head}");
    let done = [
        "done",
        &who,
        "operation=\"POST /api/v1/wishes:dismiss\"",
        "status=204",
        "request{id=\"",
    ];
    check(&service, &done);
    post(&service, "/api/v1/studies/17/cancel", &token, "{}").await;
    let not_done = [
        "not done",
        &who,
        "operation=\"POST /api/v1/studies/{id}/cancel\"",
        "path=\"/api/v1/studies/17/cancel\"",
        "status=404",
    ];
    check(&service, &not_done);
    post(&service, "/api/v1/studies/17/requeue", &token, "{}").await;
    let again = "operation=\"POST /api/v1/studies/{id}/requeue\"";
    check(&service, &["not done", &who, again, "status=404"]);
    let headers = format!("Host: localhost\r\n{}", bearer(&token));
    let target = "/api/v1/studies/17";
    service.ask("DELETE", target, &headers, "").await;
    let delete = "operation=\"DELETE /api/v1/studies/{id}\"";
    check(&service, &["not done", &who, delete, "status=404"]);
    let portion = Portion {
        key: key(),
        bound_us: None,
        first_opened: at(0),
        last_opened: at(0),
        trials: vec![trial(0, 1, right(4.0))],
        finals: Vec::new(),
    };
    let portion = serde_json::to_string(&portion).unwrap();
    post(&service, "/api/v1/imports", &token, &portion).await;
    let import = "operation=\"POST /api/v1/imports\"";
    check(
        &service,
        &["done", &who, import, "studies=\"1\"", "status=200"],
    );
    post(&service, "/api/v1/leases", &token, "{}").await;
    let not_let_in = [
        "not let in",
        &who,
        "operation=\"POST /api/v1/leases\"",
        "status=403",
    ];
    check(&service, &not_let_in);
    // A refused read is logged.
    let shows = format!("Host: localhost\r\n{}", bearer(&token));
    service.get_with("/api/v1/best", &shows).await;
    let reads = "operation=\"GET /api/v1/best\"";
    check(&service, &["not let in", &who, reads, "status=403"]);
    let (reader, _) = service.give("read agent", HOUR).await;
    let shows = format!("Host: localhost\r\n{}", bearer(&reader));
    service.get_with("/api/v1/best", &shows).await;
    check(&service, &[reads]);
    // An empty long poll of an agent is not logged: each agent sends them without end.
    let offer = json!({ "provenance": key().provenance, "device": "mi300x", "batch": 1 });
    let ask = json!({ "agent": "rack-7", "offers": [offer], "wait_s": 0 }).to_string();
    let (head, body) = post(&service, "/api/v1/leases", &reader, &ask).await;
    assert!(head.starts_with("HTTP/1.1 204 "), "{head}\n{body}");
    check(&service, &["operation=\"POST /api/v1/leases\""]);
    assert!(service.log.lines("answered").len() > 3);
}

/// No log line and no answer has the token of a request, whatever its end.
#[test]
async fn tokens_are_in_no_log_and_in_no_answer() {
    let service = Service::start_guarded().await;
    let (good, _) = service.give("submit", HOUR).await;
    let (expired, _) = service.give("submit", Duration::ZERO).await;
    let unknown = AccessToken::new([77; 32]);
    let mut answers = String::new();
    for token in [&good, &expired, &unknown] {
        let text = token.reveal();
        let (head, body) = post(&service, "/api/v1/studies", token, "{}").await;
        answers.push_str(&(head + &body));
        let (head, body) = post(&service, "/api/v1/leases", token, "{}").await;
        answers.push_str(&(head + &body));
        // Tokens in wrong places.
        for (target, headers) in [
            (format!("/api/v1/best?token={text}"), String::new()),
            (format!("/api/v1/best?{text}=1"), String::new()),
            (format!("/{text}"), String::new()),
            (
                "/api/v1/best".to_owned(),
                format!("\r\nX-Request-Id: {text}"),
            ),
            (
                "/api/v1/best".to_owned(),
                format!("\r\nAuthorization: {text}"),
            ),
            (
                "/api/v1/best".to_owned(),
                format!("\r\nAuthorization: Bearer {text}0"),
            ),
        ] {
            let headers = format!("Host: localhost{headers}");
            let (head, body) = service.get_with(&target, &headers).await;
            answers.push_str(&(head + &body));
        }
    }
    // Enough digits to find a token, and only a part of it.
    for token in [&good, &expired, &unknown] {
        let part = &token.reveal()[3..19];
        assert_eq!(service.log.lines(part), Vec::<String>::new());
        assert!(!answers.contains(part), "{answers}");
    }
    let lines = service.log.lines("request{");
    assert!(lines.len() > 20, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("wt_")), "{lines:?}");
}
