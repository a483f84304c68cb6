//! Invalid requests are refused like others: with a problem, its ID, and the common headers.

use crate::http::service::Service;

/// Checks the answer to bytes that are no request.
async fn check(service: &Service, bytes: &[u8], status: u16, kind: &str) {
    let sent = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    let answer = service.send(bytes, false).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let begins = format!("HTTP/1.1 {status} ");
    assert!(head.starts_with(&begins), "{sent}: {answer}");
    for part in [
        "content-type: application/problem+json",
        "content-security-policy: default-src 'none'; ",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "cache-control: no-store",
        "connection: close",
        "x-request-id: ",
        &format!("content-length: {}", body.len()),
    ] {
        assert!(head.contains(part), "{sent}: {part}: {head}");
    }
    let problem: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["type"], format!("/problems/{kind}"), "{sent}");
    assert_eq!(problem["status"], status, "{sent}");
}

#[test]
async fn malformed_requests_are_answered_with_a_problem() {
    let service = Service::start().await;
    for bytes in [
        "nonsense\r\n\r\n",
        "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    ] {
        check(&service, bytes.as_bytes(), 400, "malformed-request").await;
    }
    let long = format!(
        "GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "a".repeat(20_000)
    );
    check(&service, long.as_bytes(), 431, "head-too-large").await;
    let many = "X-A: b\r\n".repeat(101);
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n");
    check(&service, many.as_bytes(), 431, "head-too-large").await;
    // The refusals are counted, and come after earlier requests.
    let counted = "wavetune_http_requests_total{route=\"none\",method=\"other\",status=\"4xx\"} 7";
    service.check("/metrics", 200, counted).await;
    let behind = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n";
    let both = service.send(behind, false).await;
    assert!(
        both.starts_with("HTTP/1.1 200 ") && both.contains("ok\nHTTP/1.1 400 "),
        "{both}"
    );
    assert!(both.contains("/problems/malformed-request"), "{both}");
}
