//! The end of the service.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http::service::Service;

/// A service that waits for idle clients would take 3 s each time.
#[test]
async fn the_end_is_prompt_and_clean() {
    testing::retry_within(Duration::from_secs(2), async || {
        let service = Service::start().await;
        let mut idle = TcpStream::connect(service.address).await.unwrap();
        idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        let mut begun = [0; 12];
        idle.read_exact(&mut begun).await.unwrap();
        let address = service.address;
        let begin = Instant::now();
        service.end().await;
        let time = begin.elapsed();
        assert!(TcpStream::connect(address).await.is_err());
        (time, ())
    })
    .await;
}

#[test]
async fn a_client_that_dawdles_does_not_hold_up_the_end() {
    let service = Service::start().await;
    let mut dawdling = TcpStream::connect(service.address).await.unwrap();
    dawdling.write_all(b"GET /healthz HT").await.unwrap();
    service.check("/healthz", 200, "ok").await;
    // A head has 10 s to arrive.
    let begin = Instant::now();
    service.end().await;
    assert!(
        begin.elapsed() < Duration::from_secs(9),
        "{:?}",
        begin.elapsed()
    );
}

/// A slow client has the usual time for a request that the service waits for.
#[test]
async fn requests_in_flight_are_answered() {
    let service = Service::start().await;
    let body = r#"{"questions": [{"problem": "argmax:4x[32000]xf32", "target": "gfx942"}]}"#;
    let request = format!(
        "POST /api/v1/configurations:batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (now, later) = request.as_bytes().split_at(request.len() - 5);
    let mut asking = TcpStream::connect(service.address).await.unwrap();
    asking.write_all(now).await.unwrap();
    service.check("/healthz", 200, "ok").await;
    let answer = async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        asking.write_all(later).await.unwrap();
        let mut answer = String::new();
        asking.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let (_folder, answer) = tokio::join!(service.end(), answer);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}
