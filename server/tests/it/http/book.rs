//! The book below `/docs/`: its files, their rights in a browser, and nothing beside them.

use std::fs;

use server::Book;

use crate::http::service::Service;

/// Returns a book of files that have their own names as content.
pub(crate) fn small(names: &[&str]) -> Book {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, name).unwrap();
    }
    Book::read(folder.path()).unwrap()
}

/// Returns the value of a header.
fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(of, _)| *of == name);
    found.unwrap_or_else(|| panic!("{name}: {head}")).1
}

#[test]
async fn pages_of_the_book_are_served_to_everybody() {
    let names = [
        "index.html",
        "css/a.css",
        "b.js",
        "c.png",
        "d.webp",
        "e.woff2",
        "source/f.h",
    ];
    let service = Service::start_with_book(small(&names)).await;
    for (address, name, kind) in [
        ("/docs/", "index.html", "text/html; charset=utf-8"),
        ("/docs/index.html", "index.html", "text/html; charset=utf-8"),
        ("/docs/css/a.css", "css/a.css", "text/css; charset=utf-8"),
        ("/docs/b.js", "b.js", "text/javascript; charset=utf-8"),
        ("/docs/c.png", "c.png", "image/png"),
        ("/docs/d.webp", "d.webp", "image/webp"),
        ("/docs/e.woff2", "e.woff2", "font/woff2"),
        (
            "/docs/source/f.h",
            "source/f.h",
            "text/plain; charset=utf-8",
        ),
    ] {
        let (head, body) = service.get(address).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{address}: {head}");
        assert_eq!((body.as_str(), header(&head, "content-type")), (name, kind));
        assert_eq!(header(&head, "x-content-type-options"), "nosniff");
        let policy = header(&head, "content-security-policy");
        let is_page = name.ends_with(".html");
        assert_eq!(policy.contains("script-src 'self';"), is_page, "{policy}");
        assert_eq!(
            policy.starts_with("default-src 'none';"),
            !is_page,
            "{policy}"
        );
        let tag = header(&head, "etag");
        let headers = format!("Host: localhost\r\nIf-None-Match: {tag}");
        let (head, body) = service.get_with(address, &headers).await;
        assert!(
            head.starts_with("HTTP/1.1 304 ") && body.is_empty(),
            "{head}"
        );
    }
    let (head, _) = service.get("/docs").await;
    assert!(head.starts_with("HTTP/1.1 308 "), "{head}");
    assert_eq!(header(&head, "location"), "/docs/");
}

#[test]
async fn nothing_beside_the_book_is_served() {
    let service = Service::start_with_book(small(&["index.html", "css/a.css"])).await;
    let database = service.path.display().to_string();
    for path in [
        "none.html",
        "css",
        "css/",
        "../healthz",
        "..%2fhealthz",
        "%2e%2e/healthz",
        "css/..%2findex.html",
        "css/../index.html",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        "index.html%00",
        "%FF.html",
        database.as_str(),
    ] {
        let place = serde_json::json!([null, null]);
        let address = format!("/docs/{path}");
        service.check_error(&address, 404, "not-found", place).await;
    }
}

#[test]
async fn a_service_without_a_book_says_so() {
    let service = Service::start().await;
    for address in ["/docs", "/docs/", "/docs/index.html"] {
        service
            .check(address, 404, "wavetune serve --docs DIR")
            .await;
    }
}
