//! Unreadable rows: the rest is answered, and every answer counts the unreadable ones.

use store::TrialOutcome;

use crate::endpoints::ASK;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{key, right, trial};

pub(crate) async fn the_rest_is_answered(place: Place) {
    let service = Service::start_at(&place).await;
    service.record(&key(), &[trial(0, 1, right(8.0))]).await;
    let mut other = key();
    other.problem = "argmin:[7]xi32".parse().unwrap();
    service.record(&other, &[trial(0, 1, right(9.0))]).await;
    for path in ["/api/v1/best", ASK] {
        let (_, body) = service.get(path).await;
        assert!(
            !body.contains("unreadable") && !body.contains("cannot read"),
            "{body}"
        );
    }
    let garbage = "UPDATE problem SET text = 'argmax:<b>' WHERE text LIKE 'argmin%'";
    service.spoil(garbage).await;
    let best = r#""unreadable":{"rows":1,"first":["study 2, problem: "#;
    service.check("/api/v1/best", 200, best).await;
    service
        .check("/api/v1/best", 200, "argmax:4x[32000]xf32:i32")
        .await;

    let knob = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE study_id = 1";
    service.spoil(knob).await;
    let two = r#""unreadable":{"rows":2,"first":["#;
    service.check("/api/v1/best", 200, two).await;
    // Memory reads a problem again after a write.
    let wrong = TrialOutcome::Wrong("row 0".to_owned());
    service.record(&key(), &[trial(1, 2, wrong)]).await;
    // The database numbers the trials.
    for miss in [
        r#""unreadable":{"rows":1,"first":["trial "#,
        ", configuration: unknown field",
    ] {
        let exact = format!("{ASK}&at_least=exact");
        service.check(&exact, 404, miss).await;
    }
    // Every rung reports it.
    let below = "\"unreadable\":{\"rows\":";
    service.check(ASK, 200, below).await;
}
