//! How the service ends.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::service::Service;

#[tokio::test]
async fn the_end_is_prompt_and_clean() {
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
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_client_that_dawdles_does_not_hold_up_the_end() {
    let service = Service::start().await;
    let mut dawdling = TcpStream::connect(service.address).await.unwrap();
    dawdling.write_all(b"GET /healthz HT").await.unwrap();
    service.check("/healthz", 200, "ok").await;
    let begin = Instant::now();
    service.end().await;
    assert!(
        begin.elapsed() < Duration::from_secs(7),
        "{:?}",
        begin.elapsed()
    );
}
