//! The origin check, and the wishes that questions leave behind.

use crate::http::ASK;
use crate::http::service::Service;
use crate::http::support::key;
use store::Catalogue as _;

/// The header that asks to record a wish.
const WISH: &str = "Wavetune-Wish: yes";

/// Asks a question without an answer, and to record it as a wish.
async fn wish(service: &Service, target: &str) {
    let (head, body) = service
        .get_with(target, &format!("Host: localhost\r\n{WISH}"))
        .await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(body.contains("\"wished\":true"), "{body}");
}

/// Checks the status of a question with these headers and a wish, and the number of wishes
/// afterwards.
async fn check(service: &Service, headers: &str, status: u16, wishes: u64) {
    let headers = format!("{headers}\r\n{WISH}");
    let (head, body) = service.get_with(ASK, &headers).await;
    assert!(
        head.starts_with(&format!("HTTP/1.1 {status} ")),
        "{headers}: {head}\n{body}"
    );
    assert!(head.contains("content-security-policy: "), "{head}");
    service.store.flush_wishes().await.unwrap();
    let wished = service.store.wishes().await.unwrap().rows;
    let count = wished.iter().map(|wished| wished.count).sum::<u64>();
    assert_eq!(count, wishes, "{headers}: {wished:?}");
}

#[test]
async fn other_sites_cause_no_wishes() {
    let service = Service::start().await;
    check(&service, "Host: localhost", 200, 1).await;
    check(&service, "Host: tuner.lan:8942", 200, 2).await;
    check(&service, "Host: 127.0.0.1:8942", 200, 3).await;
    check(
        &service,
        "Host: [::1]:8942\r\nOrigin: http://[::1]:8942",
        200,
        4,
    )
    .await;
    check(&service, "Host: evil.example", 421, 4).await;
    check(
        &service,
        "Host: evil.example\r\nOrigin: http://evil.example",
        421,
        4,
    )
    .await;
    check(&service, "Host: localhost\r\nHost: evil.example", 400, 4).await;
    check(
        &service,
        "Host: localhost\r\nOrigin: http://evil.example",
        403,
        4,
    )
    .await;
    check(
        &service,
        "Host: localhost\r\nSec-Fetch-Site: cross-site",
        403,
        4,
    )
    .await;
    check(&service, "X-Nothing: 1", 400, 4).await;
    let link = "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate";
    check(&service, link, 403, 4).await;
    let (head, _) = service.get_with("/", link).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let old = format!("GET {ASK} HTTP/1.0\r\n\r\n");
    let answer = service.send(old.as_bytes(), false).await;
    assert!(answer.starts_with("HTTP/1.0 200 "), "{answer}");
    let (_, body) = service.get_with("/healthz", "Host: evil.example").await;
    assert!(
        body.contains("--allowed-host NAME") && body.contains("evil.example"),
        "{body}"
    );
    // A question without the header leaves no wish either.
    service.check(ASK, 200, "\"wished\":false").await;
    let other = format!("Host: localhost\r\n{}", WISH.replace("yes", "no"));
    let (head, body) = service.get_with(ASK, &other).await;
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    assert!(body.contains("invalid-header"), "{body}");
    check(&service, "Host: localhost", 200, 5).await;
    // A refusal is the client's fault.
    assert_eq!(service.failures(), Vec::<String>::new());
}

/// Misses are answered without a write of their own; all wishes are in the database when the
/// service has ended.
#[test]
async fn wishes_outlive_the_service() {
    let service = Service::start().await;
    let path = service.path.clone();
    for n in 1..=40 {
        let ask = format!("/api/v1/configurations?problem=argmax:{n}x[8]xf32&target=gfx942");
        wish(&service, &ask).await;
    }
    let narrow = format!("{ASK}&device=hip:0&generator=iree");
    wish(&service, &narrow).await;
    // While it is opened again, the database stays where it is.
    let other = store_sqlite::Sqlite::open(path.to_str().unwrap())
        .await
        .unwrap();
    let _directory = service.end().await;
    let wishes = other.wishes().await.unwrap().rows;
    assert_eq!(wishes.len(), 41);
    let narrow = wishes
        .iter()
        .find(|wished| wished.wish.problem == key().problem);
    let narrow = &narrow.unwrap().wish;
    assert_eq!(narrow.device.as_deref(), Some("hip:0"));
    assert_eq!(narrow.generator, Some(configgen::Generator::IREE));
}

/// A wish is in the database soon, also without further questions.
#[test]
async fn wishes_are_written_soon() {
    let service = Service::start().await;
    for target in ["gfx942", "gfx950"] {
        let ask = format!("/api/v1/configurations?problem=argmax:[8]xf32&target={target}");
        wish(&service, &ask).await;
    }
    let begin = std::time::Instant::now();
    while service.store.wishes().await.unwrap().rows.len() < 2 {
        assert!(
            begin.elapsed().as_secs() < 60,
            "the second wish is not written"
        );
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
