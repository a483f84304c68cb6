use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::routing::get;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::timeout;

use super::*;
use crate::connection_admission::ConnectionAdmission;
use crate::connections::answering;
use crate::limits::Limits;
use crate::request_admission::RequestAdmission;

/// A limit for immediate events, on a slow machine.
const LONG: Duration = Duration::from_secs(60);

const QUICK: &str = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";
const HANGING: &str = "GET /hanging HTTP/1.1\r\nHost: a\r\n\r\n";

/// A connection that counts its writes.
struct CountedStream {
    stream: DuplexStream,
    writes: Arc<AtomicUsize>,
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Serves one connection. Returns the client's end, and the count of the service's writes.
fn serve() -> (DuplexStream, Arc<AtomicUsize>) {
    let limits = Limits::default();
    let room = ConnectionAdmission::new(limits, RequestAdmission::new(limits));
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let taken = room.take(IpAddr::V4(Ipv4Addr::LOCALHOST)).expect("a slot");
    let seat = Arc::clone(taken.seat());
    let router = Router::new()
        .route(
            "/quick",
            get(async |Extension(seat): Extension<Arc<ConnectionSlot>>| {
                seat.begin();
                "quick"
            }),
        )
        .route(
            "/hanging",
            get(async |Extension(seat): Extension<Arc<ConnectionSlot>>| {
                seat.begin();
                std::future::pending::<()>().await;
            }),
        );
    let (client, stream) = duplex(1 << 20);
    let writes = Arc::new(AtomicUsize::new(0));
    let stream = CountedStream {
        stream,
        writes: Arc::clone(&writes),
    };
    tokio::spawn(async move {
        let stream = TokioIo::new(AnswerBuffer::new(stream, Arc::clone(&seat)));
        let service = answering(router, seat, address);
        let served = http1::Builder::new().serve_connection(stream, service);
        // The test looks at the client's end.
        let _ = served.await;
        drop(taken);
    });
    (client, writes)
}

/// Reads until so many answers have come, or until the end.
async fn read_answers(client: &mut DuplexStream, count: usize) -> usize {
    let mut bytes = Vec::new();
    let answers = |bytes: &[u8]| bytes.windows(5).filter(|it| it == b"quick").count();
    while answers(&bytes) < count {
        let read = timeout(LONG, client.read_buf(&mut bytes)).await;
        if read.expect("an answer or the end").unwrap() == 0 {
            break;
        }
    }
    answers(&bytes)
}

#[tokio::test]
async fn pipelined_answers_leave_together() {
    let (mut client, writes) = serve();
    for round in 1..=3 {
        client.write_all(QUICK.repeat(30).as_bytes()).await.unwrap();
        assert_eq!(read_answers(&mut client, 30).await, 30);
        // The last answer has a write of its own: no request follows it.
        assert!(writes.load(Ordering::Relaxed) <= 2 * round, "{writes:?}");
    }
}

#[tokio::test]
async fn kept_answers_have_a_limit() {
    let (mut client, writes) = serve();
    let requests = QUICK.repeat(400);
    client.write_all(requests.as_bytes()).await.unwrap();
    assert_eq!(read_answers(&mut client, 400).await, 400);
    // An answer has at least 100 bytes: a status, a type, a length and a date.
    assert!(
        writes.load(Ordering::Relaxed) >= 400 * 100 / KEPT,
        "{writes:?}"
    );
}

#[tokio::test]
async fn a_handler_that_works_keeps_no_answer_back() {
    let (mut client, _) = serve();
    let requests = [QUICK, QUICK, HANGING, QUICK].concat();
    client.write_all(requests.as_bytes()).await.unwrap();
    assert_eq!(read_answers(&mut client, 2).await, 2);
}

#[tokio::test]
async fn an_incomplete_request_keeps_no_answer_back() {
    let (mut client, _) = serve();
    let requests = [QUICK, QUICK, "GET /qu"].concat();
    client.write_all(requests.as_bytes()).await.unwrap();
    assert_eq!(read_answers(&mut client, 2).await, 2);
}

#[tokio::test]
async fn a_client_that_has_sent_all_gets_its_answers() {
    let (mut client, _) = serve();
    client.write_all(QUICK.repeat(20).as_bytes()).await.unwrap();
    client.shutdown().await.unwrap();
    // hyper ends the connection at the client's end, before the last answer.
    assert!(read_answers(&mut client, 20).await >= 19);
}
