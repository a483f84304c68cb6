//! Access: every operation, with every kind of token.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use serde_json::Value;
use server::{Limits, TokenLimits};
use store::AccessToken;

use crate::http::openapi::{document, operations};
use crate::http::service::{Service, bearer, limits};

const HOUR: Duration = Duration::from_secs(3600);

/// All scopes.
const ALL: &str = "read submit agent admin";

/// A caller, and its headers.
struct Asker {
    name: &'static str,
    shows: Option<String>,
    /// The scopes of its valid token.
    scopes: &'static str,
}

/// Returns one caller of each kind.
async fn everybody(service: &Service) -> Vec<Asker> {
    let mut all = Vec::new();
    let mut add = |name, shows: Option<String>, scopes| {
        all.push(Asker {
            name,
            shows,
            scopes,
        });
    };
    add("nobody", None, "");
    for scope in ["read", "submit", "agent", "admin", ALL] {
        let (token, _) = service.give(scope, HOUR).await;
        add(scope, Some(bearer(&token)), scope);
    }
    let (expired, _) = service.give(ALL, Duration::ZERO).await;
    add("expired", Some(bearer(&expired)), "");
    let (revoked, grant) = service.give(ALL, HOUR).await;
    assert!(service.store.revoke_token(grant.id).await.unwrap());
    soon_refused(service, &revoked).await;
    add("revoked", Some(bearer(&revoked)), "");
    let unknown = AccessToken::new([99; 32]);
    add("unknown", Some(bearer(&unknown)), "");
    // A valid token with one wrong digit; another scheme; two headers.
    let (good, _) = service.give(ALL, HOUR).await;
    let good = good.reveal();
    let cut = &good[..good.len() - 1];
    let cut = format!("Authorization: Bearer {cut}");
    add("cut", Some(cut), "");
    add("basic", Some(format!("Authorization: Basic {good}")), "");
    let twice = format!("Authorization: Bearer {good}\r\nAuthorization: Bearer {good}");
    add("twice", Some(twice), "");
    all
}

/// Waits until a token is refused: a second, and more on a busy machine. Without the database a
/// token is valid for 10 s.
async fn soon_refused(service: &Service, token: &AccessToken) {
    let begin = Instant::now();
    while !service.shown(token).await.contains("token-invalid") {
        assert!(begin.elapsed() < Duration::from_secs(9), "still let in");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!("refused after {:?}", begin.elapsed());
}

/// Returns the status and the kind of the problem for a caller; `None` if it has access.
fn expected(asker: &Asker, needed: Option<&str>) -> Option<(&'static str, &'static str)> {
    let needed = needed?;
    if asker.scopes.split(' ').any(|scope| scope == needed) {
        return None;
    }
    Some(match (&asker.shows, asker.scopes) {
        (None, _) => ("401", "token-missing"),
        (Some(_), "") => ("401", "token-invalid"),
        (Some(_), _) => ("403", "scope-missing"),
    })
}

/// Returns the challenge header of a refusal.
fn challenge(kind: &str, needed: &str) -> String {
    let error = match kind {
        "token-missing" => String::new(),
        "token-invalid" => ", error=\"invalid_token\"".to_owned(),
        _ => format!(", error=\"insufficient_scope\", scope=\"{needed}\""),
    };
    format!("www-authenticate: Bearer realm=\"wavetune\"{error}\r\n")
}

/// Sends a request for an operation. If the caller has access, the handler finds an error in it,
/// or answers at once.
async fn ask(service: &Service, method: &str, path: &str, asker: &Asker) -> (String, String) {
    let path = path
        .replace("{kind}", "not-found")
        .replace("{path}", "main.js");
    let path = path.replace("{id}", "7");
    let (kind, body) = match method {
        "get" => ("text/plain", ""),
        _ => ("application/json", "["),
    };
    let mut headers = format!("Host: localhost\r\nContent-Type: {kind}");
    if let Some(shows) = &asker.shows {
        headers = format!("{headers}\r\n{shows}");
    }
    service
        .ask(&method.to_ascii_uppercase(), &path, &headers, body)
        .await
}

#[test]
async fn every_operation_is_refused_without_permission() {
    let service = Service::start_guarded().await;
    let document = document();
    let everybody = everybody(&service).await;
    let mut counts = [0, 0];
    for (path, method, operation) in operations(&document) {
        let needed = operation["security"][0]["token"][0].as_str();
        for asker in &everybody {
            let name = format!("{method} {path} of {}", asker.name);
            let (head, body) = ask(&service, method, path, asker).await;
            let status = &head[9..12];
            let Some((refusal, kind)) = expected(asker, needed) else {
                assert!(!["401", "403"].contains(&status), "{name}: {head}\n{body}");
                assert!(!status.starts_with('5'), "{name}: {head}\n{body}");
                counts[0] += 1;
                continue;
            };
            assert_eq!(status, refusal, "{name}: {head}\n{body}");
            let problem: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(problem["type"], format!("/problems/{kind}"), "{name}");
            let challenge = challenge(kind, needed.unwrap_or_default());
            assert!(format!("{head}\r\n").contains(&challenge), "{name}: {head}");
            counts[1] += 1;
        }
    }
    let [answered, refused] = counts;
    println!("{answered} answered, {refused} refused");
    assert!(answered > 50 && refused > 150, "{counts:?}");
}

/// A HEAD request needs the access of a GET request.
#[test]
async fn heads_are_refused_as_answers_are() {
    let service = Service::start_guarded().await;
    for (target, expected) in [("/api/v1/best", "401"), ("/healthz", "200")] {
        let request =
            format!("HEAD {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = service.send(request.as_bytes(), false).await;
        assert_eq!(&answer[9..12], expected, "{target}: {answer}");
    }
}

/// A page of another site is refused first, with any token; unknown addresses need no token.
#[test]
async fn tokens_are_no_way_round_other_checks() {
    let service = Service::start_guarded().await;
    let (token, _) = service.give(ALL, HOUR).await;
    let token = bearer(&token);
    for (headers, expected) in [
        ("Host: evil.example", "421"),
        ("Host: localhost\r\nOrigin: http://evil.example", "403"),
    ] {
        let headers = format!("{headers}\r\n{token}");
        let (head, body) = service.get_with("/api/v1/best", &headers).await;
        assert_eq!(&head[9..12], expected, "{head}");
        assert!(!body.contains("scope-missing"), "{body}");
    }
    service.check("/nowhere", 404, "not-found").await;
    // A service on loopback requires no token, and ignores tokens.
    let open = Service::start().await;
    let shows = "Host: localhost\r\nAuthorization: Bearer nonsense";
    let (head, _) = open.get_with("/api/v1/best", shows).await;
    assert_eq!(&head[9..12], "200", "{head}");
}

/// If the tokens cannot be read any more, old ones in memory grant no access: one may be revoked.
#[test]
#[ignore = "full: waits for 10 s until what is in memory is not believed"]
async fn stale_tokens_are_read_again() {
    let service = Service::start_guarded().await;
    let (token, _) = service.give("read", HOUR).await;
    assert!(service.shown(&token).await.contains("devices"));
    service.store.close().await;
    std::fs::remove_file(&service.path).unwrap();
    let begin = Instant::now();
    while !service.shown(&token).await.contains("database-unavailable") {
        assert!(begin.elapsed() < Duration::from_secs(20), "still believed");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(
        begin.elapsed() > Duration::from_secs(8),
        "{:?}",
        begin.elapsed()
    );
}

/// A token over its rate limit learns when to retry, and takes nothing from others.
#[test]
async fn a_token_has_an_allowance() {
    let allowed = TokenLimits {
        rate: NonZeroU32::new(2).unwrap(),
        at_once: 2,
        waiting: 2,
        ..TokenLimits::default()
    };
    let service = Service::start_sparing(allowed).await;
    let (greedy, _) = service.give("read agent", HOUR).await;
    let (modest, _) = service.give("read", HOUR).await;
    let mut answers = Vec::new();
    for _ in 0..20 {
        answers.push(service.shown(&greedy).await);
    }
    // However slowly they came.
    let is_refused = |answer: &String| answer.contains("/problems/too-fast");
    assert!(answers.iter().any(is_refused), "{answers:?}");
    assert!(service.shown(&modest).await.contains("\"devices\""));
    let headers = format!("Host: localhost\r\n{}", bearer(&greedy));
    let (head, _) = loop {
        let answer = service.get_with("/api/v1/devices", &headers).await;
        if !answer.0.starts_with("HTTP/1.1 200 ") {
            break answer;
        }
    };
    assert!(head.starts_with("HTTP/1.1 429 "), "{head}");
    assert!(
        format!("{head}\r\n").contains("retry-after: 1\r\n"),
        "{head}"
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(service.shown(&greedy).await.contains("\"devices\""));
}

/// The log has a limited number of failed authentications per address; further ones are refused
/// at once. Valid tokens still pass.
#[test]
async fn failed_authentications_are_throttled() {
    let limits = Limits {
        failures_per_minute: NonZeroU32::new(6).unwrap(),
        ..limits()
    };
    let service = Service::start_limited(limits, true, |catalogue| catalogue).await;
    let (good, _) = service.give("read", HOUR).await;
    let mut refused = String::new();
    // Refusals before the service knew the valid token count, too.
    for number in 100..107 {
        refused = service.shown(&AccessToken::new([number; 32])).await;
    }
    assert!(refused.contains("/problems/too-many-failures"), "{refused}");
    let shows = format!("Host: localhost\r\n{}", bearer(&AccessToken::new([99; 32])));
    let (head, _) = service.get_with("/api/v1/devices", &shows).await;
    assert!(
        head.starts_with("HTTP/1.1 429 ") && head.contains("retry-after: "),
        "{head}"
    );
    // The service learns of a new token soon.
    let begin = Instant::now();
    while !service.shown(&good).await.contains("\"devices\"") {
        assert!(begin.elapsed() < Duration::from_secs(60), "not let in");
    }
    // A caller without a token has not failed, unless it would change something.
    service.check("/api/v1/devices", 401, "token-missing").await;
    let (_, body) = service
        .post("/api/v1/leases", "application/json", "{}")
        .await;
    assert!(body.contains("/problems/too-many-failures"), "{body}");
    let shows = format!("Host: localhost\r\n{}", bearer(&good));
    let (_, metrics) = service.get_with("/metrics", &shows).await;
    let counted = metrics
        .lines()
        .find_map(|line| line.strip_prefix("wavetune_auth_failures_total "));
    assert!(counted.unwrap().parse::<u32>().unwrap() >= 8, "{metrics}");
    // The throttle lets one more failure through every 10 s, and each has one log line.
    let told = service.log.lines(" audit: not let in ");
    assert!((6..10).contains(&told.len()), "{told:#?}");
    for part in [
        "address=127.0.0.1:",
        "operation=\"GET /api/v1/devices\"",
        "status=401",
    ] {
        assert!(told[0].contains(part), "{told:#?}");
    }
}
