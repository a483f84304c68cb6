//! Traces: the messages to a collector. The test only searches them for their texts.

use crate::support::running;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use running::{Running, answer, wavetune};

/// The address of a collector's request, and its body.
type Message = (String, Vec<u8>);

/// Starts a collector. Returns its address, and the first `messages` requests to it.
fn collector(messages: usize) -> (String, JoinHandle<Vec<Message>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = std::thread::spawn(move || {
        let one = |_| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            let head = String::from_utf8(head).unwrap();
            let length = |line: &str| {
                let (name, value) = line.split_once(": ")?;
                (name.eq_ignore_ascii_case("content-length")).then(|| value.parse().unwrap())
            };
            let mut body = vec![0; head.lines().find_map(length).unwrap()];
            stream.read_exact(&mut body).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(answer).unwrap();
            (head.lines().next().unwrap().to_owned(), body)
        };
        (0..messages).map(one).collect()
    });
    (address, heard)
}

fn has(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Checks that the service sends its spans before it ends.
#[test]
fn a_collector_hears_of_requests() {
    let directory = tempfile::tempdir().unwrap();
    let (address, heard) = collector(1);
    let mut command = wavetune(directory.path().join("test.db"));
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"))
        .env("OTEL_BSP_SCHEDULE_DELAY", "600000");
    let service = Running::service(command, "127.0.0.1:0").unwrap();
    let ask = |head| answer(service.address(), head, "").unwrap();
    assert!(ask("GET /healthz").starts_with("HTTP/1.1 200"));
    assert!(ask("GET /api/v1/studies/7?token=secret").starts_with("HTTP/1.1 404"));
    assert_eq!(service.end().unwrap(), Some(0));
    let heard = heard.join().unwrap();
    let (asked, body) = &heard[0];
    assert_eq!(asked, "POST /v1/traces HTTP/1.1");
    for told in [
        "wavetune",
        "GET /healthz",
        "GET /api/v1/studies/{id}",
        "http.response.status_code",
    ] {
        assert!(has(body, told), "{told}");
    }
}

/// Checks that an unreachable collector disturbs nothing.
#[test]
fn a_collector_may_be_gone() {
    let directory = tempfile::tempdir().unwrap();
    let (address, heard) = collector(0);
    heard.join().unwrap();
    let mut command = wavetune(directory.path().join("test.db"));
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"))
        .env("OTEL_SERVICE_NAME", "rack-7");
    let service = Running::service(command, "127.0.0.1:0").unwrap();
    let answer = answer(service.address(), "GET /healthz", "").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"));
    assert_eq!(service.end().unwrap(), Some(0));
}
