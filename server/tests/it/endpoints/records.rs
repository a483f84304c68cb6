//! Records: all studies of the database from any program.

use serde_json::Value;
use store::{FailureKind, Page, Readable, StudyFilter, StudyKey, TrialOutcome};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, key_made, right, trial};

/// Returns the numbers of the studies of a list that is read in pages of this length.
async fn ids(service: &Service, query: &str, limit: usize) -> Vec<i64> {
    let (mut ids, mut next) = (Vec::new(), String::new());
    loop {
        let address = format!("/api/v1/records?limit={limit}{query}{next}");
        let (head, body) = service.get(&address).await;
        assert!(
            head.starts_with("HTTP/1.1 200 "),
            "{address}: {head}\n{body}"
        );
        let page: Value = serde_json::from_str(&body).unwrap();
        let studies = page["studies"].as_array().unwrap();
        assert!(studies.len() <= limit && ids.len() < 100, "{ids:?}");
        ids.extend(studies.iter().map(|study| study["id"].as_i64().unwrap()));
        match page["next"].as_str() {
            None => return ids,
            Some(cursor) => next = format!("&cursor={cursor}"),
        }
    }
}

pub(crate) async fn studies_of_the_database_are_listed(place: Place) {
    let service = Service::start_to_answer(&place).await;
    let keys = [
        key(),
        StudyKey { seed: 1, ..key() },
        StudyKey {
            problem: "argmin:[7]xf16".parse().unwrap(),
            ..key()
        },
        key_made(|made| {
            made.device = "hip:0".to_owned();
            made.target = configgen::Target::named("gfx1100").unwrap();
        }),
        key_made(|made| made.generator = configgen::Generator::IREE),
    ];
    let failed = TrialOutcome::Failed(FailureKind::Crash, "no".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.5)),
        trial(2, 3, failed),
    ];
    let mut made = Vec::new();
    for key in &keys {
        let study = service.store.open_study(key, Some(5.0)).await.unwrap();
        for trial in &trials {
            service.store.record_trial(&study, trial).await.unwrap();
        }
        made.push(study.id.0);
    }
    let [first, second, third, fourth, fifth] = made[..] else {
        panic!("{made:?}")
    };
    for (query, expected) in [
        ("", &[fifth, fourth, third, second, first][..]),
        (
            "&problem=argmax:4x%5B32000%5Dxf32",
            &[fifth, fourth, second, first],
        ),
        ("&problem=argmin:%5B7%5Dxf16:i32", &[third]),
        ("&target=gfx1100", &[fourth]),
        ("&device=hip:0", &[fourth]),
        ("&generator=iree", &[fifth]),
        ("&generator=iree&target=gfx1100", &[]),
    ] {
        for limit in [1, 2, 100] {
            assert_eq!(
                ids(&service, query, limit).await,
                expected,
                "{query} {limit}"
            );
        }
    }
    // Each is equal to the output of the command line.
    let all = StudyFilter::default();
    let listed = service
        .store
        .list_studies(&all, Page::first(9))
        .await
        .unwrap();
    let records = Readable {
        rows: listed.rows,
        unreadable: listed.unreadable,
    };
    let told = lookup::list_studies(&*service.store, records)
        .await
        .unwrap();
    let (_, body) = service.get("/api/v1/records").await;
    let page: Value = serde_json::from_str(&body).unwrap();
    for (study, listed) in told.rows.iter().zip(page["studies"].as_array().unwrap()) {
        let line = answers::line(study);
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), *listed);
        let (_, one) = service.get(&format!("/api/v1/records/{}", study.id)).await;
        let one: Value = serde_json::from_str(&one).unwrap();
        assert_eq!(one["study"], *listed);
        assert_eq!(one["run"], Value::Null, "a command tuned it");
    }
    // No later study tried the configurations of this one.
    let study = &page["studies"][2];
    assert_eq!(study["trials"]["total"], 3);
    assert_eq!(study["trials"]["failed"], 1);
    assert_eq!(study["speedup"], 2.0);
    assert_eq!(study["best"]["ordinal"], 1);
}

pub(crate) async fn invalid_records_are_refused(place: Place) {
    let service = Service::start_at(&place).await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    for (query, parameter) in [
        ("problem=argmax:4x", "problem"),
        ("target=gfx000", "target"),
        ("generator=gcc", "generator"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=o1", "cursor"),
        ("strategy=random", "strategy"),
    ] {
        let (head, body) = service.get(&format!("/api/v1/records?{query}")).await;
        assert!(head.starts_with("HTTP/1.1 400 "), "{query}: {head}\n{body}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["parameter"], parameter, "{query}");
    }
    service.check("/api/v1/records/x", 400, "\"id\"").await;
    service.check("/api/v1/records/1?a=b", 400, "\"a\"").await;
    service
        .check("/api/v1/records/77", 404, "unknown-study")
        .await;
}

pub(crate) async fn unreadable_studies_are_reported(place: Place) {
    let service = Service::start_at(&place).await;
    let other = StudyKey {
        problem: "argmin:[7]xf16".parse().unwrap(),
        ..key()
    };
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    service.record(&other, &[trial(0, 1, right(8.0))]).await;
    service
        .spoil("UPDATE problem SET text = 'argmax:<b>' WHERE element = 'f16'")
        .await;
    let (_, body) = service.get("/api/v1/records").await;
    let page: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(page["studies"].as_array().unwrap().len(), 1, "{body}");
    assert_eq!(page["unreadable"]["rows"], 1, "{body}");
    let readable = page["studies"][0]["id"].as_i64().unwrap();
    let spoilt = if readable == 1 { 2 } else { 1 };
    let one = format!("/api/v1/records/{spoilt}");
    service
        .check(&one, 404, "that this build cannot read")
        .await;
}
