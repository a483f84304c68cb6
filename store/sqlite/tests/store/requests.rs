//! Requests that a client may send again.

use store::{Repeat, Runs as _};

use crate::faults::raw;
use crate::new_store;

#[tokio::test]
async fn an_answer_is_kept_for_a_day() {
    let (_directory, store) = new_store().await;
    store.keep_answer("a", "1", &[]).await.unwrap();
    let mut connection = raw(store.path()).await;
    for (passed_h, expected) in [(23, Repeat::Known(Vec::new())), (2, Repeat::New)] {
        let pass = sqlx::query("UPDATE request SET asked_ms = asked_ms - 3600000 * ?1");
        pass.bind(passed_h).execute(&mut connection).await.unwrap();
        assert_eq!(store.repeat("a", "1").await.unwrap(), expected);
    }
    // Nor is it in the way of another one.
    store.keep_answer("a", "2", &[]).await.unwrap();
    let known = Repeat::Known(Vec::new());
    assert_eq!(store.repeat("a", "2").await.unwrap(), known);
}
