use axum::body::Body;
use axum::http::StatusCode;

use super::*;
use testing::CapturedLog;

/// The log also has the request of a client that has gone.
#[test]
fn a_request_that_is_dropped_is_told() {
    let (log, _hears) = CapturedLog::capture();
    let request = Request::builder().uri("/healthz\u{e9}").body(Body::empty());
    let id = HeaderValue::from_static("abc.7");
    drop(LoggedRequest::new(&id, &request.unwrap()));
    let lines = log.lines("");
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = "INFO request{id=\"abc.7\"}: server::request_log: unanswered: the client disconnected method=\"GET\" path=\"/healthz";
    assert!(lines[0].starts_with(line), "{lines:?}");
}

/// Checks the IDs of requests with these headers.
#[track_caller]
fn check(given: &[&[u8]], expected: Option<&str>) {
    let ids = RequestIds::new();
    let mut headers = HeaderMap::new();
    for id in given {
        headers.append(REQUEST_ID, HeaderValue::from_bytes(id).unwrap());
    }
    let found = [ids.next(&headers), ids.next(&headers)].map(|id| id.to_str().unwrap().to_owned());
    match expected {
        Some(id) => assert_eq!(found, [id, id]),
        None => {
            let parts = found.each_ref().map(|id| id.split_once('-').unwrap());
            assert_eq!(parts.map(|part| part.1), ["1", "2"]);
            assert!(
                parts[0].0 == parts[1].0 && parts[0].0.len() == 8,
                "{found:?}"
            );
        }
    }
}

#[test]
fn an_id_is_a_name_or_made() {
    check(&[b"a"], Some("a"));
    check(&[b"A.b_c-9"], Some("A.b_c-9"));
    check(&[&[b'x'; 64]], Some(&"x".repeat(64)));
    check(&[], None);
    check(&[b""], None);
    check(&[&[b'x'; 65]], None);
    check(&[b"a b"], None);
    check(&[b"a\"b"], None);
    check(&[b"a\xe9"], None);
    check(&[b"a", b"b"], None);
}

#[test]
fn an_address_is_told_without_tokens() {
    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(without_tokens(path), expected);
    }
    let token = AccessToken::new([0xab; 32]);
    let token = token.reveal();
    for path in ["", "/", "/api/v1/best?device=hip:0", "/wt_cafe", "wt_wt_"] {
        check(path, path);
    }
    check(&format!("/?token={token}"), "/?token=wt_");
    check(&format!("/?token={token}&a=1"), "/?token=wt_&a=1");
    check(&format!("/{token}{token}"), "/wt_wt_");
    check(&token[..40], "wt_");
    check(&token.to_uppercase().replacen("WT", "wt", 1), "wt_");
}

/// An answer with a Retry-After has no cause in the log.
#[test]
fn temporary_answers_are_no_errors() {
    let check = |status: u16, header: Option<&'static str>, expected: bool| {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        if let Some(header) = header {
            (response.headers_mut()).insert(header, HeaderValue::from_static("1"));
        }
        let is_failure = failure(&response).is_some();
        assert_eq!(is_failure, expected, "{status} {header:?}");
    };
    check(200, None, false);
    check(404, None, false);
    check(429, Some("retry-after"), false);
    check(503, Some("retry-after"), false);
    check(503, None, true);
    check(500, None, true);
    check(500, Some("etag"), true);
}
