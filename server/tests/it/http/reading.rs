//! Clients that do not read their answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use server::Limits;

use crate::http::faulty::Faulty;
use crate::http::service::{Service, limits};
use crate::http::support::key;

/// Opens a connection with small buffers, so that unread bytes soon block the service.
async fn narrow(service: &Service) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(service.address).await.unwrap()
}

const PAGE: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Most connections of the services here.
const ROOM: usize = 256;

/// Starts a service with this limit.
async fn small() -> Service {
    let limits = Limits {
        connections: ROOM,
        ..limits()
    };
    Service::start_limited(limits, false, |catalogue| catalogue).await
}

/// As many clients as connections send requests and never read; then the service has room for
/// others again.
#[test(threads)]
async fn clients_that_do_not_read_are_left() {
    let service = small().await;
    let mut clients = Vec::new();
    for _ in 0..ROOM {
        let mut client = narrow(&service).await;
        client.write_all(&PAGE.repeat(30)).await.unwrap();
        clients.push(client);
    }
    check_prompt(&service).await;
    drop(clients);
}

/// Checks that another client is answered at once. The promise is 0.1 s; a busy machine takes
/// longer, and less than any timeout of the service.
async fn check_prompt(service: &Service) {
    let begin = Instant::now();
    let limit = Duration::from_secs(3);
    let answered = tokio::time::timeout(limit, service.check("/healthz", 200, "ok")).await;
    assert!(answered.is_ok(), "no answer in {limit:?}");
    println!("answered after {:?}", begin.elapsed());
}

/// Many more silent clients than connections.
#[test(threads)]
async fn clients_that_ask_nothing_are_left() {
    let service = small().await;
    let mut clients = Vec::new();
    for _ in 0..600 {
        clients.push(narrow(&service).await);
    }
    check_prompt(&service).await;
    // Dismissed connections end when their tasks have run.
    let begin = Instant::now();
    while connections(&service).await > ROOM as u32 {
        assert!(begin.elapsed() < Duration::from_secs(5), "they stay");
    }
    drop(clients);
}

/// Returns the number of connections of a service.
async fn connections(service: &Service) -> u32 {
    let metrics = service.get("/metrics").await.1;
    let count = metrics.lines().find_map(|line| {
        let count = line.strip_prefix("wavetune_http_connections ")?;
        count.parse().ok()
    });
    count.unwrap_or_else(|| panic!("{metrics}"))
}

/// More agents wait than other clients could connect; others are answered, and all agents are.
#[test(threads)]
async fn agents_wait_and_take_no_room() {
    let service = Service::start().await;
    let offer = json!({ "provenance": key().provenance, "device": "mi300x", "batch": 1 });
    let mut agents = JoinSet::new();
    for number in 0..600 {
        let ask = json!({ "agent": format!("agent {number}"), "offers": [&offer], "wait_s": 8 })
            .to_string();
        let head =
            "POST /api/v1/leases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
        let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{ask}", ask.len());
        let mut agent = TcpStream::connect(service.address).await.unwrap();
        agents.spawn(async move {
            // The agent repeats the request until the service ends.
            let mut answers = 0;
            while agent.write_all(request.as_bytes()).await.is_ok() {
                let mut answer = Vec::new();
                while !answer.ends_with(b"\r\n\r\n") {
                    match agent.read_u8().await {
                        Ok(byte) => answer.push(byte),
                        Err(_) => return answers,
                    }
                }
                let head = String::from_utf8_lossy(&answer).to_ascii_lowercase();
                // Among so many others a turn may come too late; then the agent repeats the
                // request.
                if head.starts_with("http/1.1 503 ") {
                    let (_, length) = head.split_once("content-length: ").unwrap();
                    let length = length.lines().next().unwrap().parse().unwrap();
                    agent.read_exact(&mut vec![0; length]).await.unwrap();
                    continue;
                }
                assert!(head.starts_with("http/1.1 204 "), "{head}");
                answers += 1;
            }
            answers
        });
    }
    let begin = Instant::now();
    while connections(&service).await <= 600 {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "not all agents wait"
        );
    }
    check_prompt(&service).await;
    service.end().await;
    while let Some(answers) = agents.join_next().await {
        assert!(answers.unwrap() > 0);
    }
}

/// A client with a working handler keeps its connection, however many silent ones come.
#[test(threads)]
async fn a_client_that_is_worked_for_stays() {
    let limits = Limits {
        connections: ROOM,
        ..limits()
    };
    let service = Service::start_limited(limits, false, |_| Arc::new(Faulty::Hangs)).await;
    let mut asks = TcpStream::connect(service.address).await.unwrap();
    let request = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    asks.write_all(request).await.unwrap();
    let mut clients = Vec::new();
    for _ in 0..600 {
        clients.push(narrow(&service).await);
    }
    check_prompt(&service).await;
    let mut answer = String::new();
    asks.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
}

/// Answers for a slow client: all together take longer than the write timeout.
const ANSWERS: usize = 50;

/// A slow client gets all of its answers.
#[test(threads)]
async fn clients_that_read_slowly_are_answered() {
    let service = Service::start().await;
    let (_, page) = service.get("/").await;
    let mut clients = JoinSet::new();
    for _ in 0..3 {
        let mut client = narrow(&service).await;
        let length = page.len();
        clients.spawn(async move {
            client.write_all(&PAGE.repeat(ANSWERS - 1)).await.unwrap();
            let last = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            client.write_all(last).await.unwrap();
            let mut answer = vec![0; 2048];
            let mut read = 0;
            loop {
                tokio::time::sleep(Duration::from_millis(400)).await;
                match client.read(&mut answer).await.unwrap() {
                    0 => break,
                    n => read += n,
                }
            }
            assert!(read > ANSWERS * length, "{read} of {}", ANSWERS * length);
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
}
