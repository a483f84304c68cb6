//! A database that is deleted, replaced or damaged under the service.

use std::fs;
use std::path::{Path, PathBuf};
use store::Ledger as _;

use store_sqlite::Sqlite;

use crate::http::ASK;
use crate::http::service::Service;
use crate::http::support::{key, right, trial};

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Creates a database with this best time.
async fn create(path: &Path, time_us: f64) {
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &trial(0, 1, right(time_us)))
        .await
        .unwrap();
    store.close().await;
}

#[test]
async fn a_database_that_is_deleted_and_replaced() {
    let service = Service::start().await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    service.check(ASK, 200, "\"time_us\":8.0").await;
    service.check("/readyz", 200, "ok").await;

    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(beside(&service.path, ending)).unwrap();
    }
    service.soon(ASK, "was deleted or moved").await;
    for target in ["/readyz", "/api/v1/best"] {
        service.check(target, 503, "was deleted or moved").await;
    }
    // The page does not need the database.
    let (head, _) = service.get("/").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    service.check("/healthz", 200, "ok").await;
    let failures = service.failures();
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(!service.path.exists(), "the service made a file");

    create(&service.path, 6.0).await;
    service.soon(ASK, "\"time_us\":6.0").await;
    service.check("/readyz", 200, "ok").await;

    // A replacement while it is open.
    let other = beside(&service.path, "-other");
    create(&other, 5.0).await;
    fs::rename(&other, &service.path).unwrap();
    fs::remove_file(beside(&service.path, "-wal")).ok();
    fs::remove_file(beside(&service.path, "-shm")).ok();
    service.soon(ASK, "\"time_us\":5.0").await;
    service.check("/api/v1/best", 200, "5.0").await;

    // Moved away and back: the same file, but closed meanwhile.
    fs::rename(&service.path, &other).unwrap();
    service.check("/readyz", 503, "was deleted or moved").await;
    fs::rename(&other, &service.path).unwrap();
    service.soon(ASK, "\"time_us\":5.0").await;

    // A new one is served, whichever program writes it.
    let store = Sqlite::open(service.path.to_str().unwrap()).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &trial(1, 2, right(4.0)))
        .await
        .unwrap();
    service.soon(ASK, "\"time_us\":4.0").await;

    assert_eq!(service.failures().len(), 4);
    service.end().await;
}

#[test]
async fn a_log_that_is_deleted() {
    for ending in ["-wal", "-shm"] {
        let service = Service::start().await;
        service.record(&key(), &[trial(0, 1, right(8.0))]).await;
        fs::remove_file(beside(&service.path, ending)).unwrap();
        // The content of the write-ahead log is in the database.
        service.check(ASK, 200, "\"time_us\":8.0").await;
        service.check("/readyz", 200, "ok").await;
        create(&service.path, 8.0).await;
        service.check("/readyz", 200, "ok").await;
        service.end().await;
    }
}

/// The log has every failure with its cause, and every request once.
#[test]
async fn requests_and_failures_are_told() {
    let service = Service::start().await;
    service.check("/healthz", 200, "ok").await;
    service.check("/nothing", 404, "not-found").await;
    // From here on the service has read the database: it is not in the middle of a read when the
    // file disappears.
    service.soon("/api/v1/problems", "\"problems\":[]").await;
    fs::remove_file(&service.path).unwrap();
    service.soon(ASK, "was deleted or moved").await;
    let waited = service.log.lines("server::request_log:").len() - 2;
    let failed = service.failures().len();
    for n in 0..30 {
        service
            .check(
                &format!("{ASK}&device=hip:{n}"),
                503,
                "/problems/database-unavailable",
            )
            .await;
    }
    let requests = service.log.lines("server::request_log:");
    assert_eq!(requests.len(), 32 + waited, "{requests:?}");
    let told = |line: &str, parts: &[&str]| {
        let has = parts.iter().all(|part| line.contains(part));
        assert!(has, "{line}: {parts:?}");
    };
    let answered = [
        "INFO request{id=\"",
        "-1\"}: ",
        " path=\"/healthz\" status=200 ",
    ];
    told(&requests[0], &answered);
    told(
        &requests[1],
        &["INFO request{id=\"", "-2\"}: ", " status=404 "],
    );
    let failures = service.failures();
    assert_eq!(failures[failed..], requests[2 + waited..]);
    for (n, line) in failures[failed..].iter().enumerate() {
        let (id, path) = (
            format!("-{}\"}}: ", n + 3 + waited),
            format!("{ASK}&device=hip:{n}"),
        );
        let path = format!(" method=\"GET\" path=\"{path}\" status=503 microseconds=");
        told(
            line,
            &["ERROR request{id=\"", &id, &path, " cause=\"database "],
        );
    }
    service.end().await;
}

#[test]
async fn readiness_is_the_databases() {
    let service = Service::start().await;
    service.check("/readyz", 200, "ok\n").await;
    let other = service.path.with_extension("other");
    // Neither is a fault of the service: it continues when a database is there.
    for garbage in ["no database, but long enough".repeat(99), String::new()] {
        fs::write(&other, garbage).unwrap();
        fs::rename(&other, &service.path).unwrap();
        for target in ["/readyz", "/api/v1/best"] {
            service
                .check(target, 503, "/problems/database-unavailable\"")
                .await;
        }
        service.check("/healthz", 200, "ok\n").await;
    }
    create(&other, 5.0).await;
    fs::rename(&other, &service.path).unwrap();
    service.soon("/readyz", "ok\n").await;
    service.soon(ASK, "\"time_us\":5.0").await;
    service.end().await;
}
