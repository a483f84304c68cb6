//! Connections: how many there may be, how long they may dawdle, and how they end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use crate::metrics::Metrics;
use crate::room::Room;
use crate::writing::Writing;

/// Connections at once; for a further one, the client that was silent the longest makes room.
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
    let room = Room::new(CONNECTIONS);
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES);
    loop {
        let accepted = async {
            let accepted = listener.accept().await;
            (accepted, room.seat().await)
        };
        let (stream, taken) = tokio::select! {
            () = &mut shutdown => break,
            (accepted, taken) = accepted => match accepted {
                Ok((stream, _)) => (stream, taken),
                Err(_) => {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        let service = TowerToHyperService::new(router.clone());
        let seat = Arc::clone(taken.seat());
        let stream = TokioIo::new(Writing::new(stream, Arc::clone(&seat)));
        let service = service_fn(move |request| {
            let working = seat.work();
            let answer = service.call(request);
            async move {
                let answer = answer.await;
                drop(working);
                answer
            }
        });
        let connection = http.serve_connection(stream, service);
        let connection = connections.watch(connection);
        let counted = metrics.connection();
        tokio::spawn(async move {
            // An error here is the client's: it went away, it does not read, or what it sent is not HTTP.
            tokio::select! {
                _ = connection => {}
                () = taken.asked() => {}
            }
            drop(counted);
        });
    }
    drop(listener);
    tokio::time::timeout(FAREWELL, connections.shutdown())
        .await
        .ok();
}
