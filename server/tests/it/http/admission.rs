//! An overloaded service: clients take turns, and further requests are answered with status 503.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

use crate::http::faulty::Faulty;
use crate::http::service::{Service, bearer, limits};

/// The addresses of clients. All of 127.0.0.0/8 is this machine.
const CROWD: &str = "127.0.0.2:0";
const OTHER: &str = "127.0.0.3:0";
const NEIGHBOUR: &str = "127.0.0.4:0";

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const READY: &str = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Returns limits that a test can reach.
fn small() -> Limits {
    Limits {
        connections: 16,
        requests: 4,
        requests_per_client: 2,
        queue: 3,
        // Longer than any test waits: refusals in this test come at once.
        queue_time: Duration::from_secs(60),
        ..limits()
    }
}

async fn connect(from: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(from.parse().unwrap()).unwrap();
    socket.connect(to).await.unwrap()
}

/// Sends a request without a wait for the answer.
async fn send(from: &str, to: SocketAddr, request: &str) -> TcpStream {
    let mut stream = connect(from, to).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Returns the answer to a request, within a limited time.
async fn ask(from: &str, to: SocketAddr, request: &str) -> String {
    let mut stream = send(from, to, request).await;
    read(&mut stream).await
}

async fn read(stream: &mut TcpStream) -> String {
    let mut answer = String::new();
    let read = timeout(Duration::from_secs(60), stream.read_to_string(&mut answer));
    read.await.expect("no answer").ok();
    answer
}

/// Waits until a metric of the service has this value.
async fn until(service: &Service, metric: &str, expected: usize) {
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let line = format!("\n{metric} {expected}\n");
    let begin = Instant::now();
    loop {
        let metrics = ask(OTHER, service.address, request).await;
        if metrics.contains(&line) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{line}{metrics}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[track_caller]
fn check_overloaded(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    for part in [
        "retry-after: 1\r\n",
        "content-type: application/problem+json\r\n",
        "x-request-id: ",
        "x-content-type-options: nosniff\r\n",
        "\"type\":\"/problems/overloaded\"",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
}

/// Starts a service with a `/readyz` that never ends by itself.
async fn hanging(limits: Limits, wants_tokens: bool) -> Service {
    Service::start_limited(limits, wants_tokens, |_| Arc::new(Faulty::Hangs)).await
}

/// One client has many connections with many pipelined requests that need no token. Another
/// client, and a further connection of the same one, are answered.
#[test(threads)]
async fn pipelines_lock_nobody_out() {
    let limits = Limits {
        // The service may see the end of one crowd only after the next one has come.
        connections: 160,
        requests: 8,
        requests_per_client: 4,
        queue: 64,
        ..small()
    };
    let service = Service::start_limited(limits, false, |catalogue| catalogue).await;
    for target in ["/readyz", "/nothing", "/api/v1/trials"] {
        let pipeline = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(50);
        let mut crowd = JoinSet::new();
        for _ in 0..40 {
            let (mut read, mut write) = connect(CROWD, service.address).await.into_split();
            let pipeline = pipeline.clone();
            crowd.spawn(async move { while write.write_all(pipeline.as_bytes()).await.is_ok() {} });
            crowd.spawn(async move {
                let mut answers = [0; 4096];
                while read.read(&mut answers).await.is_ok_and(|bytes| bytes > 0) {}
            });
        }
        for from in [OTHER, CROWD, OTHER, CROWD] {
            for request in [HEALTH, READY] {
                let answer = ask(from, service.address, request).await;
                assert!(answer.starts_with("HTTP/1.1 200 "), "{target}: {answer}");
            }
        }
        // No connection was closed for it.
        assert_eq!(crowd.try_join_next().map(drop), None);
    }
}

/// Returns the number of answered requests, over a new connection of another client.
async fn answered(service: &Service) -> u64 {
    let request = HEALTH.replace("/healthz", "/metrics");
    let metrics = ask(OTHER, service.address, &request).await;
    assert!(metrics.starts_with("HTTP/1.1 200 "), "{metrics}");
    let lines = metrics.lines();
    let requests = lines.filter(|line| line.starts_with("wavetune_http_requests_total{"));
    let counts = requests.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    counts.sum()
}

/// A crowd sends without end and reads no answer: another client waits for few of its requests.
/// Service and clients share a thread here, so that the count does not depend on the machine.
#[test]
async fn a_crowd_that_does_not_read_keeps_nobody_waiting() {
    let limits = Limits {
        connections: 1000,
        requests: 64,
        ..limits()
    };
    let service = Service::start_limited(limits, false, |catalogue| catalogue).await;
    let to = service.address;
    let mut crowd = JoinSet::new();
    for _ in 0..200 {
        crowd.spawn(async move {
            let requests = HEALTH.replace("Connection: close\r\n", "").repeat(30);
            loop {
                let mut stream = connect(CROWD, to).await;
                while stream.write_all(requests.as_bytes()).await.is_ok() {
                    yield_now().await;
                }
            }
        });
    }
    let (mut before, mut counts) = (0, Vec::new());
    // All of the crowd are connected, and some had to make room for others.
    while before < 1500 {
        before = answered(&service).await;
    }
    for _ in 0..20 {
        let now = answered(&service).await;
        counts.push(now - before);
        before = now;
    }
    assert!(counts.iter().all(|count| *count < 100), "{counts:?}");
}

#[test]
async fn one_client_does_not_take_all_places() {
    let service = hanging(small(), false).await;
    let mut running = Vec::new();
    for _ in 0..2 {
        running.push(send(CROWD, service.address, READY).await);
    }
    // This request is the third.
    until(&service, "wavetune_http_requests_under_way", 3).await;
    let mut queued = Vec::new();
    for _ in 0..3 {
        queued.push(send(CROWD, service.address, HEALTH).await);
    }
    until(&service, "wavetune_http_requests_queued", 3).await;
    let answer = ask(OTHER, service.address, HEALTH).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    // The queue accepts no more of the crowd, and refuses them at once.
    check_overloaded(&ask(CROWD, service.address, HEALTH).await);
    // Free slots go to the queue.
    drop(running);
    for queued in &mut queued {
        let answer = read(queued).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    until(&service, "wavetune_http_requests_queued", 0).await;
}

/// While a database hangs, requests of two clients leave a slot to a third one.
#[test]
async fn requests_that_hang_leave_places_to_others() {
    let service = hanging(small(), false).await;
    let mut hanging = Vec::new();
    for from in [CROWD, CROWD, NEIGHBOUR, NEIGHBOUR] {
        hanging.push(send(from, service.address, READY).await);
    }
    // One request of the neighbour waits, and this one is the fourth that runs.
    until(&service, "wavetune_http_requests_queued", 1).await;
    let answer = ask(OTHER, service.address, HEALTH).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
async fn a_turn_that_does_not_come_is_refused() {
    let limits = Limits {
        queue_time: Duration::from_millis(50),
        ..small()
    };
    let service = hanging(limits, false).await;
    let _running = [
        send(CROWD, service.address, READY).await,
        send(CROWD, service.address, READY).await,
    ];
    until(&service, "wavetune_http_requests_under_way", 3).await;
    check_overloaded(&ask(CROWD, service.address, HEALTH).await);
}

/// Tokens distinguish clients behind one address.
#[test]
async fn each_token_has_a_share() {
    let limits = Limits {
        requests_per_client: 1,
        ..small()
    };
    let service = hanging(limits, true).await;
    let hour = Duration::from_secs(3600);
    let (one, _) = service.give("read", hour).await;
    let (other, _) = service.give("read", hour).await;
    let with = |request: &str, shows: &str| {
        request.replace("Host: localhost", &format!("Host: localhost\r\n{shows}"))
    };
    let _running = send(CROWD, service.address, &with(READY, &bearer(&one))).await;
    let begin = Instant::now();
    // It is the same client from any address: in the queue as soon as the first one runs.
    let queued = loop {
        let mut stream = send(OTHER, service.address, &with(HEALTH, &bearer(&one))).await;
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        if timeout(Duration::from_millis(200), read).await.is_err() {
            break stream;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{answer}");
    };
    for shows in [bearer(&other), "X-A: b".to_owned()] {
        let answer = ask(CROWD, service.address, &with(HEALTH, &shows)).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    drop(queued);
}

/// When all connections are busy, a further one of the same client gets status 503, and one of
/// another client is answered.
#[test]
async fn beyond_the_connections_clients_hear_so() {
    let limits = Limits {
        requests_per_client: 3,
        queue: 64,
        ..small()
    };
    let service = hanging(limits, false).await;
    let mut crowd = Vec::new();
    let keeps = READY.replace("Connection: close\r\n", "");
    // Further ones wait in the queue, until no connection is left.
    let refused = loop {
        // A client that would keep its connection.
        let mut stream = send(CROWD, service.address, &keeps).await;
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        match timeout(Duration::from_millis(100), read).await {
            Ok(_) => break answer,
            Err(_) => crowd.push(stream),
        }
        assert!(crowd.len() <= limits.connections, "no end");
    };
    check_overloaded(&refused);
    assert!(refused.contains("connection: close\r\n"), "{refused}");
    let answer = ask(OTHER, service.address, HEALTH).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

/// The probe listener answers, whatever happens on the other.
#[test]
async fn probes_have_places_of_their_own() {
    let limits = Limits {
        connections: 4,
        requests: 1,
        requests_per_client: 1,
        queue: 0,
        ..small()
    };
    let service = hanging(limits, false).await;
    let mut crowd = Vec::new();
    for _ in 0..4 {
        crowd.push(send(CROWD, service.address, READY).await);
    }
    let begin = Instant::now();
    while !ask(OTHER, service.address, HEALTH).await.contains(" 503 ") {
        assert!(begin.elapsed() < Duration::from_secs(60), "not busy");
    }
    let answer = ask(OTHER, service.probe_address, HEALTH).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("ok\n"),
        "{answer}"
    );
    for target in ["/metrics", "/", "/api/v1/status"] {
        let request = HEALTH.replace("/healthz", target);
        let answer = ask(OTHER, service.probe_address, &request).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    let service = Service::start().await;
    let answer = ask(OTHER, service.probe_address, READY).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("ok\n"),
        "{answer}"
    );
}

/// Unread answers are in memory, so their number is limited to that of running requests. Beyond
/// that, the connection that has read nothing for the longest time is closed.
#[test(threads)]
async fn few_answers_lie_unread() {
    let service = Service::start_limited(small(), false, |catalogue| catalogue).await;
    let page = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    let mut clients = Vec::new();
    for _ in 0..12 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut client = socket.connect(service.address).await.unwrap();
        client.write_all(page.as_bytes()).await.unwrap();
        clients.push(client);
    }
    // Sooner than the write timeout would close them. The last connection is this request's.
    let begin = Instant::now();
    until(&service, "wavetune_http_connections", small().requests + 1).await;
    assert!(
        begin.elapsed() < Duration::from_secs(9),
        "{:?}",
        begin.elapsed()
    );
}
