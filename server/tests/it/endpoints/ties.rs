//! The tie-break, over HTTP.

use configgen::{Clock, Generator};
use serde_json::{Value, json};
use store::TrialOutcome;

use crate::endpoints::ASK;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, timing, trial};

/// Starts a service with a correct default, and a fastest configuration that returns another
/// index for a tie.
async fn tuned(place: &Place) -> Service {
    let service = Service::start_at(place).await;
    let mut iree = key();
    iree.provenance.generator = Generator::IREE;
    let tie = TrialOutcome::Tie(timing(4.66), "row 0: index 3 for 1".to_owned());
    let trials = [default_trial(0, 1, right(4.91)), trial(1, 2, tie)];
    service.record(&iree, &trials).await;
    service
}

pub(crate) async fn any_index_has_to_be_asked_for(place: Place) {
    let service = tuned(&place).await;
    let (right, tie) = (
        r#""status":"right","time_us":4.91"#,
        r#""status":"tie","time_us":4.66"#,
    );
    service.check(ASK, 200, right).await;
    service.check(&format!("{ASK}&ties=fold"), 200, right).await;
    service.check(&format!("{ASK}&ties=any"), 200, tie).await;
    service.check("/api/v1/best", 200, right).await;
    service.check("/api/v1/best?ties=any", 200, tie).await;
    let place = || serde_json::json!(["ties", null]);
    for path in [&format!("{ASK}&ties=lowest"), "/api/v1/best?ties="] {
        let code = "invalid-value";
        service.check_error(path, 400, code, place()).await;
    }
}

/// Each candidate names the reason for its place behind the one before, the answer first.
pub(crate) async fn candidates_say_why_they_are_behind(place: Place) {
    let service = tuned(&place).await;
    let of = |name: &str, clock, us| {
        let mut key = key();
        key.provenance.device = name.to_owned();
        key.provenance.clock = clock;
        (key, [trial(0, 1, right(us))])
    };
    let others = [
        of("emulated:mi300a", Clock::Modelled, 9.82),
        of("AMD Instinct MI300X", Clock::Measured, 50.0),
    ];
    for (key, trials) in others {
        service.record(&key, &trials).await;
    }
    let ask = ASK.replace("configurations", "rankings");
    let told = async |address: &str| {
        let (_, body) = service.get(address).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        let rows = body["candidates"].as_array().unwrap().clone();
        let row = |row: &Value| (row["time_us"].as_f64().unwrap(), row["behind"].clone());
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let slower = json!({"why": "slower", "times": 2.0});
    assert_eq!(
        told(&ask).await,
        [
            (50.0, Value::Null),
            (4.91, json!({"why": "modelled"})),
            (9.82, slower),
        ]
    );
    let (_, body) = service.get(ASK).await;
    assert!(body.contains("\"time_us\":50.0"), "{body}");
    let one = format!("{ask}&generator=iree&ties=any");
    assert_eq!(told(&one).await, [(4.66, Value::Null)]);
    assert_eq!(told(&ask.replace("gfx942", "gfx90a")).await, []);
    service
        .check(&ask.replace("gfx942", "gfx1"), 400, "target")
        .await;
}
