//! Wishes: written together, counted, limited, and finally fulfilled.

use std::time::{Duration, SystemTime};

use configgen::Generator;
use store::{CountedWish, Store, Wish};

use crate::Database;
use crate::samples::key;

pub(crate) fn wish() -> Wish {
    Wish {
        problem: key().problem,
        target: key().provenance.target,
        device: None,
        generator: None,
    }
}

/// Returns wish number `n`; different numbers give different wishes.
pub(crate) fn other(n: usize) -> Wish {
    let problem = format!("argmax:{}x[8]xf32", n + 1);
    Wish {
        problem: problem.parse().unwrap(),
        ..wish()
    }
}

pub(crate) async fn counts(store: &dyn Store) -> Vec<(Wish, u64)> {
    let wishes = store.wishes().await.unwrap().rows;
    wishes.into_iter().map(|w| (w.wish, w.count)).collect()
}

pub(crate) async fn each_question_is_counted(database: &dyn Database) {
    let store = database.open().await;
    let on_device = Wish {
        device: Some("hip:0".to_owned()),
        ..wish()
    };
    let by_iree = Wish {
        generator: Some(Generator::IREE),
        ..wish()
    };
    let begin = SystemTime::now() - Duration::from_secs(1);
    for (wish, times) in [(wish(), 3), (on_device.clone(), 1), (by_iree.clone(), 2)] {
        for _ in 0..times {
            assert!(store.record_wish(&wish).await.unwrap());
        }
    }
    store.flush_wishes().await.unwrap();
    // A second write of the same wish adds to the first.
    assert!(store.record_wish(&on_device).await.unwrap());
    assert!(store.record_wish(&on_device).await.unwrap());
    assert!(store.record_wish(&on_device).await.unwrap());
    store.flush_wishes().await.unwrap();
    let expected = [(on_device.clone(), 4), (wish(), 3), (by_iree.clone(), 2)];
    assert_eq!(counts(&*store).await, expected);
    for CountedWish { first, last, .. } in store.wishes().await.unwrap().rows {
        assert!(begin <= first && first <= last && last <= SystemTime::now());
    }
    store.end_wish(&wish()).await.unwrap();
    let expected = [(on_device, 4), (by_iree, 2)];
    assert_eq!(counts(&*store).await, expected);
}

/// Checks that the first wish is written at once. Those within a second after it are written with
/// the next one, or on close.
pub(crate) async fn wishes_are_written_together(database: &dyn Database) {
    let store = database.open().await;
    for n in 0..200 {
        assert!(store.record_wish(&other(n)).await.unwrap());
    }
    let written = counts(&*store).await.len();
    assert!(written < 100, "{written} of 200 were written one by one");
    store.close().await;
    let store = database.open().await;
    assert_eq!(counts(&*store).await.len(), 200);
}

/// Checks that the latest ten thousand are kept.
pub(crate) async fn the_oldest_goes_first(database: &dyn Database) {
    let store = database.open().await;
    for thousand in 0..10 {
        for n in 0..1000 {
            let noted = store.record_wish(&other(1000 * thousand + n)).await;
            assert!(noted.unwrap());
            if n == 0 {
                // The very first is the oldest by some milliseconds.
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        store.flush_wishes().await.unwrap();
    }
    assert_eq!(counts(&*store).await.len(), 10_000);
    assert!(store.record_wish(&wish()).await.unwrap());
    store.flush_wishes().await.unwrap();
    let wishes = counts(&*store).await;
    assert_eq!(wishes.len(), 10_000);
    assert!(wishes.contains(&(wish(), 1)));
    assert!(!wishes.contains(&(other(0), 1)) && wishes.contains(&(other(1), 1)));
}

/// Checks that an impossible name of a device keeps no other wish from being written.
pub(crate) async fn a_name_that_is_none_is_not_noted(database: &dyn Database) {
    let store = database.open().await;
    for name in ["x".repeat(1000), "a\0b".to_owned()] {
        let nonsense = Wish {
            device: Some(name),
            ..wish()
        };
        assert!(!store.record_wish(&nonsense).await.unwrap());
    }
    assert!(store.record_wish(&wish()).await.unwrap());
    store.flush_wishes().await.unwrap();
    assert_eq!(counts(&*store).await, [(wish(), 1)]);
}

/// Checks that a wish of a newer wavetune is left out and reported.
pub(crate) async fn a_wish_of_another_time(database: &dyn Database) {
    let store = database.open().await;
    for n in 0..4 {
        for _ in 0..4 - n {
            assert!(store.record_wish(&other(n)).await.unwrap());
        }
    }
    store.flush_wishes().await.unwrap();
    let spoilt = "UPDATE wish SET problem = 'argmax:garbage' WHERE count = 4;
        UPDATE wish SET target = 'gfx9999' WHERE count = 3;
        UPDATE wish SET generator = 'new' WHERE count = 2";
    database.spoil(spoilt).await;
    let wishes = store.wishes().await.unwrap();
    assert_eq!(wishes.rows.len(), 1);
    let unreadable = wishes.unreadable.first.iter();
    let unreadable: Vec<String> = unreadable.map(ToString::to_string).collect();
    for (text, part) in unreadable.iter().zip([
        "wish 1, problem: ",
        "wish 2, target: ",
        "wish 3, generator: ",
    ]) {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(unreadable.len(), 3);
}
