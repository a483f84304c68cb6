//! The files of the dashboard: their headers, revalidation and compression.

use std::io::Read as _;

use crate::http::ASK;
use crate::http::service::Service;
use crate::http::support::{key, right, trial};

/// The promised policy of the dashboard.
const POLICY: &str = "content-security-policy: default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; object-src 'none'\r\n";

/// Returns the addresses of the page and of all its files.
fn addresses() -> Vec<(String, Vec<u8>)> {
    let files = web::files().into_iter().map(|path| {
        let file = web::file(&path).unwrap();
        (format!("/web/{path}"), file.bytes.into_owned())
    });
    let page = ("/".to_owned(), web::page().bytes.into_owned());
    [page].into_iter().chain(files).collect()
}

/// Returns the value of a header.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(of, _)| *of == name).map(|(_, value)| value)
}

/// The files need no token: they are the same for everybody.
#[test]
async fn dashboard_files_have_types_and_a_content_policy() {
    let service = Service::start_guarded().await;
    let addresses = addresses();
    assert!(addresses.len() > 3);
    for (address, bytes) in addresses {
        let (head, body) = service.download(&address).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{address}: {head}");
        assert_eq!(body, bytes, "{address}");
        let head = format!("{head}\r\n");
        assert!(head.contains(POLICY), "{address}: {head}");
        let says = |name| header(&head, name);
        assert_eq!(says("cache-control"), Some("no-cache"), "{address}");
        assert_eq!(says("x-content-type-options"), Some("nosniff"), "{address}");
        let kind = says("content-type").unwrap();
        let end = address.rsplit(['.', '/']).next().unwrap();
        let expected = match end {
            "" | "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        };
        assert_eq!(kind, expected, "{address}");

        let had = says("etag").unwrap();
        let headers = format!("Host: localhost\r\nIf-None-Match: {had}");
        let (head, body) = service.get_with(&address, &headers).await;
        assert!(head.starts_with("HTTP/1.1 304 "), "{address}: {head}");
        assert_eq!((header(&head, "etag"), body.as_str()), (Some(had), ""));
    }
}

/// Answers of the API run nothing, and its pages only their own script.
#[test]
async fn other_answers_run_no_script() {
    let service = Service::start().await;
    for address in [
        "/healthz",
        "/api/v1/best",
        "/problems/not-found",
        "/style.css",
        "/web/none.js",
        "/nothing",
    ] {
        let (head, _) = service.get(address).await;
        let policy = header(&head, "content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; "),
            "{address}: {policy}"
        );
        assert!(!policy.contains("script-src"), "{address}: {policy}");
    }
}

#[test]
async fn there_is_nothing_beside_the_dashboard_s_files() {
    let service = Service::start().await;
    for path in [
        "",
        "none.js",
        "..%2fCargo.toml",
        "../src/lib.rs",
        "%2e%2e/src/lib.rs",
        "vendor%2f..%2f..%2fCargo.toml",
        "%2fetc%2fhosts.txt",
        "main.js%00",
        "%FF.js",
    ] {
        let place = serde_json::json!([null, null]);
        service
            .check_error(&format!("/web/{path}"), 404, "not-found", place)
            .await;
    }
}

#[test]
async fn files_are_compressed_on_request() {
    let service = Service::start().await;
    let (_, plain) = service.download("/").await;
    let (head, _) = service.get("/").await;
    let tag = header(&head, "etag").unwrap();
    assert_eq!(header(&head, "content-encoding"), None, "{head}");
    assert_eq!(header(&head, "vary"), Some("accept-encoding"), "{head}");

    let ask = async |accepts: &str, more: &str| {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {accepts}\r\n{more}Connection: close\r\n\r\n"
        );
        let answer = service.exchange(request.as_bytes(), false).await;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let (head, body) = answer.split_at(end.unwrap());
        (
            String::from_utf8(head.to_vec()).unwrap(),
            body[4..].to_vec(),
        )
    };
    for accepts in ["gzip", "gzip, deflate, br, zstd", "identity;q=0, gzip"] {
        let (head, body) = ask(accepts, "").await;
        assert_eq!(header(&head, "content-encoding"), Some("gzip"), "{head}");
        // The strong tag does not name compressed bytes.
        let weak = format!("W/{tag}");
        assert_eq!(header(&head, "etag"), Some(weak.as_str()), "{head}");
        let body = chunks(&body);
        assert!(body.len() < plain.len(), "{} bytes", body.len());
        let mut unpacked = Vec::new();
        let mut packed = flate2::read::GzDecoder::new(&body[..]);
        packed.read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
        let (head, _) = ask(accepts, &format!("If-None-Match: {weak}\r\n")).await;
        assert!(head.starts_with("HTTP/1.1 304 "), "{head}");
    }
    for accepts in ["", "br", "gzip;q=0", "identity", "nonsense;;q=x"] {
        let (head, body) = ask(accepts, "").await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{accepts}: {head}");
        assert_eq!(header(&head, "content-encoding"), None, "{accepts}: {head}");
        assert_eq!(body, plain, "{accepts}");
    }
    for accepts in ["*;q=0", "identity;q=0", "identity;q=0, br"] {
        let headers = format!("Host: localhost\r\nAccept-Encoding: {accepts}");
        let (head, body) = service.get_with("/", &headers).await;
        assert!(head.starts_with("HTTP/1.1 406 "), "{accepts}: {head}");
        assert!(body.contains("/problems/not-acceptable\""), "{body}");
    }
}

/// Large answers of the API are compressed, too. A single lookup is small and frequent, and is
/// sent as it is.
#[test]
async fn large_answers_of_the_api_are_packed() {
    let service = Service::start().await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    let headers = "Host: localhost\r\nAccept-Encoding: gzip";
    for (target, is_packed) in [
        ("/api/v1/openapi.json", true),
        ("/api/v1/trials", true),
        ("/api/v1/studies/1/trials", true),
        ("/api/v1/records", true),
        ("/metrics", true),
        (ASK, false),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
        let answer = service.exchange(request.as_bytes(), false).await;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let head = String::from_utf8_lossy(&answer[..end.unwrap()]);
        assert!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
        let encoding = header(&head, "content-encoding");
        assert_eq!(encoding == Some("gzip"), is_packed, "{target}: {head}");
        if is_packed {
            let body = chunks(&answer[end.unwrap() + 4..]);
            let mut unpacked = String::new();
            let mut packed = flate2::read::GzDecoder::new(&body[..]);
            packed.read_to_string(&mut unpacked).unwrap();
            let (_, plain) = service.get(target).await;
            // The request in between changes the metrics.
            assert!(unpacked == plain || target == "/metrics", "{target}");
        }
    }
}

/// Decodes a body in chunks.
fn chunks(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|bytes| bytes == b"\r\n").unwrap();
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend(&body[end + 2..][..length]);
        body = &body[end + 2 + length + 2..];
    }
}
