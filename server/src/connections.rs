//! Connections: how many there may be, how long they may dawdle, and how they end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::metrics::Metrics;
use crate::writing::Writing;

/// Connections at once; further ones wait to be accepted.
const CONNECTIONS: usize = 256;

/// Time in which a client must send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Largest head of a request: the address and all headers. The longest problem is a hundred characters.
const HEAD_BYTES: usize = 16 << 10;

/// Time that requests under way have when the server ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// Pause after a connection could not be accepted, which mostly means that there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    metrics: &Metrics,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES);
    loop {
        let accepted = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (listener.accept().await, slot)
        };
        let (stream, slot) = tokio::select! {
            () = &mut shutdown => break,
            (accepted, slot) = accepted => match accepted {
                Ok((stream, _)) => (stream, slot),
                Err(_) => {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(Writing::new(stream)), service);
        let connection = connections.watch(connection);
        let counted = metrics.connection();
        tokio::spawn(async move {
            // An error here is the client's: it went away, it does not read, or what it sent is not HTTP.
            connection.await.ok();
            drop((slot, counted));
        });
    }
    drop(listener);
    tokio::time::timeout(FAREWELL, connections.shutdown())
        .await
        .ok();
}
