//! Trials: a page at a time, and as a stream of lines.

use serde_json::{Value, json};
use store::{FailureKind, StudyKey, Trial, TrialOutcome};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, timing, trial};

/// Records a study with these trials, and returns its number.
async fn record(service: &Service, key: &StudyKey, trials: &[Trial]) -> i64 {
    let study = service.store.open_study(key, None).await.unwrap();
    for trial in trials {
        service.store.record_trial(&study, trial).await.unwrap();
    }
    study.id.0
}

fn some() -> Vec<Trial> {
    let failed = |kind| TrialOutcome::Failed(kind, "no".to_owned());
    vec![
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.0)),
        trial(2, 3, TrialOutcome::Tie(timing(3.0), "row 0".to_owned())),
        trial(3, 4, failed(FailureKind::Crash)),
        trial(5, 5, failed(FailureKind::Abandoned)),
        trial(6, 2, right(4.0)),
    ]
}

/// Returns all trials of a list that is read in pages of this length.
async fn rows(service: &Service, target: &str, limit: usize) -> Vec<Value> {
    let separator = if target.contains('?') { '&' } else { '?' };
    let (mut rows, mut next) = (Vec::new(), String::new());
    loop {
        let address = format!("{target}{separator}limit={limit}{next}");
        let (head, body) = service.get(&address).await;
        assert!(
            head.starts_with("HTTP/1.1 200 "),
            "{address}: {head}\n{body}"
        );
        let page: Value = serde_json::from_str(&body).unwrap();
        let trials = page["trials"].as_array().unwrap();
        assert!(trials.len() <= limit && rows.len() < 100, "{rows:?}");
        rows.extend(trials.iter().cloned());
        match page["next"].as_str() {
            None => return rows,
            Some(cursor) => next = format!("&cursor={cursor}"),
        }
    }
}

fn ordinals(rows: &[Value]) -> Vec<u64> {
    rows.iter()
        .map(|row| row["ordinal"].as_u64().unwrap())
        .collect()
}

pub(crate) async fn trials_are_listed_in_pages_by_what_they_are(place: Place) {
    let service = Service::start_at(&place).await;
    let id = record(&service, &key(), &some()).await;
    record(&service, &StudyKey { seed: 1, ..key() }, &some()).await;
    let list = format!("/api/v1/studies/{id}/trials");
    let all = rows(&service, &list, 100).await;
    let hash = all[1]["configuration_hash"].as_str().unwrap()[..9].to_owned();
    for (query, expected) in [
        ("", &[0, 1, 2, 3, 5, 6][..]),
        ("?sort=ordinal", &[0, 1, 2, 3, 5, 6]),
        ("?sort=time", &[2, 1, 6, 0]),
        ("?status=right&sort=time", &[1, 6, 0]),
        ("?status=failed", &[3, 5]),
        ("?failure=abandoned", &[5]),
        ("?role=default", &[0]),
        ("?least_us=4&most_us=8.5", &[1, 6]),
        (&format!("?hash={hash}"), &[1, 6]),
        ("?status=wrong", &[]),
    ] {
        for limit in [1, 2, 100] {
            let listed = rows(&service, &format!("{list}{query}"), limit).await;
            assert_eq!(ordinals(&listed), expected, "{query} {limit}");
            assert!(listed.iter().all(|row| row["study"] == id), "{listed:?}");
        }
    }
    assert_eq!(all[3]["failure"], "crash");
    assert_eq!(all[3]["message"], "no");
    assert_eq!(all[2]["time_us"], 3.0);
    // They are equal to the output of the command line.
    let page = store::Page::first(9);
    let which = store::TrialFilter::default();
    let listed = service.store.list_all_trials(&which, page).await.unwrap();
    let lines = listed
        .rows
        .into_iter()
        .map(|it| answers::line(&lookup::trial(it)));
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert_eq!(lines[..6], all);
}

pub(crate) async fn trials_of_all_studies_are_listed(place: Place) {
    let service = Service::start_at(&place).await;
    let mut ids = Vec::new();
    for seed in 0..3 {
        ids.push(record(&service, &StudyKey { seed, ..key() }, &some()).await);
    }
    ids.sort_unstable();
    for (query, of_each) in [
        ("", &[0, 1, 2, 3, 5, 6][..]),
        ("?status=right", &[0, 1, 6]),
        ("?failure=abandoned", &[5]),
        ("?status=failed", &[3, 5]),
        ("?failure=timeout", &[]),
        ("?failure=crash&role=default", &[]),
    ] {
        let expected = ids
            .iter()
            .flat_map(|&id| of_each.iter().map(move |&n| (id, n)));
        let expected: Vec<(i64, u64)> = expected.collect();
        for limit in [1, 2, 5, 100] {
            let listed = rows(&service, &format!("/api/v1/trials{query}"), limit).await;
            let listed = listed.iter().map(|row| {
                (
                    row["study"].as_i64().unwrap(),
                    row["ordinal"].as_u64().unwrap(),
                )
            });
            assert_eq!(listed.collect::<Vec<_>>(), expected, "{query} {limit}");
        }
    }
}

/// Returns the lines of a stream over HTTP/1.0, which has no chunks.
async fn lines(service: &Service, target: &str) -> Vec<Value> {
    let request = format!(
        "GET {target} HTTP/1.0\r\nHost: localhost\r\nAccept: text/html, application/x-ndjson;q=0.9\r\n\r\n"
    );
    let answer = service.send(request.as_bytes(), false).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("content-type: application/x-ndjson"),
        "{head}\n{body}"
    );
    assert!(body.is_empty() || body.ends_with('\n'), "{body}");
    body.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) async fn a_stream_has_a_line_for_each_trial(place: Place) {
    let service = Service::start_at(&place).await;
    let many: Vec<Trial> = (0..450).map(|n| trial(n, n + 1, right(8.0))).collect();
    let id = record(&service, &key(), &many).await;
    let list = format!("/api/v1/studies/{id}/trials");
    for target in [&list, "/api/v1/trials"] {
        let streamed = lines(&service, target).await;
        assert_eq!(ordinals(&streamed), (0..450).collect::<Vec<u64>>());
        streamed
            .iter()
            .for_each(|line| testing_conformance::check("trial", line));
    }
    // A stream continues after a page.
    let (_, page) = service.get(&format!("{list}?limit=400")).await;
    let page: Value = serde_json::from_str(&page).unwrap();
    let rest = format!("{list}?cursor={}", page["next"].as_str().unwrap());
    assert_eq!(
        ordinals(&lines(&service, &rest).await),
        (400..450).collect::<Vec<u64>>()
    );
    assert_eq!(
        lines(&service, &format!("{list}?status=wrong")).await,
        Vec::<Value>::new()
    );
    // The last line has the unreadable trials.
    service
        .spoil("UPDATE trial SET status = 'new' WHERE ordinal IN (7, 300)")
        .await;
    let mut streamed = lines(&service, &list).await;
    let last = streamed.pop().unwrap();
    testing_conformance::check("left-out", &last);
    assert_eq!(last["unreadable"]["rows"], 2);
    assert_eq!(streamed.len(), 448);
    let (_, page) = service.get(&format!("{list}?limit=10")).await;
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!(page["unreadable"]["rows"], 1);
}

pub(crate) async fn a_client_that_goes_away_ends_its_stream(place: Place) {
    let service = Service::start_at(&place).await;
    let many: Vec<Trial> = (0..2000).map(|n| trial(n, n + 1, right(8.0))).collect();
    record(&service, &key(), &many).await;
    let mut client = TcpStream::connect(service.address).await.unwrap();
    let request =
        "GET /api/v1/trials HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n";
    client.write_all(request.as_bytes()).await.unwrap();
    let mut begun = [0; 4000];
    client.read_exact(&mut begun).await.unwrap();
    let connections = async || {
        let (_, metrics) = service.get("/metrics").await;
        let line = metrics
            .lines()
            .find_map(|it| it.strip_prefix("wavetune_http_connections "));
        line.unwrap().to_owned()
    };
    // This request's connection, and that of the client that has not read everything.
    assert_eq!(connections().await, "2");
    drop(client);
    service
        .soon("/metrics", "wavetune_http_connections 1\n")
        .await;
    assert_eq!(service.failures(), Vec::<String>::new());
}

pub(crate) async fn a_trial_is_found_by_its_place(place: Place) {
    let service = Service::start_at(&place).await;
    record(&service, &StudyKey { seed: 1, ..key() }, &some()).await;
    let id = record(&service, &key(), &some()).await;
    let list = format!("/api/v1/studies/{id}/trials");
    for row in rows(&service, &list, 100).await {
        let (_, one) = service.get(&format!("{list}/{}", row["ordinal"])).await;
        let one: Value = serde_json::from_str(&one).unwrap();
        assert_eq!(one, row);
    }
    // The study has a trial after this place, and none at it.
    for missing in [
        format!("{list}/4"),
        format!("{list}/4294967295"),
        "/api/v1/studies/77/trials/0".to_owned(),
    ] {
        service.check(&missing, 404, "unknown-trial").await;
    }
    for wrong in ["-1", "x", "4294967296"] {
        service
            .check(&format!("{list}/{wrong}"), 400, "\"ordinal\"")
            .await;
    }
    service
        .check("/api/v1/studies/x/trials/0", 400, "\"id\"")
        .await;
    service
        .spoil("UPDATE trial SET status = 'new' WHERE ordinal = 3")
        .await;
    let told = "that this build cannot read";
    service.check(&format!("{list}/3"), 404, told).await;
}

pub(crate) async fn invalid_trial_lists_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    let id = record(&service, &key(), &some()).await;
    let list = format!("/api/v1/studies/{id}/trials");
    for (query, parameter) in [
        ("status=fine", "status"),
        ("failure=luck", "failure"),
        ("role=best", "role"),
        ("least_us=x", "least_us"),
        ("most_us=NaN", "most_us"),
        ("hash=", "hash"),
        ("hash=%00", "hash"),
        ("hash=%25", "hash"),
        ("limit=0", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=s1", "cursor"),
    ] {
        for list in [&list, "/api/v1/trials"] {
            let place = json!([parameter, null]);
            let target = format!("{list}?{query}");
            service
                .check_error(&target, 400, "invalid-value", place)
                .await;
        }
    }
    let place = || json!(["sort", null]);
    let of_all = "/api/v1/trials?sort=time";
    service
        .check_error(of_all, 400, "unknown-parameter", place())
        .await;
    let other = format!("{list}?sort=luck");
    service
        .check_error(&other, 400, "invalid-value", place())
        .await;
    let none = "/api/v1/studies/999999/trials";
    service
        .check_error(none, 404, "unknown-study", json!([null, null]))
        .await;
    // A stream has no pages.
    let headers = "Host: localhost\r\nAccept: application/x-ndjson";
    let (head, _) = service.get_with(&format!("{list}?limit=3"), headers).await;
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
}
