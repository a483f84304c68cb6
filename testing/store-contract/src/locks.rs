//! A lock of the database: a writer waits for a while, and then reports it.

use std::time::{Duration, Instant};

use crate::Database;
use crate::samples::{key, right, trial};
use crate::wishes::{counts, other, wish};

pub(crate) async fn a_lock_is_waited_for_and_then_named(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let held = database.hold().await;

    let begin = Instant::now();
    let recorded = store.record_trial(&study, &trial(0, 1, right(1.0))).await;
    let error = recorded.unwrap_err();
    assert!(error.fault.passes(), "{error}");
    let part = "locked by another process for more than 3 s";
    assert!(error.to_string().contains(part), "{error}");
    assert!(begin.elapsed() >= Duration::from_secs(3));
    // Readers do not wait, and the blocked trial can be recorded later.
    assert_eq!(store.trials_of(&study).await.unwrap(), []);
    // A blocked call waits for three seconds each time.
    testing::retry_within(Duration::from_secs(3), async || {
        let begin = Instant::now();
        let reader = database.open().await;
        assert_eq!(reader.check().await.unwrap(), ());
        (begin.elapsed(), ())
    })
    .await;
    held.release().await;
    let recorded = store.record_trial(&study, &trial(0, 1, right(1.0))).await;
    recorded.unwrap();
}

/// Checks that the buffer of wishes is limited.
pub(crate) async fn memory_is_bounded(database: &dyn Database) {
    let store = database.open().await;
    let held = database.hold().await;
    assert!(store.record_wish(&wish()).await.is_err());
    let begin = Instant::now();
    for n in 0..3000 {
        // The wishes may never be written, and nobody waits for the lock again.
        assert!(!store.record_wish(&other(n)).await.unwrap());
    }
    assert!(
        begin.elapsed() < Duration::from_secs(60),
        "{:?}",
        begin.elapsed()
    );
    held.release().await;
    // The buffered wishes are written now.
    store.flush_wishes().await.unwrap();
    let wishes = counts(&*store).await;
    assert!(wishes.contains(&(wish(), 1)));
    assert_eq!(wishes.len(), 1000);
    assert!(store.record_wish(&other(5000)).await.unwrap());
}

/// Checks that no wish is lost if its caller goes away during the write.
pub(crate) async fn a_write_that_is_given_up(database: &dyn Database) {
    let store = database.open().await;
    let held = database.hold().await;
    let wish = wish();
    let recorded = store.record_wish(&wish);
    let given_up = tokio::time::timeout(Duration::from_millis(50), recorded).await;
    assert!(given_up.is_err());
    held.release().await;
    store.flush_wishes().await.unwrap();
    let wishes = counts(&*store).await;
    assert!(wishes.len() == 1 && wishes[0].0 == wish, "{wishes:?}");
}
