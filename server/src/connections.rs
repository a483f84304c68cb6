//! Connections: how many there may be, how long they may dawdle, and how they end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::metrics::Metrics;
use crate::room::Room;
use crate::tls::Tls;
use crate::writing::Writing;

/// Connections of clients that talk; for a further one, the client that was silent the longest makes room.
pub(crate) const CONNECTIONS: usize = 256;

/// Connections of clients that wait beside these at most: agents without work, and who follows a study.
pub(crate) const WAITING: usize = 4096;

/// Files that the service may have open beside its connections: the database, the queue, the log.
const FILES: usize = 256;

/// Time in which a client must send the head of a request, or agree with the service on TLS.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Largest head of a request: the address and all headers. The longest problem is a hundred characters.
const HEAD_BYTES: usize = 16 << 10;

/// Time that clients have to take their answers when the server ends. After it those stay that the service works for, which
/// is not long: an answer has a limit of its own.
const FAREWELL: Duration = Duration::from_secs(3);

/// Pause after a connection could not be accepted, which mostly means that there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<&Tls>,
    metrics: &Metrics,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let room = Room::new(CONNECTIONS, waiting());
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
        let (stream, address, taken) = tokio::select! {
            () = &mut shutdown => break,
            (accepted, taken) = accepted => match accepted {
                Ok((stream, address)) => (stream, address, taken),
                Err(_) => {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        let service = TowerToHyperService::new(router.clone());
        let seat = Arc::clone(taken.seat());
        let stream = Writing::new(stream, Arc::clone(&seat));
        let service = service_fn(move |mut request: Request<Incoming>| {
            let (working, was_waiting) = (seat.work(), seat.take_up());
            request.extensions_mut().insert(ConnectInfo(address));
            request.extensions_mut().insert(Arc::clone(&seat));
            let answer = service.call(request);
            async move {
                if was_waiting {
                    // Who sends many at once has one answered in its turn, and others have theirs between them.
                    yield_now().await;
                }
                let answer = answer.await;
                drop(working);
                answer
            }
        });
        let (http, watcher) = (http.clone(), connections.watcher());
        let acceptor = tls.map(Tls::acceptor);
        let counted = metrics.connection();
        tokio::spawn(async move {
            // An error here is the client's: it went away, it does not read, or what it sent is not HTTP.
            let talk = async {
                let Some(acceptor) = acceptor else {
                    let plain = http.serve_connection(TokioIo::new(stream), service);
                    return watcher.watch(plain).await.ok();
                };
                let greeted = timeout(HEAD_TIME, acceptor.accept(stream)).await.ok()?;
                let secret = http.serve_connection(TokioIo::new(greeted.ok()?), service);
                watcher.watch(secret).await.ok()
            };
            tokio::select! {
                _ = talk => {}
                () = taken.asked() => {}
            }
            drop(counted);
        });
    }
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = room.clear(FAREWELL) => {}
    }
}

/// How many clients may wait: as many as the system lets this process have files for, of which it is given what it may have.
fn waiting() -> usize {
    let needed = CONNECTIONS + WAITING + FILES;
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit
        .maximum
        .map_or(needed as u64, |most| most.min(needed as u64));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        // Where this is not allowed there are fewer.
        setrlimit(Resource::Nofile, limit).ok();
    }
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(needed, |files| usize::try_from(files).unwrap_or(needed));
    files.saturating_sub(CONNECTIONS + FILES).min(WAITING)
}
