#[path = "../../../tuner/tests/log/mod.rs"]
#[allow(unreachable_pub)]
mod log;

use axum::body::Body;

use super::*;
use log::Log;

/// A client that goes away has its request told, too.
#[test]
fn a_request_that_is_dropped_is_told() {
    let (log, _hears) = Log::hear();
    let request = Request::builder().uri("/healthz\u{e9}").body(Body::empty());
    drop(Asked::new(7, &request.unwrap()));
    let lines = log.lines("");
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = "INFO request{id=7}: server::requests: unanswered: its client has gone method=\"GET\" path=\"/healthz";
    assert!(lines[0].starts_with(line), "{lines:?}");
}
