//! Wishes: written together, counted, bounded, and in the end fulfilled.

use std::time::{Duration, Instant, SystemTime};

use configgen::Generator;
use sqlx::Connection;
use store::{Catalogue as _, Wish, Wished};
use store_sqlite::Sqlite;

use crate::faults::raw;
use crate::support::key;
use crate::{location, new_store};

fn wish() -> Wish {
    Wish {
        problem: key().problem,
        target: key().provenance.target,
        device: None,
        generator: None,
    }
}

/// The wish number `n` of as many different ones.
fn other(n: usize) -> Wish {
    let problem = format!("argmax:{}x[8]xf32", n + 1);
    Wish {
        problem: problem.parse().unwrap(),
        ..wish()
    }
}

async fn counts(store: &Sqlite) -> Vec<(Wish, u64)> {
    let wishes = store.wishes().await.unwrap().rows;
    wishes.into_iter().map(|w| (w.wish, w.count)).collect()
}

#[tokio::test]
async fn each_question_is_counted() {
    let (_directory, store) = new_store().await;
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
    // A second write of the same adds to the first.
    assert!(store.record_wish(&on_device).await.unwrap());
    assert!(store.record_wish(&on_device).await.unwrap());
    assert!(store.record_wish(&on_device).await.unwrap());
    store.flush_wishes().await.unwrap();
    let expected = [(on_device.clone(), 4), (wish(), 3), (by_iree.clone(), 2)];
    assert_eq!(counts(&store).await, expected);
    for Wished { first, last, .. } in store.wishes().await.unwrap().rows {
        assert!(begin <= first && first <= last && last <= SystemTime::now());
    }
    store.end_wish(&wish()).await.unwrap();
    let expected = [(on_device, 4), (by_iree, 2)];
    assert_eq!(counts(&store).await, expected);
}

/// The first wish is written at once; what follows within a second is written with the next one, or when the store is
/// closed, and not with a write of its own.
#[tokio::test]
async fn wishes_are_written_together() {
    let (directory, store) = new_store().await;
    for n in 0..200 {
        assert!(store.record_wish(&other(n)).await.unwrap());
    }
    let written = counts(&store).await.len();
    assert!(written < 100, "{written} of 200 were written one by one");
    store.close().await;
    let store = Sqlite::open(&location(&directory)).await.unwrap();
    assert_eq!(counts(&store).await.len(), 200);
}

/// Ten thousand are kept: those that were asked last.
#[tokio::test]
async fn the_oldest_goes_first() {
    let (directory, store) = new_store().await;
    let mut connection = raw(location(&directory).as_ref()).await;
    let fill = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000)
        INSERT INTO wish SELECT printf('argmax:%dx[9]xf32:i32', n), 'gfx950', '', '', 1, n, n FROM n";
    sqlx::raw_sql(fill).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    assert!(store.record_wish(&wish()).await.unwrap());
    store.flush_wishes().await.unwrap();
    let wishes = counts(&store).await;
    assert_eq!(wishes.len(), 10_000);
    let has = |problem: &str| {
        let problem = problem.parse().unwrap();
        wishes.iter().any(|(wish, _)| wish.problem == problem)
    };
    assert!(wishes.contains(&(wish(), 1)));
    assert!(!has("argmax:1x[9]xf32") && has("argmax:2x[9]xf32"));
}

/// What waits has an end, too, and a name that is none is not noted.
#[tokio::test]
async fn memory_is_bounded() {
    let (directory, store) = new_store().await;
    let mut other_process = raw(location(&directory).as_ref()).await;
    let lock = sqlx::raw_sql("BEGIN IMMEDIATE");
    lock.execute(&mut other_process).await.unwrap();
    assert!(store.record_wish(&wish()).await.is_err());
    let begin = Instant::now();
    for n in 0..3000 {
        // It is not known whether they will ever be written, and nobody waits for the lock again.
        assert!(!store.record_wish(&other(n)).await.unwrap());
    }
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
    let unlock = sqlx::raw_sql("COMMIT");
    unlock.execute(&mut other_process).await.unwrap();
    // What could not be written then is written now.
    store.flush_wishes().await.unwrap();
    let wishes = counts(&store).await;
    assert!(wishes.contains(&(wish(), 1)));
    assert_eq!(wishes.len(), 1000);
    assert!(store.record_wish(&other(5000)).await.unwrap());
    let nonsense = Wish {
        device: Some("x".repeat(1000)),
        ..wish()
    };
    assert!(!store.record_wish(&nonsense).await.unwrap());
}

/// A caller who goes while wishes are written loses none.
#[tokio::test]
async fn a_write_that_is_given_up() {
    let (directory, store) = new_store().await;
    let mut other_process = raw(location(&directory).as_ref()).await;
    let lock = sqlx::raw_sql("BEGIN IMMEDIATE");
    lock.execute(&mut other_process).await.unwrap();
    let wish = wish();
    let recorded = store.record_wish(&wish);
    let given_up = tokio::time::timeout(Duration::from_millis(50), recorded).await;
    assert!(given_up.is_err());
    let unlock = sqlx::raw_sql("COMMIT");
    unlock.execute(&mut other_process).await.unwrap();
    store.flush_wishes().await.unwrap();
    let wishes = counts(&store).await;
    assert!(wishes.len() == 1 && wishes[0].0 == wish, "{wishes:?}");
}

/// A wish that a newer wavetune wrote is left out, and said.
#[tokio::test]
async fn a_wish_of_another_time() {
    let (directory, store) = new_store().await;
    assert!(store.record_wish(&wish()).await.unwrap());
    let mut connection = raw(location(&directory).as_ref()).await;
    let rows = "INSERT INTO wish VALUES ('argmax:garbage', 'gfx942', '', '', 9, 0, 0),
        ('argmax:[3]xf32:i32', 'gfx9999', '', '', 8, 0, 0), ('argmax:[3]xf32:i32', 'gfx942', '', 'new', 7, 0, 0)";
    sqlx::raw_sql(rows).execute(&mut connection).await.unwrap();
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
