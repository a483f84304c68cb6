//! Requests that a client may repeat.

use store::{Repeat, Runs as _, SubmissionOutcome};
use store_postgres::Postgres;
use testing_store_contract::samples::submitted;

use crate::store::raw;

pub(crate) async fn an_answer_is_kept_for_a_day(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    assert!(matches!(
        submitted(&store, 0, Some(("a", "1"))).await,
        SubmissionOutcome::New { .. }
    ));
    let mut connection = raw(url).await;
    for (passed, expected) in [
        ("23 hours", Repeat::Known(Vec::new())),
        ("2 hours", Repeat::New),
    ] {
        let pass = sqlx::query("UPDATE request SET asked_at = asked_at - $1::text::interval");
        pass.bind(passed).execute(&mut connection).await.unwrap();
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
