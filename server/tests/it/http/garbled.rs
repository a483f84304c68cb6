//! Imports with one changed part: the service accepts or refuses them, and imported rows are
//! readable.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use store::{Finals, Portion, Ties, TrialOutcome};
use store_sqlite::Sqlite;

use crate::http::json_mutation::{mutate_json, odd_value};
use crate::http::service::Service;
use crate::http::support::{at, default_trial, key, right, timing, trial};

fn portion() -> Portion {
    Portion {
        key: key(),
        bound_us: Some(2.5),
        first_opened: at(1),
        last_opened: at(2),
        trials: vec![
            default_trial(0, 1, right(9.0)),
            trial(1, 2, right(4.5)),
            trial(2, 3, TrialOutcome::Tie(timing(3.0), "row 0".to_owned())),
        ],
        finals: vec![Finals {
            trials: 3,
            winner: 1,
            ties: Ties::Fold,
            speedup: 2.0,
            interval: (1.5, 2.5),
            samples: "{}".to_owned(),
            ended: at(9),
        }],
    }
}

fn run(cases: u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    let service = runtime.block_on(Service::start());
    let portion = serde_json::to_value(portion()).unwrap();
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let changes = (any::<usize>(), odd_value());
    let ended = TestRunner::new_with_rng(config, rng).run(&changes, |(place, part)| {
        let body = mutate_json(&portion, place, &part).to_string();
        let headers = "Host: localhost\r\nContent-Type: application/json";
        let (head, body) = runtime.block_on(service.ask("POST", "/api/v1/imports", headers, &body));
        let status = head.split(' ').nth(1).unwrap_or_default();
        prop_assert!(
            ["200", "400", "409", "422"].contains(&status),
            "{head}{body}"
        );
        Ok(())
    });
    ended.unwrap();
    runtime.block_on(async {
        let store = Sqlite::open_existing(service.path.to_str().unwrap()).await;
        let store = store.unwrap();
        assert_eq!(store.verify().await.unwrap(), Vec::<String>::new());
        assert!(store.info().await.unwrap().trials > 0);
        service
            .check("/api/v1/best", 200, "argmax:4x[32000]xf32")
            .await;
    });
}

#[test]
fn imports_that_are_garbled_are_refused_or_read() {
    run(150);
}

#[test]
#[ignore = "full: 20,000 imports with a part that is another"]
fn many_imports_that_are_garbled_are_refused_or_read() {
    run(20_000);
}
