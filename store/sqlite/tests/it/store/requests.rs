//! Requests that a client may repeat.

use store::{Repeat, Runs as _, SubmissionOutcome};
use testing_store_contract::samples::submitted;

use crate::store::faults::raw;
use crate::store::new_store;

#[test]
async fn an_answer_is_kept_for_a_day() {
    let (_directory, store) = new_store().await;
    assert!(matches!(
        submitted(&store, 0, Some(("a", "1"))).await,
        SubmissionOutcome::New { .. }
    ));
    let mut connection = raw(store.path()).await;
    for (passed_h, expected) in [(23, Repeat::Known(Vec::new())), (2, Repeat::New)] {
        let pass = sqlx::query("UPDATE request SET asked_ms = asked_ms - 3600000 * ?1");
        pass.bind(passed_h).execute(&mut connection).await.unwrap();
        assert_eq!(store.repeat("a", "1").await.unwrap(), expected);
    }
    // The expired answer does not block another request.
    assert!(matches!(
        submitted(&store, 0, Some(("a", "2"))).await,
        SubmissionOutcome::New { .. }
    ));
    let known = Repeat::Known(Vec::new());
    assert_eq!(store.repeat("a", "2").await.unwrap(), known);
}
