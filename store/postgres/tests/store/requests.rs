//! Requests that a client may send again.

use store::{Repeat, Runs as _};
use store_postgres::Postgres;

use crate::raw;

pub(crate) async fn an_answer_is_kept_for_a_day(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    store.keep_answer("a", "1", &[]).await.unwrap();
    let mut connection = raw(url).await;
    for (passed, expected) in [
        ("23 hours", Repeat::Known(Vec::new())),
        ("2 hours", Repeat::New),
    ] {
        let pass = sqlx::query("UPDATE request SET asked_at = asked_at - $1::text::interval");
        pass.bind(passed).execute(&mut connection).await.unwrap();
        assert_eq!(store.repeat("a", "1").await.unwrap(), expected);
    }
    // Nor is it in the way of another one.
    store.keep_answer("a", "2", &[]).await.unwrap();
    let known = Repeat::Known(Vec::new());
    assert_eq!(store.repeat("a", "2").await.unwrap(), known);
}
