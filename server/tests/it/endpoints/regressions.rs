//! Regressions after an update.

use serde_json::{Value, json};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{key, right, trial};

const REGRESSIONS: &str = "/api/v1/regressions";

pub(crate) async fn regressions_are_listed(place: Place) {
    let service = Service::start_at(&place).await;
    service
        .check(REGRESSIONS, 200, r#"{"regressions":[]}"#)
        .await;
    for (problem, version, time_us) in [
        ("argmax:4x[8]xf32", "1", 8.0),
        ("argmax:4x[8]xf32", "2", 10.0),
        ("argmin:4x[8]xf32", "1", 8.0),
        ("argmin:4x[8]xf32", "2", 20.0),
        ("argmin:4x[9]xf32", "1", 8.0),
        ("argmin:4x[9]xf32", "2", 7.0),
    ] {
        let mut key = key();
        key.problem = problem.parse().unwrap();
        key.provenance.compiler_version = version.to_owned();
        let study = service.store.open_study(&key, None).await.unwrap();
        service
            .store
            .record_trial(&study, &trial(0, 1, right(time_us)))
            .await
            .unwrap();
    }
    let (_, body) = service.get(REGRESSIONS).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    let told: Vec<(&Value, &Value, &Value)> = (body["regressions"].as_array().unwrap().iter())
        .map(|one| {
            (
                &one["problem"],
                &one["factor"],
                &one["after"]["compiler_version"],
            )
        })
        .collect();
    let version = json!("2, LLD 22.1.0");
    assert_eq!(
        told,
        [
            (&json!("argmin:4x[8]xf32:i32"), &json!(2.5), &version),
            (&json!("argmax:4x[8]xf32:i32"), &json!(1.25), &version),
        ]
    );
    let place = json!(["x", null]);
    let unknown = format!("{REGRESSIONS}?x=1");
    service
        .check_error(&unknown, 400, "unknown-parameter", place)
        .await;
}
