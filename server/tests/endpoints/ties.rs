//! Which index is wanted where elements tie, over HTTP and on the page.

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

pub(crate) async fn the_page_says_it_in_words(place: Place) {
    let service = tuned(&place).await;
    let words = "on ties another index than the fold&#39;s";
    let (_, page) = service.get("/").await;
    assert!(page.contains("4.91") && !page.contains(words), "{page}");

    let mut other = key();
    other.provenance.generator = Generator::IREE;
    other.problem = "argmax:3x[32000]xf32".parse().unwrap();
    let tie = Outcome::Tie(timing(4.5), "row 0: index 3 for 1".to_owned());
    service.record(&other, &[trial(0, 1, tie)]).await;
    let best = format!("<td class=\"number best\">4.50 <small>{words}</small></td>");
    service.check("/", 200, &best).await;
}
