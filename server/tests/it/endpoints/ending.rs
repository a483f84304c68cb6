//! The end of a service: no client waits any longer, and open requests are answered.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::endpoints::agent::offer;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::studies::{PROBLEM, lease, submit};

/// Sends a request except so many of its last bytes, and returns its connection.
async fn begin(service: &Service, request: &str, rest: usize) -> TcpStream {
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let now = &request.as_bytes()[..request.len() - rest];
    stream.write_all(now).await.unwrap();
    stream
}

/// Reads until the service closes the connection.
async fn rest(mut stream: TcpStream) -> String {
    let mut heard = String::new();
    stream.read_to_string(&mut heard).await.unwrap();
    heard
}

fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

pub(crate) async fn waiting_requests_end_at_shutdown(place: Place) {
    let service = Service::start_at(&place).await;
    assert_eq!(lease(&service, 0).await, None);
    let id = submit(&service, PROBLEM, 30).await;
    let watch = format!("GET /api/v1/studies/{id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut watching = begin(&service, &watch, 0).await;
    let mut heard = String::new();
    while !heard.contains("data: ") {
        let mut piece = [0; 512];
        let length = watching.read(&mut piece).await.unwrap();
        assert!(length > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
    // Until no batch is available.
    while lease(&service, 1).await.is_some() {}
    let ask = server_fleet::wire::LeaseRequest {
        agent: "two".to_owned(),
        offers: vec![offer("mi300x")],
        devices: Vec::new(),
        wait_s: 8,
    };
    let ask = post("/api/v1/leases", &serde_json::to_string(&ask).unwrap());
    let asking = begin(&service, &ask, 0).await;
    let wanted = r#"{"problems": ["argmax:4x[64]xf32"], "target": "gfx942", "budget": 3}"#;
    let wanted = post("/api/v1/studies", wanted);
    let mut wanting = begin(&service, &wanted, 9).await;
    // All of them are open.
    service
        .soon("/metrics", "wavetune_http_connections 4")
        .await;

    let begin = Instant::now();
    let wants = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let end = &wanted.as_bytes()[wanted.len() - 9..];
        wanting.write_all(end).await.unwrap();
        rest(wanting).await
    };
    let (_folder, watched, asked, wanted) =
        tokio::join!(service.end(), rest(watching), rest(asking), wants);
    let elapsed = begin.elapsed();
    // An agent may wait for 8 s.
    assert!(elapsed < Duration::from_secs(7), "{elapsed:?}");
    // The stream ends properly, before the connection.
    assert!(watched.ends_with("0\r\n\r\n"), "{watched}");
    assert!(asked.starts_with("HTTP/1.1 204 "), "{asked}");
    assert!(wanted.starts_with("HTTP/1.1 201 "), "{wanted}");
}
