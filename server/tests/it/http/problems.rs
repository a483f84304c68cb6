//! Errors of the service, also those that no handler creates.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http::faulty::Faulty;
use crate::http::service::Service;

/// The type of a problem is the address of the page that explains it.
#[test]
async fn a_kind_has_a_page() {
    let service = Service::start().await;
    for (target, name) in [
        ("/nothing", "not-found"),
        ("/api/v1/best?x=1", "unknown-parameter"),
        ("/api/v1/configurations:batch", "method-not-allowed"),
    ] {
        let (_, body) = service.get(target).await;
        let problem: serde_json::Value = serde_json::from_str(&body).unwrap();
        let page = problem["type"].as_str().unwrap();
        assert_eq!(page, format!("/problems/{name}"));
        let title = problem["title"].as_str().unwrap().replace('\'', "&#39;");
        service.check(page, 200, &format!("<h2>{title} ")).await;
    }
    for target in ["/problems/none", "/problems/%FF", "/problems/"] {
        let place = json!([null, null]);
        service.check_error(target, 404, "not-found", place).await;
    }
}

#[test]
async fn a_panic_is_an_answer_and_its_cause_is_in_the_log() {
    let service = Service::start_with(|_| Arc::new(Faulty::Panics)).await;
    let (head, body) = service
        .get_with("/readyz", "Host: localhost\r\nX-Request-Id: mine.1")
        .await;
    assert!(head.starts_with("HTTP/1.1 500 "), "{head}");
    assert!(head.contains("x-request-id: mine.1"), "{head}");
    assert!(body.contains("/problems/fault\""), "{body}");
    assert!(!body.contains("secret"), "{body}");
    let failures = service.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    for part in [
        "request{id=\"mine.1\"}: ",
        "cause=\"a handler panicked: a secret of the service\"",
    ] {
        assert!(failures[0].contains(part), "{failures:?}");
    }
    service.check("/healthz", 200, "ok").await;
}

#[test]
async fn an_answer_has_a_time_limit() {
    let service = Service::start_with(|_| Arc::new(Faulty::Hangs)).await;
    let begin = Instant::now();
    service.check("/readyz", 503, "\"limit\":10").await;
    assert!(begin.elapsed() >= Duration::from_secs(10));
    let failures = service.failures();
    assert!(
        failures[0].contains("no answer within 10 s"),
        "{failures:?}"
    );
}

/// Returns the head of a request with a body.
fn head(length: &str) -> String {
    format!(
        "POST /api/v1/configurations:batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         {length}\r\nConnection: close\r\n\r\n"
    )
}

/// Reads an answer until the connection ends.
async fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok();
    String::from_utf8_lossy(&answer).into_owned()
}

/// A body with a large `Content-Length` is refused before it is read, at any address; another
/// large body is refused while it is read.
#[test]
async fn a_body_of_a_gigabyte() {
    let service = Service::start().await;
    let length = format!("Content-Length: {}", 1 << 30);
    for request in [
        head(&length),
        head(&length).replace("POST /api/v1/configurations:batch", "GET /healthz"),
    ] {
        // A service that waited for the body would answer 408.
        let answer = service.send(request.as_bytes(), false).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("\"limit\":1048576"), "{answer}");
    }
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let chunked = head("Transfer-Encoding: chunked");
    stream.write_all(chunked.as_bytes()).await.unwrap();
    let chunk = [b"10000\r\n", &[b' '; 1 << 16][..], b"\r\n"].concat();
    let mut sent = 0;
    // Until the service closes the connection.
    for _ in 0..1 << 14 {
        if stream.write_all(&chunk).await.is_err() {
            break;
        }
        sent += chunk.len();
    }
    assert!(sent < 1 << 28, "{sent} bytes were taken");
    service.check("/healthz", 200, "ok").await;
}

#[test]
async fn a_body_has_to_come_in_time() {
    let service = Service::start().await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    stream
        .write_all(head("Content-Length: 100").as_bytes())
        .await
        .unwrap();
    let (mut read, mut write) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while write.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    let mut answer = Vec::new();
    read.read_to_end(&mut answer).await.ok();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    // The time limit of an answer would be a 503.
    assert!(answer.contains("/problems/slow-body"), "{answer}");
    dripping.abort();
}

/// A refused body does not become the next request.
#[test]
async fn a_refused_body_is_no_request() {
    let service = Service::start().await;
    let body = "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let length = format!("Content-Length: {}", body.len());
    let request = head(&length).replace("application/json", "text/plain") + body;
    let stream = TcpStream::connect(service.address).await.unwrap();
    let (read, mut write) = stream.into_split();
    write.write_all(request.as_bytes()).await.unwrap();
    let told = answer(read.reunite(write).unwrap()).await;
    assert_eq!(told.matches("HTTP/1.1 ").count(), 1, "{told}");
    assert!(told.starts_with("HTTP/1.1 415 "), "{told}");
}

#[test]
async fn a_request_has_an_id() {
    let service = Service::start().await;
    let ask = async |id: &str| {
        let headers = format!("Host: localhost\r\nX-Request-Id: {id}");
        let (head, _) = service.get_with("/nothing", &headers).await;
        let id = head
            .lines()
            .find_map(|line| line.strip_prefix("x-request-id: "));
        id.unwrap().to_owned()
    };
    assert_eq!(ask("abc-7").await, "abc-7");
    let made = ask("a b").await;
    assert!(made.ends_with("-2"), "{made}");
    // A refused request has an ID, too.
    let (head, _) = service.get_with("/healthz", "Host: evil.example").await;
    assert!(head.contains(&made.replace("-2", "-3")), "{head}");
    let lines = service.log.lines("server::request_log:");
    for (line, id) in lines.iter().zip(["abc-7", &made]) {
        assert!(
            line.contains(&format!("request{{id=\"{id}\"}}: ")),
            "{line}"
        );
    }
}
