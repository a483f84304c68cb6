//! Answers stay the same when pruned trials lose their samples.

use configgen::Clock;
use lookup::LookupRequest;
use store::{Finals, Ledger as _, Records as _, Ties};
use store_sqlite::Sqlite;

use crate::rankings::new_store;
use crate::rankings::support::{at, default_trial, key_made, right, trial};

fn range(samples: &[f64]) -> Option<(f64, f64)> {
    let [low, high] = [f64::min, f64::max].map(|of| samples.iter().copied().reduce(of));
    Some((low?, high?))
}

/// Returns all rankings, a lookup's answer, and the regressions.
async fn told(store: &Sqlite) -> String {
    let mut told = String::new();
    for ties in Ties::ALL {
        let rankings = lookup::all_rankings(store, ties, 1).await.unwrap();
        told += &format!("{rankings:?}\n");
        let made = key_made(measured);
        let mut request = LookupRequest::new(made.problem, made.provenance.target);
        request.ties = ties;
        let answer = lookup::look(store, &request).await.unwrap();
        told += &(answers::line(&answer) + "\n");
    }
    let slower = lookup::regressions(store, range).await.unwrap().rows;
    assert_eq!(slower.len(), 1);
    told + &format!("{slower:?}")
}

fn measured(made: &mut store::Provenance) {
    made.clock = Clock::Measured;
    made.device = "hip:0".to_owned();
}

#[test]
async fn pruning_changes_no_answer() {
    let (_directory, store) = new_store().await;
    let mut ids = Vec::new();
    // The second is slower, and the winner of its finals is not its fastest.
    for (version, slower) in [("21", 1.0), ("22", 4.0)] {
        let key = key_made(|made| {
            measured(made);
            made.compiler_version = version.to_owned();
        });
        let study = store.open_study(&key, None).await.unwrap();
        let mut trials = vec![default_trial(0, 1, right(9.0 * slower))];
        trials.extend((1..9).map(|n| trial(n, n + 1, right(slower * (1.0 + f64::from(n) / 50.0)))));
        for made in &trials {
            store.record_trial(&study, made).await.unwrap();
        }
        let finals = Finals {
            trials: 9,
            winner: 5,
            ties: Ties::Fold,
            speedup: 2.0,
            interval: (1.5, 2.5),
            samples: "{}".to_owned(),
            ended: at(50),
        };
        store.record_finals(study.id, &finals).await.unwrap();
        ids.push(study.id);
    }
    let before = told(&store).await;
    assert!(before.contains("\"samples\":3"), "{before}");
    for id in ids {
        // All but the default, the fastest and the winner.
        assert_eq!(store.prune_study(id, 1, false).await.unwrap().trials, 6);
    }
    assert_eq!(told(&store).await, before);
}
