//! Which index is wanted where elements tie, over HTTP.

use configgen::Generator;
use store::Outcome;

use crate::ASK;
use crate::place::Place;
use crate::service::Service;
use crate::support::{default_trial, key, right, timing, trial};

/// A service whose default is right, and whose fastest gives another index on ties.
async fn tuned(place: &Place) -> Service {
    let service = Service::start_at(place).await;
    let mut iree = key();
    iree.provenance.generator = Generator::IREE;
    let tie = Outcome::Tie(timing(4.66), "row 0: index 3 for 1".to_owned());
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
