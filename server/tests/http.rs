//! The service over a real socket.

#[path = "../../store/tests/support.rs"]
#[allow(unreachable_pub, dead_code)]
mod support;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use lookup::Request;
use proptest::prelude::*;
use store::{Clock, Store, StudyKey, Trial};
use support::{default_trial, key, right, trial};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A service on a database of its own.
struct Service {
    store: Store,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    _directory: TempDir,
}

impl Service {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trials.db");
        let store = Store::open(path.to_str().unwrap()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let shutdown = async { stopped.await.unwrap_or_default() };
        let task = tokio::spawn(server::serve(listener, store.clone(), shutdown));
        Service {
            store,
            address,
            stop,
            task,
            _directory: directory,
        }
    }

    async fn record(&self, key: &StudyKey, trials: &[Trial]) {
        let study = self.store.open_study(key, Some(5.125)).await.unwrap();
        for trial in trials {
            self.store.record_trial(&study, trial).await.unwrap();
        }
    }

    /// The answer to a request. A client that hangs up at once, without waiting for it, gets none.
    async fn send(&self, bytes: &[u8], hang_up: bool) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The service may hang up on what is no request before it has all of it.
        stream.write_all(bytes).await.ok();
        if hang_up {
            stream.shutdown().await.ok();
        }
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The head and the body of the answer.
    async fn get(&self, target: &str) -> (String, String) {
        let request = format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        let answer = self.send(request.as_bytes(), false).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.to_owned(), body.to_owned())
    }

    async fn check(&self, target: &str, status: u16, part: &str) {
        let (head, body) = self.get(target).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {head}\n{body}"
        );
        assert!(body.contains(part), "{target}: {body}");
        for header in [
            "content-security-policy: default-src 'none'; ",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
        ] {
            assert!(head.contains(header), "{target}: {head}");
        }
    }

    /// An error that is JSON with this code, parameter and position.
    async fn check_error(
        &self,
        target: &str,
        status: u16,
        code: &str,
        expected: serde_json::Value,
    ) {
        let (head, body) = self.get(target).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {head}\n{body}"
        );
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let error = &body["error"];
        assert_eq!(error["code"], code, "{target}");
        assert_eq!(
            serde_json::json!([error["parameter"], error["position"]]),
            expected,
            "{target}"
        );
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty() && text.len() < 400)
        );
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}

const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";

#[tokio::test]
async fn an_answer_is_the_bytes_of_lookup() {
    let service = Service::start().await;
    let request = Request::new(key().problem, key().target);
    let (head, body) = service.get(ASK).await;
    let miss = lookup::answer(&service.store, &request).await.unwrap();
    assert!(
        head.starts_with("HTTP/1.1 404 ") && miss.found().is_none(),
        "{head}"
    );
    assert_eq!(body, miss.to_json() + "\n");

    service
        .record(
            &key(),
            &[default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))],
        )
        .await;
    let (head, body) = service.get(ASK).await;
    let found = lookup::answer(&service.store, &request).await.unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 ") && found.found().is_some(),
        "{head}"
    );
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(body, found.to_json() + "\n");

    let escaped = "/api/v1/configurations?problem=argmax%3A4x%5B32000%5Dxf32&target=gfx942";
    assert_eq!(service.get(escaped).await.1, body);
    service
        .check(
            &format!("{ASK}&device=emulated:mi300x&generator=native"),
            200,
            "\"exact\"",
        )
        .await;
    service
        .check(&format!("{ASK}&device=hip:0"), 404, "\"answer\":\"none\"")
        .await;
    service
        .check(
            &format!("{ASK}&generator=iree"),
            404,
            "but only on emulated:mi300x by native",
        )
        .await;
}

#[tokio::test]
async fn errors_say_where() {
    let service = Service::start().await;
    let configurations = "/api/v1/configurations";
    for (query, code, place) in [
        (
            "",
            "missing_parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?",
            "missing_parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?target=gfx942",
            "missing_parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?problem=argmax:[4]xf32",
            "missing_parameter",
            serde_json::json!(["target", null]),
        ),
        (
            "?problem=argmax:4x[0]xf32&target=gfx942",
            "invalid_problem",
            serde_json::json!(["problem", 10]),
        ),
        (
            "?problem=&target=gfx942",
            "invalid_problem",
            serde_json::json!(["problem", 0]),
        ),
        (
            "?problem=argmax:4x[8]xf32%20&target=gfx942",
            "invalid_problem",
            serde_json::json!(["problem", 16]),
        ),
        (
            "?problem=%00%FF%F0&target=gfx942",
            "invalid_problem",
            serde_json::json!(["problem", 0]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx000",
            "invalid_value",
            serde_json::json!(["target", null]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx942&generator=x",
            "invalid_value",
            serde_json::json!(["generator", null]),
        ),
        (
            "?problem=a&problem=b&target=gfx942",
            "repeated_parameter",
            serde_json::json!(["problem", null]),
        ),
        (
            "?problem=argmax:[4]xf32&target=gfx942&%3Cb%3E=1",
            "unknown_parameter",
            serde_json::json!(["<b>", null]),
        ),
    ] {
        service
            .check_error(&format!("{configurations}{query}"), 400, code, place)
            .await;
    }
    let none = || serde_json::json!([null, null]);
    service
        .check_error(
            "/api/v1/best?x=1",
            400,
            "unknown_parameter",
            serde_json::json!(["x", null]),
        )
        .await;
    service
        .check_error("/api/v1/nothing", 404, "not_found", none())
        .await;
    service
        .check_error("/../../etc/passwd", 404, "not_found", none())
        .await;
    let post = b"POST /api/v1/best HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
    let answer = service.send(post, false).await;
    assert!(
        answer.starts_with("HTTP/1.1 405 ") && answer.contains("method_not_allowed"),
        "{answer}"
    );
}

#[tokio::test]
async fn health_is_the_databases() {
    let service = Service::start().await;
    service.check("/healthz", 200, "ok\n").await;
    service.store.clone().close().await;
    service.check("/healthz", 500, "\"code\":\"store\"").await;
    service.check("/", 500, "\"code\":\"store\"").await;
    service.end().await;
}

#[tokio::test]
async fn the_page_lists_the_best_and_keeps_clocks_apart() {
    let service = Service::start().await;
    service
        .check("/", 200, "wavetune tune 'argmax:4x[32000]xf32'")
        .await;
    service
        .check("/api/v1/best", 200, r#"{"measured":[],"modelled":[]}"#)
        .await;
    let mut measured = key();
    measured.clock = Clock::Measured;
    measured.device = "hip:0".to_owned();
    let trials = [default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))];
    service.record(&key(), &trials).await;
    service.record(&measured, &trials[1..]).await;

    let (_, page) = service.get("/").await;
    let (measured, modelled) = page.split_once("<section class=\"modelled\"").unwrap();
    assert!(
        measured.contains("hip:0") && !measured.contains("emulated:mi300x"),
        "{page}"
    );
    assert!(
        modelled.contains("emulated:mi300x") && !modelled.contains("hip:0"),
        "{page}"
    );
    for text in [
        "argmax:4x[32000]xf32:i32",
        "gfx942",
        "61.00",
        "8.00",
        "7.62\u{d7}",
        "5.12",
        "22.1.0",
    ] {
        assert!(modelled.contains(text), "{text}: {modelled}");
    }
    assert!(measured.contains("not tried"), "{measured}");

    let (_, json) = service.get("/api/v1/best").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["modelled"][0]["speedup"], 7.625);
    assert_eq!(json["modelled"][0]["provenance"]["samples"], 3);
    assert_eq!(
        json["measured"][0]["default_status"],
        serde_json::Value::Null
    );
    service.check("/style.css", 200, "tabular-nums").await;
}

#[tokio::test]
async fn hostile_text_stays_text() {
    let service = Service::start().await;
    let hostile = "<script>alert('x')</script><!-- content -->\" onload=\"&amp;";
    let mut study = key();
    study.device = hostile.to_owned();
    study.provenance.driver = hostile.to_owned();
    study.provenance.compiler_version = hostile.to_owned();
    service.record(&study, &[trial(0, 1, right(8.0))]).await;
    let (_, page) = service.get("/").await;
    let escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&lt;!-- content --&gt;&quot; onload=&quot;&amp;amp;";
    assert_eq!(page.matches(escaped).count(), 3, "{page}");
    assert!(
        !page.contains("<script") && !page.contains("<!--"),
        "{page}"
    );
}

#[tokio::test]
async fn heads_have_a_limit() {
    let service = Service::start().await;
    let long = format!("{ASK}&device={}", "a".repeat(100_000));
    let (head, _) = service.get(&long).await;
    let refused = head.is_empty() || head.starts_with("HTTP/1.1 4");
    assert!(refused, "{head}");
    service.check("/healthz", 200, "ok").await;
}

#[tokio::test]
async fn the_end_is_prompt_and_clean() {
    let service = Service::start().await;
    let mut idle = TcpStream::connect(service.address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
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

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

/// Whatever is asked for gets an answer of its own, and the service goes on.
async fn check_survives(requests: Vec<Vec<u8>>, is_http: bool) -> Result<(), TestCaseError> {
    let service = Service::start().await;
    for request in requests {
        let answer = service.send(&request, !is_http).await;
        let status = answer.get(9..12).unwrap_or_default().to_owned();
        let known = ["200", "400", "404", "405"].contains(&status.as_str());
        prop_assert!(
            known || !is_http,
            "{:?}: {answer}",
            String::from_utf8_lossy(&request)
        );
        prop_assert!(!status.starts_with('5'), "{request:?}: {answer}");
    }
    service.check("/healthz", 200, "ok").await;
    Ok(())
}

/// A value as it stands in an address.
fn encoded(value: &[u8]) -> String {
    value.iter().map(|byte| format!("%{byte:02X}")).collect()
}

fn query() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof!["problem", "target", "device", "generator", "[a-z%&=+]{0,8}"];
    let value = prop_oneof![
        "[a-z0-9:x\\[\\]]{0,40}",
        "argmax:[0-9]{1,12}x\\[[0-9]{1,12}\\]x(f32|bf16|i8)",
        "gfx(942|950|000)",
        any::<Vec<u8>>().prop_map(|bytes| encoded(&bytes)),
    ];
    let path = prop_oneof![
        "/",
        "/api/v1/best",
        "/api/v1/configurations",
        "/[a-z0-9/.%]{0,20}"
    ];
    (path, prop::collection::vec((name, value), 0..5)).prop_map(|(path, pairs)| {
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let query = pairs.join("&");
        format!("GET {path}?{query} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            .into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_query_is_answered(requests in prop::collection::vec(query(), 20)) {
        block_on(check_survives(requests, true))?;
    }

    #[test]
    fn any_bytes_are_survived(requests in prop::collection::vec(any::<Vec<u8>>(), 10)) {
        block_on(check_survives(requests, false))?;
    }
}
