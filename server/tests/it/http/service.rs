//! A service for each test, and a client that sends arbitrary requests.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use answers::devices::{DeviceInfo, Devices};
use codegen::cache::Cache;
use codegen::native::Native;
use codegen::tools::{MissingTool, Tool};
use kernel_export::Toolchain;
use lookup::LookupRequest;
use model_profile::{ConfinedTools, ModelTools};
use server::{Book, Limits, ServerSettings, TokenLimits};
use server_dispatch::MemoryBroker;
use server_fleet::{Fleet, Keys};
use store::{AccessToken, Catalogue, Clock, Grant, Store, StudyKey, Trial};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::subscriber::DefaultGuard;

use crate::http::place::{Place, Spoil};
use crate::http::support;
use testing::CapturedLog;

/// Longest silence of a lease here.
const PATIENCE: Duration = Duration::from_secs(2);

/// The committed description of the API.
pub(crate) const DESCRIPTION: &str = include_str!("../../../openapi.json");

static DOCUMENT: LazyLock<testing_conformance::OpenApi> =
    LazyLock::new(|| testing_conformance::OpenApi::new(DESCRIPTION));

/// Checks an accepted body against the description.
#[track_caller]
fn check_body(method: &str, target: &str, body: &str) {
    let path = target.split('?').next().unwrap_or_default();
    testing_conformance::JsonRequest { method, path, body }.check(&DOCUMENT);
}

/// Checks an answer against the description.
#[track_caller]
pub(super) fn check_schema(method: &str, target: &str, head: &str, body: &str) {
    // A closed connection has no answer.
    if !head.contains("x-request-id: ") && body.is_empty() {
        return;
    }
    let status = head.split(' ').nth(1).unwrap_or_default();
    let kind = |line: &str| Some(line.strip_prefix("content-type: ")?.to_owned());
    testing_conformance::Response {
        method,
        path: target.split('?').next().unwrap_or_default(),
        status,
        kind: &head.lines().find_map(kind).unwrap_or_default(),
        body,
    }
    .check(&DOCUMENT);
}

/// Returns the header with a token.
pub(crate) fn bearer(token: &AccessToken) -> String {
    format!("Authorization: Bearer {}", token.reveal())
}

/// Returns a list of one device.
pub(crate) fn devices() -> Devices {
    let device = DeviceInfo {
        name: "emulated:none".to_owned(),
        product: "None",
        target: "gfx942",
        clock: Clock::Modelled,
        compute_units: 1,
        clock_ghz: 1.5,
        dram_peak_gb_per_s: 100.0,
        calibrated: false,
        errors: Vec::new(),
        borrowed: Vec::new(),
    };
    Devices {
        devices: vec![device],
    }
}

/// Returns the limits of a service here: all clients have one address.
pub(crate) fn limits() -> Limits {
    Limits {
        failures_per_minute: NonZeroU32::new(1_000_000).unwrap(),
        ..Limits::default()
    }
}

/// The duties of a service.
struct Duties {
    carries_on: bool,
    has_tools: bool,
    wants_tokens: bool,
    allowed: TokenLimits,
    limits: Limits,
    book: Option<Book>,
}

impl Default for Duties {
    fn default() -> Self {
        Duties {
            carries_on: true,
            has_tools: true,
            wants_tokens: false,
            allowed: TokenLimits::default(),
            limits: limits(),
            book: None,
        }
    }
}

/// A service with a database of its own.
pub(crate) struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) address: SocketAddr,
    /// The address of its probe listener.
    pub(crate) probe_address: SocketAddr,
    /// The path of its database, if it is a file.
    pub(crate) path: PathBuf,
    spoil: Spoil,
    /// The log of the service.
    pub(crate) log: CapturedLog,
    _hears: DefaultGuard,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    directory: TempDir,
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::start_at(&Place::File).await
    }

    /// Starts a service with these limits, and a catalogue that `disguise` wraps.
    pub(crate) async fn start_limited(
        limits: Limits,
        wants_tokens: bool,
        disguise: impl FnOnce(Arc<dyn Catalogue>) -> Arc<dyn Catalogue> + Send + 'static,
    ) -> Self {
        let duties = Duties {
            limits,
            wants_tokens,
            ..Duties::default()
        };
        Self::begin(&Place::File, disguise, duties).await
    }

    /// Starts a service with a database in this place.
    pub(crate) async fn start_at(place: &Place) -> Self {
        Self::begin(place, |catalogue| catalogue, Duties::default()).await
    }

    /// Starts a service with a catalogue that `disguise` wraps.
    pub(crate) async fn start_with(
        disguise: impl FnOnce(Arc<dyn Catalogue>) -> Arc<dyn Catalogue> + Send + 'static,
    ) -> Self {
        Self::begin(&Place::File, disguise, Duties::default()).await
    }

    /// Starts a service that only answers.
    pub(crate) async fn start_to_answer(place: &Place) -> Self {
        let duties = Duties {
            carries_on: false,
            ..Duties::default()
        };
        Self::begin(place, |catalogue| catalogue, duties).await
    }

    /// Starts a service on a machine without a toolchain.
    pub(crate) async fn start_without_tools(place: &Place) -> Self {
        let duties = Duties {
            has_tools: false,
            ..Duties::default()
        };
        Self::begin(place, |catalogue| catalogue, duties).await
    }

    /// Starts a service with this book.
    pub(crate) async fn start_with_book(book: Book) -> Self {
        let duties = Duties {
            book: Some(book),
            ..Duties::default()
        };
        Self::begin(&Place::File, |catalogue| catalogue, duties).await
    }

    /// Starts a service that requires tokens.
    pub(crate) async fn start_guarded() -> Self {
        Self::start_sparing(TokenLimits::default()).await
    }

    /// Starts a service that requires tokens, with these limits.
    pub(crate) async fn start_sparing(allowed: TokenLimits) -> Self {
        let duties = Duties {
            wants_tokens: true,
            allowed,
            ..Duties::default()
        };
        Self::begin(&Place::File, |catalogue| catalogue, duties).await
    }

    async fn begin(
        place: &Place,
        disguise: impl FnOnce(Arc<dyn Catalogue>) -> Arc<dyn Catalogue> + Send + 'static,
        duties: Duties,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trials.db");
        let opened = place.open(&path).await;
        // Connections inherit the listener's small buffer, so that unread answers soon block.
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(4096).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(512).unwrap();
        let address = listener.local_addr().unwrap();
        let probes = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let probe_address = probes.local_addr().unwrap();
        let (log, hears) = CapturedLog::capture();
        let key = Keys::from_secret(&[7; 32]);
        let queue = Arc::new(MemoryBroker::new(PATIENCE, Duration::from_secs(60)));
        let fleet = match duties.carries_on {
            true => Some(Fleet::open(opened.of_fleet, queue, key).await.unwrap().0),
            false => None,
        };
        let settings = ServerSettings {
            records: opened.records,
            fleet: watch::channel(fleet).1,
            names: vec!["tuner.lan".to_owned()],
            devices: devices(),
            // The range of all samples.
            median: |samples| {
                let [low, high] = [f64::min, f64::max].map(|of| samples.iter().copied().reduce(of));
                Some((low?, high?))
            },
            toolchain: match duties.has_tools {
                true => Toolchain::new(|| Native::load(Cache::of_environment())),
                false => Toolchain::new(|| {
                    Err(MissingTool {
                        tool: Tool::LibLlvm,
                        reason: "not found".to_owned(),
                    })
                }),
            },
            models: opened.models,
            model_tools: match duties.has_tools {
                true => ModelTools::new(ConfinedTools::find),
                false => ModelTools::new(|| {
                    Err(MissingTool {
                        tool: Tool::IreeCompile,
                        reason: "not found".to_owned(),
                    }
                    .into())
                }),
            },
            tokens: opened.tokens,
            wants_tokens: duties.wants_tokens,
            allowed: duties.allowed,
            limits: duties.limits,
            tls: None,
            probes: Some(probes),
            book: duties.book,
        };
        let (stop, stopped) = oneshot::channel();
        let shutdown = async { stopped.await.unwrap_or_default() };
        let catalogue = opened.catalogue;
        let task = tokio::spawn(async move {
            server::serve(
                listener,
                disguise(Arc::clone(&catalogue)),
                settings,
                shutdown,
            )
            .await;
            catalogue.close().await;
        });
        Service {
            store: opened.store,
            address,
            probe_address,
            path,
            spoil: opened.spoil,
            log,
            _hears: hears,
            stop,
            task,
            directory,
        }
    }

    /// Changes rows as no interface of the store does.
    pub(crate) async fn spoil(&self, sql: &'static str) {
        match &self.spoil {
            Spoil::File(store) => support::spoil(store, sql).await,
            Spoil::Server(database) => database.execute(sql).unwrap(),
        }
    }

    pub(crate) async fn record(&self, key: &StudyKey, trials: &[Trial]) {
        let study = self.store.open_study(key, Some(5.125)).await.unwrap();
        for trial in trials {
            self.store.record_trial(&study, trial).await.unwrap();
        }
        let request = LookupRequest::new(key.problem.clone(), key.provenance.target);
        let answer = lookup::look(&*self.store, &request).await.unwrap();
        let ask = format!(
            "/api/v1/configurations?problem={}&target={}&at_least=exact",
            key.problem, key.provenance.target
        );
        // The service reads it soon.
        self.soon(&ask, &answers::line(&answer)).await;
    }

    /// Waits until the answer contains this text.
    pub(crate) async fn soon(&self, target: &str, part: &str) {
        let begin = Instant::now();
        loop {
            let (head, body) = self.get(target).await;
            if body.contains(part) {
                return;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "{target}: {part}: {head}\n{body}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the answer to a request. A client that hangs up at once gets none.
    pub(crate) async fn send(&self, bytes: &[u8], hang_up: bool) -> String {
        let answer = self.exchange(bytes, hang_up).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Returns the bytes of the answer.
    pub(crate) async fn exchange(&self, bytes: &[u8], hang_up: bool) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The service may close the connection of an invalid request before it has all of it.
        stream.write_all(bytes).await.ok();
        if hang_up {
            stream.shutdown().await.ok();
        }
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        answer
    }

    /// Returns the head and the bytes of the body of an answer.
    pub(crate) async fn download(&self, target: &str) -> (String, Vec<u8>) {
        let request =
            format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = self.exchange(request.as_bytes(), false).await;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let (head, body) = answer.split_at(end.unwrap_or(answer.len()));
        let head = String::from_utf8_lossy(head).into_owned();
        let body = body.get(4..).unwrap_or_default().to_vec();
        check_schema("GET", target, &head, &String::from_utf8_lossy(&body));
        (head, body)
    }

    /// Returns the head and the body of the answer to a GET request.
    pub(crate) async fn get(&self, target: &str) -> (String, String) {
        self.get_with(target, "Host: localhost").await
    }

    /// Sends a GET request with these headers.
    pub(crate) async fn get_with(&self, target: &str, headers: &str) -> (String, String) {
        self.ask("GET", target, headers, "").await
    }

    /// Sends a request with these headers and this body, if there is one.
    pub(crate) async fn ask(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        body: &str,
    ) -> (String, String) {
        let length = match body.len() {
            0 => String::new(),
            length => format!("Content-Length: {length}\r\n"),
        };
        let request = format!(
            "{method} {target} HTTP/1.1\r\n{headers}\r\n{length}Connection: close\r\n\r\n{body}"
        );
        let answer = self.send(request.as_bytes(), false).await;
        let (head, answered) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        check_schema(method, target, head, answered);
        // Questions of a batch are validated one by one: a bad one has its error in an answer
        // with status 200.
        let is_batch = target.ends_with("/configurations:batch");
        if !body.is_empty() && head.starts_with("HTTP/1.1 2") && !is_batch {
            check_body(method, target, body);
        }
        (head.to_owned(), answered.to_owned())
    }

    /// Sends a DELETE request.
    pub(crate) async fn delete(&self, target: &str) -> (String, String) {
        self.ask("DELETE", target, "Host: localhost", "").await
    }

    /// Creates a token with these scopes and this lifetime, and waits until the service knows it.
    pub(crate) async fn give(&self, scopes: &str, lifetime: Duration) -> (AccessToken, Grant) {
        // Any distinct tokens will do.
        let number = self.store.tokens().await.unwrap().rows.len();
        let token = AccessToken::new([number as u8; 32]);
        let scopes = scopes.parse().unwrap();
        let granted = self
            .store
            .create_token(token.hash(), "ann", &scopes, lifetime);
        let granted = granted.await.unwrap();
        let begin = Instant::now();
        while self.shown(&token).await.contains("no such token") {
            assert!(begin.elapsed() < Duration::from_secs(60), "{granted:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        (token, granted)
    }

    /// Returns the answer to a request with a token.
    pub(crate) async fn shown(&self, token: &AccessToken) -> String {
        let headers = format!("Host: localhost\r\n{}", bearer(token));
        self.get_with("/api/v1/devices", &headers).await.1
    }

    /// Sends a POST request with this body.
    pub(crate) async fn post(&self, target: &str, kind: &str, body: &str) -> (String, String) {
        let headers = format!("Host: localhost\r\nContent-Type: {kind}");
        self.ask("POST", target, &headers, body).await
    }

    pub(crate) async fn check(&self, target: &str, status: u16, part: &str) {
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
            "x-request-id: ",
        ] {
            assert!(head.contains(header), "{target}: {head}");
        }
    }

    /// Checks an error: a problem of this kind, with this parameter and position.
    pub(crate) async fn check_error(
        &self,
        target: &str,
        status: u16,
        kind: &str,
        expected: serde_json::Value,
    ) {
        let (head, body) = self.get(target).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {head}\n{body}"
        );
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert!(
            head.contains("content-type: application/problem+json"),
            "{head}"
        );
        assert_eq!(body["type"], format!("/problems/{kind}"), "{target}");
        assert_eq!(body["status"], status, "{target}");
        assert_eq!(
            serde_json::json!([body["parameter"], body["position"]]),
            expected,
            "{target}"
        );
        let detail = body["detail"].as_str().unwrap_or_default();
        assert!((1..400).contains(&detail.len()), "{detail}");
    }

    /// Returns the failures in the log.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.log.lines("ERROR")
    }

    /// Ends the service, and returns the folder of its database, which is deleted with the value.
    pub(crate) async fn end(self) -> TempDir {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
        self.directory
    }
}
