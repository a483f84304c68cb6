//! Connections: their number, their time limits, and their end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::ConnectInfo;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit, setrlimit};
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::ServiceState;
use crate::answer_buffer::AnswerBuffer;
use crate::connection_admission::{ConnectionAdmission, ConnectionSlot, GUESTS};
use crate::limits::Limits;
use crate::parse_error::{HEAD_BYTES, ParseErrorStream};
use crate::request_admission::RequestAdmission;
use crate::tls::Tls;
use crate::write_timeout::WriteTimeoutStream;

/// Files that the service may need beside its connections: for the database, the queue, the log,
/// and probes.
const FILES: usize = 512;

/// Longest time for the head of a request, or for a TLS handshake.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Time that clients have to read their answers when the server ends. Then only connections with
/// a working handler stay, and the answer time limits those.
const FAREWELL: Duration = Duration::from_secs(3);

/// Connections accepted in a row. Then other tasks run, so that thousands of new connections do
/// not precede open requests.
const ACCEPTED: usize = 64;

/// Bytes of answers that the system takes before it has sent them. Without the limit, it took
/// 170 kB instead of 105 for an idle client with a buffer of 64 KiB. Bytes on their way do not
/// count, so a distant client has its full rate.
const UNSENT: u32 = 64 << 10;

/// Pause after a failed accept, mostly because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<&Tls>,
    service: &Arc<ServiceState>,
    room: Arc<ConnectionAdmission>,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let mut accepted = 0_usize;
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES);
    loop {
        let (stream, address) = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        accepted = (accepted + 1) % ACCEPTED;
        // `accept` returns at once while connections queue up, so the loop would never yield by
        // itself.
        if accepted == 0 {
            yield_now().await;
        }
        let Some(taken) = room.take(address.ip()) else {
            continue;
        };
        // Without the limit, such a client only costs more.
        SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT).ok();
        let seat = Arc::clone(taken.seat());
        let stream = WriteTimeoutStream::new(stream, Arc::clone(&seat));
        let answering = answering(router.clone(), Arc::clone(&seat), address);
        let (http, watcher) = (http.clone(), connections.watcher());
        // A renewed certificate takes effect with the next connection.
        let acceptor = tls.map(Tls::acceptor);
        let counted = service.metrics.connection();
        let service = Arc::clone(service);
        tokio::spawn(async move {
            // An error here is the client's: it went away, it does not read, or it sent no HTTP.
            let talk = async {
                let Some(acceptor) = acceptor else {
                    let stream = AnswerBuffer::new(stream, seat);
                    let stream = TokioIo::new(ParseErrorStream::new(stream, service));
                    let plain = http.serve_connection(stream, answering);
                    return watcher.watch(plain).await.ok();
                };
                let greeted = timeout(HEAD_TIME, acceptor.accept(stream)).await.ok()?;
                let stream = AnswerBuffer::new(greeted.ok()?, seat);
                let stream = TokioIo::new(ParseErrorStream::new(stream, service));
                let secret = http.serve_connection(stream, answering);
                watcher.watch(secret).await.ok()
            };
            tokio::select! {
                _ = talk => {}
                () = taken.asked() => {}
            }
            drop(counted);
        });
    }
    // New connections fail now, so that clients try another replica.
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = room.clear(FAREWELL) => {}
    }
}

/// Returns the service of one connection: its requests take their turns with those of others.
pub(crate) fn answering(
    router: Router,
    seat: Arc<ConnectionSlot>,
    address: SocketAddr,
) -> impl Service<
    Request<Incoming>,
    Response = Response,
    Error = Infallible,
    Future: Future<Output = Result<Response, Infallible>> + Send,
> {
    let router = TowerToHyperService::new(router);
    service_fn(move |mut request: Request<Incoming>| {
        let (working, begins_turn) = (seat.work(), seat.take_up());
        request.extensions_mut().insert(ConnectInfo(address));
        request.extensions_mut().insert(Arc::clone(&seat));
        let answer = router.call(request);
        let seat = Arc::clone(&seat);
        async move {
            if begins_turn {
                // Between the turns of a client that pipelines requests, others have theirs.
                yield_now().await;
            }
            let answer = answer.await;
            let is_whole = |answer: &Response| answer.body().size_hint().exact().is_some();
            seat.finish(answer.as_ref().is_ok_and(is_whole));
            drop(working);
            answer
        }
    })
}

/// Returns an admission for as many connections as the limits and the process's open files allow.
/// Raises the limit of open files if necessary.
pub(crate) fn room(limits: Limits) -> Arc<ConnectionAdmission> {
    let connections = limits.connections.min(files(limits.connections));
    let limits = Limits {
        connections,
        ..limits
    };
    ConnectionAdmission::new(limits, RequestAdmission::new(limits))
}

/// Returns the number of connections that have files, of so many wanted ones.
fn files(connections: usize) -> usize {
    let needed = connections + GUESTS + FILES;
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit
        .maximum
        .map_or(needed as u64, |most| most.min(needed as u64));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        // If this fails, fewer connections are possible.
        setrlimit(Resource::Nofile, limit).ok();
    }
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(needed, |files| usize::try_from(files).unwrap_or(needed));
    files.saturating_sub(GUESTS + FILES).max(1)
}
