//! Hostile text, hostile sizes and arbitrary requests.

use proptest::prelude::*;

use crate::http::ASK;
use crate::http::service::Service;

#[test]
async fn heads_have_a_limit() {
    let service = Service::start().await;
    let long = format!("{ASK}&device={}", "a".repeat(100_000));
    let (head, _) = service.get(&long).await;
    // The service may close the connection before it has all of this.
    let refused = head.is_empty() || head.starts_with("HTTP/1.1 431 ");
    assert!(refused, "{head}");
    service.check("/healthz", 200, "ok").await;
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

/// Every request gets its own answer, and the service continues.
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

/// Encodes a value for an address.
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
        "/web/[a-z./%]{0,12}",
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
        format!("GET {path}?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
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
